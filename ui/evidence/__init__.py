"""The page of measured results, beside the paper's."""
