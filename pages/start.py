"""Start: the promise in one sentence, a digit that shows it, and the way to everything else."""

from ui.start.page import show

show()
