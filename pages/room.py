"""Collect from a room: a code on the wall, a report from every phone, an estimate that grows."""

from ui.room.page import show

show()
