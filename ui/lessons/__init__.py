"""The chapters of "What is LDP?": one module each, with one idea, one thing to play with and one question."""
