"""Which mechanism keeps how much? Ours beside the paper's, cell by cell, from the committed result files."""

from ui.evidence.page import show

show()
