"""The committed curve of the start page, read: how the paper's mechanism learns from more and more people."""

from __future__ import annotations

from statistics import mean

from benchmarks import table

EXPERIMENT = "crowd_curve"
DRAWS = 2
"""Draws of the channel, with the same people; the curve is their mean."""


def curves() -> dict[float, list[tuple[int, float]]]:
    """ε to (people, percent right) in the order of people: the mean of the committed draws of the newest protocol.

    Older rows are of encoders that are no longer shipped.
    """
    rows = [table.parse(each) for each in table.read(EXPERIMENT)]
    newest = max((row.protocol for row in rows), default=1)
    points: dict[float, dict[int, list[float]]] = {}
    for measured in rows:
        if measured.protocol != newest:
            continue
        points.setdefault(measured.epsilon, {}).setdefault(measured.train_rows, []).append(measured.accuracy)
    return {
        epsilon: [(size, round(mean(points[epsilon][size]), 2)) for size in sorted(points[epsilon])]
        for epsilon in sorted(points)
    }
