"""How good can it get? The accuracy that a budget allows, by formula, by simulation, and as measured."""

from ui.bound.page import show

show()
