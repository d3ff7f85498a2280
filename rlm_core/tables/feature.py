"""One column of a table: its name, kind, range or values, and what they mean."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

Kind = Literal["number", "integer", "category", "boolean", "date"]
KINDS: tuple[str, ...] = get_args(Kind)
BOOLEAN = ("no", "yes")
"""The two values of every boolean column."""


@dataclass(frozen=True, kw_only=True)
class Feature:
    """One column: ``low``, ``high`` and ``step`` for numbers, ``choices`` for categories.

    A date is a number, the year with the day as its fraction; ``day_first`` says how 03/04/2020 is
    read. Words in ``missing`` say nothing ("unknown" in a column of numbers). Title, unit and help are for readers.
    ``low`` and ``high`` of an inferred column say what the public rows had, and change nothing; if it is ``bounded``,
    a number beyond them counts as the bound, in public rows and in everybody's. ``decimal`` is the mark of the fraction
    in numbers that are written as words: with "," a point divides thousands.
    """

    name: str
    title: str
    unit: str
    kind: Kind
    low: float | None = None
    high: float | None = None
    step: float | None = None
    choices: tuple[str, ...] = ()
    help: str = ""
    day_first: bool = True
    missing: tuple[str, ...] = ()
    bounded: bool = False
    decimal: str = "."

    @property
    def is_category(self) -> bool:
        """Whether the values are words, not numbers."""
        return self.kind in ("category", "boolean")

    def problem(self, value: Any) -> str | None:
        """What is wrong with a value that somebody entered, or None.

        >>> term = category("term", "Term", ("36 months", "60 months"))
        >>> term.problem("48 months")
        "Expected Term in '36 months', '60 months', got '48 months'."
        >>> number("dti", "Debt-to-income ratio", "%", 0, 100, 0.01).problem(12.5) is None
        True
        """
        if self.is_category:
            if value in self.choices:
                return None
            return f"Expected {self.title} in {', '.join(map(repr, self.choices))}, got {value!r}."
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
            return f"Expected a number for {self.title}, got {value!r}."
        low, high = (-math.inf if self.low is None else self.low), (math.inf if self.high is None else self.high)
        if not low <= float(value) <= high:  # NaN fails too
            span = f"{low:g}..{high:g} {self.unit}".rstrip()
            return f"Expected {self.title} in {span}, got {float(value):g}."
        if self.kind == "integer" and not math.isclose(float(value), round(float(value))):
            return f"Expected a whole number for {self.title}, got {float(value):g}."
        return None


def number(name: str, title: str, unit: str, low: float, high: float, step: float, help: str = "") -> Feature:
    """A measured number."""
    return Feature(name=name, title=title, unit=unit, kind="number", low=low, high=high, step=step, help=help)


def count(name: str, title: str, high: int, help: str = "") -> Feature:
    """A whole number from 0."""
    return Feature(name=name, title=title, unit="", kind="integer", low=0, high=high, step=1, help=help)


def category(name: str, title: str, choices: Iterable[str], help: str = "") -> Feature:
    """One of some words."""
    return Feature(name=name, title=title, unit="", kind="category", choices=tuple(choices), help=help)
