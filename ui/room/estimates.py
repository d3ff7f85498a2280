"""The estimate on the wall: a bar for every answer, with the line that holds the truth in 95 of 100 rooms."""

from __future__ import annotations

import html

from collection.question_parts import Line
from collection.questions import Number, Question
from ui.kit.colours import COLLECTOR
from ui.kit.formats import number


def estimates_html(question: Question, lines: list[Line]) -> str:
    """Shares from 0 to 100 %, or a mean between low and high; what is outside is cut off in the drawing only."""
    if isinstance(question, Number):
        span, unit = (question.low, question.high), question.unit
    else:
        span, unit = (0.0, 1.0), "%"
    return f'<ul class="rlm-estimates">{"".join(_row(line, span, unit) for line in lines)}</ul>'


def _row(line: Line, span: tuple[float, float], unit: str) -> str:
    def place(value: float) -> float:
        return 100.0 * min(1.0, max(0.0, (value - span[0]) / (span[1] - span[0])))

    low, high = place(line.low), place(line.high)
    words = f"{_shown(line.estimate, unit)} ({_shown(line.low, unit, False)} to {_shown(line.high, unit)})"
    return (
        f'<li><span>{html.escape(line.name)}</span><div role="img" aria-label="{html.escape(f"{line.name}: {words}")}">'
        f'<i style="width:{place(line.estimate):.2f}%;background:{COLLECTOR}"></i>'
        f'<u style="left:{low:.2f}%;width:{high - low:.2f}%"></u></div><em>{words}</em></li>'
    )


def _shown(value: float, unit: str, with_unit: bool = True) -> str:
    text = f"{100 * value:.0f}" if unit == "%" else number(value)
    text = text.replace("-", "−")
    return f"{text} {html.escape(unit)}".strip() if with_unit else text
