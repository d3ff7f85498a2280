"""How fast the app is. The top of the stack: the only benchmarks that import the app, and nothing imports them."""
