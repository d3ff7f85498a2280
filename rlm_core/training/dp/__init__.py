"""Training under central differential privacy: DP-Adam, its accountant, and the two mechanisms trained by it."""
