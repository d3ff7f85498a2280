"""The page on which the visitor is the collector."""
