"""The estimate on the wall: a bar for every answer, with the line that holds the truth in 95 of 100 rooms."""

from __future__ import annotations

import html

from collection.question_parts import Line
from collection.questions import Number, Question
from ui.kit.colours import COLLECTOR
from ui.kit.formats import number

CUT = "cut at the edge"
"""Said of an estimate or an interval that leaves the possible by chance."""


def estimates_html(question: Question, lines: list[Line]) -> str:
    """Shares from 0 to 100 %, or a mean between low and high; what is outside is cut at the edge, and said to be.

    Estimates and intervals stay raw in the data; pointing at a line that was cut shows them.
    """
    if isinstance(question, Number):
        span, unit = (question.low, question.high), question.unit
    else:
        span, unit = (0.0, 1.0), "%"
    return f'<ul class="rlm-estimates">{"".join(_row(line, span, unit) for line in lines)}</ul>'


def _row(line: Line, span: tuple[float, float], unit: str) -> str:
    def place(value: float) -> float:
        return 100.0 * (value - span[0]) / (span[1] - span[0])

    raw = (line.estimate, line.low, line.high)
    estimate, low, high = (min(span[1], max(span[0], value)) for value in raw)
    words, hint = _words((estimate, low, high), unit), ""
    if (estimate, low, high) != raw:
        words, hint = f"{words}, {CUT}", f' title="{_words(raw, unit)} before it was cut"'
    return (
        f"<li{hint}><span>{html.escape(line.name)}</span>"
        f'<div role="img" aria-label="{html.escape(f"{line.name}: {words}")}">'
        f'<i style="width:{place(estimate):.2f}%;background:{COLLECTOR}"></i>'
        f'<u style="left:{place(low):.2f}%;width:{place(high) - place(low):.2f}%"></u></div><em>{words}</em></li>'
    )


def _words(values: tuple[float, float, float], unit: str) -> str:
    estimate, low, high = values
    return f"{_shown(estimate, unit)} ({_shown(low, unit, False)} to {_shown(high, unit)})"


def _shown(value: float, unit: str, with_unit: bool = True) -> str:
    text = f"{100 * value:.0f}" if unit == "%" else number(value)
    text = text.replace("-", "−")
    return f"{text} {html.escape(unit)}".strip() if with_unit else text
