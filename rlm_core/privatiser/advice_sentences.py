"""Advice as people read it: what to do first, then what it rests on. Nothing is computed here but counts of words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from rlm_core.privatiser.advice_words import meaning, percent, points
from rlm_core.privatiser.compare import RULE
from rlm_core.privatiser.compare_baselines import LABEL_ALONE
from rlm_core.privatiser.plan import VRLM

if TYPE_CHECKING:  # which imports this file
    from rlm_core.privatiser.advice import Advice, Point

SMALL = 0.03
"""A table whose differences below this may be chance is small: its answer says so at once."""


def answer(advice: Advice) -> list[str]:
    """Whether the columns tell the label at all, whether anything is needed, and the smallest ε that does."""
    said = _tells_apart(advice)
    telling = not said
    is_needed = advice.wish > advice.majority
    if not is_needed:
        said.append("The wish asks for no more than the commonest class: no report is needed for that.")
    if is_needed or advice.clean > advice.majority:
        chosen = advice.chosen
        said.append(_not_reached(advice, telling=telling) if chosen is None else _reached(advice, chosen))
    if is_needed and advice.other is not None:
        said.append(_another_kind(advice, advice.other))
    return said + ([_chance(advice)] if _is_small(advice) else [])


def basis(advice: Advice) -> list[str]:
    """The facts, how sure they are, what ε means, and what else would do."""
    chosen = advice.chosen
    said = [
        f"{advice.people:,} people, {percent(advice.wish)} asked for; without privacy {percent(advice.clean)}, "
        f"always the commonest class {percent(advice.majority)}."
    ]
    if max(each.mean for each in advice.of(RULE)) > advice.clean:
        said.append(
            f"Without privacy means logistic regression, fitted once to the {advice.playing:,} {advice.kind} that play "
            "the people: where they are few, or classes many, another classifier can be better, private or not."
        )
    if not _is_small(advice):
        said.append(_chance(advice))
    if chosen is not None:
        said += [_over_splits(advice, chosen), meaning(chosen.epsilon)]
    alone = next((each for each in advice.of(LABEL_ALONE) if each.is_sure(advice.wish)), None)
    if alone is not None:
        said.append(
            "If the features were no secret and the label alone went through randomised response, "
            f"epsilon = {alone.epsilon:g} would do ({percent(alone.mean)}); it would protect nothing but the label."
        )
    elif advice.of(LABEL_ALONE):
        either = " either" if chosen is None else ""
        said.append(f"Randomised response of the label alone, with features in the clear, would not reach it{either}.")
    said += _paper(advice)
    if advice.people > advice.playing:
        said.append(
            f"{advice.playing:,} public {advice.kind} play the people, so each stands for about "
            f"{advice.people / max(1, advice.playing):,.0f} of them: as many different people would teach a little "
            "more, or differ more."
        )
    return said


def _tells_apart(advice: Advice) -> list[str]:
    """Nothing if clean rows are better than the commonest class by more than chance."""
    gain, chance = advice.clean - advice.majority, advice.chance(advice.clean)
    if gain > chance:
        return []
    numbers = f"clean rows give {percent(advice.clean)}, always the commonest class {percent(advice.majority)}"
    if gain <= 0.0:
        return [f"These columns do not tell the label apart, even without privacy: {numbers}."]
    return [
        f"These columns hardly tell the label apart, even without privacy: {numbers}, and so small a difference may "
        "be chance."
    ]


def _reached(advice: Advice, chosen: Point) -> str:
    return (
        f"For {percent(advice.wish)}, epsilon = {chosen.epsilon:g} is the smallest of the grid that reaches it: in "
        f"{_how_often(chosen, advice.wish)} simulated collections (nine of ten are asked for), with "
        f"{percent(chosen.mean)} ± {percent(chosen.deviation)}.{_on_average(advice, chosen)}"
    )


def _not_reached(advice: Advice, *, telling: bool) -> str:
    """``telling``: the columns tell the label apart, so that more people may help."""
    best = advice.best
    if advice.clean < advice.wish:
        way = " Not even clean rows reach it: wish for less." if telling else " Not even clean rows reach it."
    else:
        way = " Ask more people, or wish for less." if telling else ""
    return (
        f"{percent(advice.wish)} is not reached at any epsilon up to {advice.of(RULE)[-1].epsilon:g} in nine of ten "
        f"simulated collections or more: the best mean of what the rule chooses is {percent(best.mean)} ± "
        f"{percent(best.deviation)} at epsilon = {best.epsilon:g}, and {_how_often(best, advice.wish)} reach it.{way}"
    )


def _another_kind(advice: Advice, other: Point) -> str:
    return (
        f"Another kind of report than the rule's, {other.mechanism}, reaches it at epsilon = {other.epsilon:g}: in "
        f"{_how_often(other, advice.wish)} collections, with {percent(other.mean)} ± {percent(other.deviation)}. The "
        "rule knows epsilon, people and classes alone, and here these public rows say more."
    )


def _is_small(advice: Advice) -> bool:
    return advice.chance(_told(advice)) >= SMALL


def _chance(advice: Advice) -> str:
    each = f"{advice.tested:,} {advice.kind} test it"
    splits = "" if advice.splits == 1 else f" in each of {advice.splits} splits"
    return f"{each}{splits}: differences below {points(advice.chance(_told(advice)))} may be chance."


def _told(advice: Advice) -> float:
    """The accuracy that the answer is about."""
    return (advice.chosen or advice.best).mean


def _how_often(point: Point, wish: float) -> str:
    """In how many of the collections the wish is reached."""
    count = len(point.accuracies)
    return f"{round(point.reached(wish) * count)} of {count}"


def _on_average(advice: Advice, chosen: Point) -> str:
    """Smaller ε whose mean is above the wish too: a curve shows means, the rule counts collections."""
    smaller = [each for each in advice.of(RULE) if each.epsilon < chosen.epsilon and each.mean >= advice.wish]
    if not smaller:
        return ""
    cases = ", ".join(f"epsilon = {each.epsilon:g} in {_how_often(each, advice.wish)}" for each in smaller)
    return f" Smaller ones reach it on average, but not as surely: {cases}."


def _paper(advice: Advice) -> list[str]:
    """What the paper's V-RLM would need, if it was simulated."""
    points = advice.of(VRLM)
    if not points:
        return []
    found = next((each for each in points if each.is_sure(advice.wish)), None)
    best = max(points, key=lambda each: each.mean)
    said = (
        f"would need epsilon = {found.epsilon:g} ({percent(found.mean)})"
        if found is not None
        else "does not reach it at any epsilon of the grid: its best mean is "
        f"{percent(best.mean)} at epsilon = {best.epsilon:g}"
    )
    return [f"The paper's V-RLM, which sends record and label apart, {said}."]


def _over_splits(advice: Advice, point: Point) -> str:
    """How far the splits differ. Collections of one split share its rows, so they are no independent trials."""
    if advice.splits == 1:
        return "All collections are from one split of the public rows: another may differ more than they do."
    means = np.asarray(point.accuracies).reshape(advice.splits, -1).mean(axis=1)
    return (
        f"The collections are from {advice.splits} splits of the public rows, with means from "
        f"{percent(float(means.min()))} to {percent(float(means.max()))}; other rows may differ more."
    )
