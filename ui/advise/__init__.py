"""The page that helps to choose an ε."""
