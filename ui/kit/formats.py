"""Numbers for reading: an ε, a factor, a probability. A page shows no number in another way."""

from __future__ import annotations

import math


def number(value: float) -> str:
    """A number for reading, an ε for instance: at most four digits, ∞ as such.

    >>> number(7.0), number(2.1000000000000001), number(float("inf"))
    ('7', '2.1', '∞')
    """
    return "∞" if math.isinf(value) else f"{value:.4g}"


def times(value: float) -> str:
    """A factor for reading: 1.65, 55, 22,026, and powers of ten beyond a million.

    >>> times(1.6487), times(54.6), times(22026.5), times(3.2e7), times(float("inf"))
    ('1.6', '55', '22,026', '3 × 10⁷', 'any number of')
    """
    if math.isinf(value):
        return "any number of"
    if value < 10:
        return f"{value:.2g}"
    if value < 1e6:
        return f"{value:,.0f}"
    power = math.floor(math.log10(value))
    return f"{value / 10**power:.0f} × 10{str(power).translate(str.maketrans('0123456789', '⁰¹²³⁴⁵⁶⁷⁸⁹'))}"


def small(value: float) -> str:
    """A small number, a δ for instance, with one digit and rounded up; 0 and 1 as such.

    >>> small(4.1e-5), small(0.92), small(0.0), small(1.0), small(9.5e-8)
    ('5 × 10⁻⁵', '1', '0', '1', '1 × 10⁻⁷')
    """
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    power = math.floor(math.log10(value))
    digit = math.ceil(value / 10.0**power - 1e-9)
    digit, power = (1, power + 1) if digit == 10 else (digit, power)
    return (
        str(digit) if power == 0 else f"{digit} × 10{str(power).translate(str.maketrans('0123456789-', '⁰¹²³⁴⁵⁶⁷⁸⁹⁻'))}"
    )


def percent(value: float) -> str:
    """A probability for reading; never rounds to a certainty that is not one.

    >>> percent(0.5), percent(0.0345), percent(0.9997), percent(0.0000001), percent(1.0)
    ('50 %', '3.5 %', '> 99.9 %', '< 0.1 %', '100 %')
    """
    if value in (0.0, 1.0):
        return f"{value:.0%}".replace("%", " %")
    if value > 0.999:
        return "> 99.9 %"
    if value < 0.001:
        return "< 0.1 %"
    return f"{100 * value:.1f} %".replace(".0 %", " %")


def epsilon_up(epsilon: float) -> str:
    """One decimal, rounded up: never less than what is needed.

    >>> epsilon_up(2.01), epsilon_up(2.0)
    ('2.1', '2.0')
    """
    return f"{math.ceil(round(10 * epsilon, 6)) / 10:.1f}"


def without_markup(text: str, *, most: int = 60) -> str:
    """A visitor's text for Markdown: nothing in it is markup.

    >>> without_markup("*a*")
    '\\\\*a\\\\*'
    """
    return "".join(f"\\{mark}" if mark in r"\`*_{}[]()<>#+-.!|~$:" else mark for mark in text[:most])
