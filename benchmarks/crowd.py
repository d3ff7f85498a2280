"""The committed curve of the start page, read: how the paper's mechanism learns from more and more people."""

from __future__ import annotations

from statistics import mean

from benchmarks import table

EXPERIMENT = "crowd_curve"
DRAWS = 2
"""Draws of the channel, with the same people; the curve is their mean."""


def curves() -> dict[float, list[tuple[int, float]]]:
    """ε to (people, percent right) in the order of people: the mean of the committed draws."""
    points: dict[float, dict[int, list[float]]] = {}
    for measured in map(table.parse, table.read(EXPERIMENT)):
        points.setdefault(measured.epsilon, {}).setdefault(measured.train_rows, []).append(measured.accuracy)
    return {
        epsilon: [(size, round(mean(points[epsilon][size]), 2)) for size in sorted(points[epsilon])]
        for epsilon in sorted(points)
    }
