"""Reports that arrive, as dots: some people each, grey until their reports are there."""

from __future__ import annotations

MOST_DOTS = 270


def arrivals(people: int, arrived: int, before: int = 0) -> str:
    """A field of dots as HTML. Those between ``before`` and ``arrived`` light up one after the other.

    >>> arrivals(4, 2).count("<i"), arrivals(4, 2).count('class="new"'), arrivals(13_500, 0).count("<i")
    (4, 2, 270)
    """
    each = -(-people // MOST_DOTS)
    dots = -(-people // each)
    now, then = (min(dots, -(-count // each)) for count in (arrived, before))
    marks = []
    for index in range(dots):
        if index < then:
            marks.append('<i class="here"></i>')
        elif index < now:
            marks.append(
                f'<i class="new" style="animation-delay:{2_400 * (index - then) // max(1, now - then)}ms"></i>'
            )
        else:
            marks.append("<i></i>")
    words = f"{arrived:,} of {people:,} reports have arrived"
    group = f" · a dot is {each} people" if each > 1 else ""
    return (
        f'<div class="rlm-arrivals" role="img" aria-label="{words}">{"".join(marks)}</div>'
        f'<p class="rlm-note">{words}{group}</p>'
    )
