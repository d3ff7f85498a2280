"""The page that measures a mechanism's privacy."""
