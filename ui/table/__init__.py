"""The page that privatises a row or a CSV file."""
