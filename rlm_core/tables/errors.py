"""The errors of tables: what was expected, what was found, and where."""

from __future__ import annotations


class TableError(ValueError):
    """A table, a column or a cell that cannot be used; the message says which, and what would do."""


class TooManyRows(TableError):
    """More rows than one table may have: who knows whose rows they are can say better what would do."""
