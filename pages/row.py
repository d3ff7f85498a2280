"""Privatise a row: one loan from a form, or a table from a CSV file, across the privacy boundary."""

from ui.table.page import show

show()
