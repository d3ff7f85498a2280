"""The page about the accuracy that a budget allows."""
