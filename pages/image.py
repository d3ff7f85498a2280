"""Privatise a picture: follow a picture across the privacy boundary, then ask what can be inferred from it."""

from ui.image.page import show

show()
