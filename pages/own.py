"""Your own table: fit a mechanism to a public sample, see which ε it takes, and take it home."""

from ui.own.page import show

show()
