"""The search for the best placement with the page's effort, and its result in words. No Streamlit here."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from rlm_core.theory import Estimate, Optimum, optimise_generators, vertices
from rlm_core.types import FloatArray
from ui.bound.theory import SAMPLES, Throw, simulate, vertices_formula
from ui.kit.colours import COLLECTOR
from ui.kit.formats import number, percent
from ui.kit.html import figures_html

RESTARTS = {2: 8, 3: 5}  # by dimension: about a second each


@dataclass(frozen=True, kw_only=True, eq=False)
class Search:
    """What the visitor's last search found, and for which K and ε."""

    classes: int
    epsilon: float
    number: int
    found: Optimum
    before: Estimate


def run_search(classes: int, dimension: int, epsilon: float, *, seed: int) -> Optimum:
    """The library's search with the page's effort."""
    generator = np.random.default_rng(seed)
    return optimise_generators(
        classes, dimension, epsilon, generator=generator, restarts=RESTARTS[dimension], samples=SAMPLES
    )


def farthest_from_vertex(positions: FloatArray) -> float:
    """The largest ℓ1 distance of a class from its nearest vertex.

    >>> farthest_from_vertex(np.array([[1.0, 0.0], [0.0, -0.9]])).__round__(3)
    0.1
    """
    corners = vertices(2 * positions.shape[1], positions.shape[1])
    return float(np.abs(positions[:, None] - corners).sum(axis=2).min(axis=1).max())


def search_words(search: Search, *, dimension: int) -> str:
    """What the search found, against where the visitor was and against the vertices, as HTML."""
    found, classes = search.found, search.classes
    entries = [
        (percent(search.before.accuracy), "before the search"),
        (percent(found.accuracy.accuracy), f"found, ± {200 * found.accuracy.standard_error:.1f} points"),
    ]
    if classes <= 2 * dimension:
        entries.append((percent(vertices_formula(search.epsilon, classes)), "vertices, by the formula"))
    away = farthest_from_vertex(found.positions)
    if away < 0.02:
        where = "<b>The corners win:</b> every class has gone to one."
    elif classes > 2 * dimension:
        corners = int(np.sum([farthest_from_vertex(row[None]) < 0.02 for row in found.positions]))
        where = (
            f"{corners} of the {classes} classes have gone to corners, of which there are only {2 * dimension}. "
            f"{flat_or_not(search)}"
        )
    elif classes == 3:
        where = (
            "As good as the corners, and not better: with two of three classes on neighbouring corners, the third may "
            "lie anywhere on the opposite edge."
        )
    else:
        where = f"The class farthest from a corner is {away:.2f} away from it."
    runs = found.restart_accuracies
    spread_words = f"{len(runs)} starts ended between {percent(float(runs.min()))} and {percent(float(runs.max()))}."
    note = f'<p class="rlm-note"><span style="color:{COLLECTOR}">●</span> {where} {spread_words}</p>'
    return figures_html(*entries) + note


def flat_or_not(search: Search) -> str:
    """Whether the placement matters much, by what this search has found."""
    gain = search.found.accuracy.accuracy - search.before.accuracy
    error = math.hypot(search.found.accuracy.standard_error, search.before.standard_error)
    if gain > 0.02 and gain > 4 * error:
        return "At this ε the places matter: what was found is clearly better than what you had."
    return (
        "At a small ε the optimum is flat: the noise is so wide that many placements do about as well, "
        f"here within {100 * max(abs(gain), 2 * error):.1f} points."
    )


def accuracy_figures(places: FloatArray, epsilon: float, on_vertices: bool, seed: int) -> str:
    """Simulated accuracy beside the formula where there is one, as HTML."""
    found, classes = simulate(places, epsilon, seed=seed), len(places)
    entries = [(percent(found.accuracy), f"simulated, ± {200 * found.standard_error:.1f} points")]
    if on_vertices:
        entries.append(
            (percent(vertices_formula(epsilon, classes)), "by the formula" + " (odd K, ours)" * (classes % 2))
        )
        words = f"{found.samples:,} simulated reports at ε = {number(epsilon)}; ± two standard errors."
    elif classes <= 2 * places.shape[1]:
        entries.append((percent(vertices_formula(epsilon, classes)), f"{classes} classes on vertices, by the formula"))
        words = (
            f"{found.samples:,} simulated reports at ε = {number(epsilon)}; ± two standard errors. No formula covers "
            "this placement, so it is simulated."
        )
    else:
        words = (
            f"{found.samples:,} simulated reports at ε = {number(epsilon)}; ± two standard errors. {classes} classes "
            "are more than the ball has corners, and no formula covers that, so it is simulated."
        )
    return f'{figures_html(*entries)}<p class="rlm-note">{words}</p>'


def thrown_words(thrown: Throw) -> str:
    """How many of the points in the picture are right, as HTML."""
    correct = int(np.sum(thrown.correct))
    wrong = len(thrown.correct) - correct
    return f"In the picture: <b>{correct} dots</b>, classified correctly, and <b>{wrong} crosses</b>, which are not."
