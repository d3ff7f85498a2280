"""The page that privatises an image."""
