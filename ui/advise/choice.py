"""The visitor's wish and the answer to it, as plain numbers and sentences (HTML). No Streamlit here."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from benchmarks import gain
from benchmarks.gain import Need
from benchmarks.summary import shown_name
from rlm_core.catalogue import DATASETS
from rlm_core.theory import krr_cap
from rlm_core.theory.verdict import Verdict, suspicion_after, verdict
from ui.kit.formats import epsilon_up, number, percent, times

WEEKS = 52


@dataclass(frozen=True, kw_only=True)
class Wish:
    """Task, people (as a multiple of those measured), accuracy in percent, and a suspicion as a share."""

    dataset: str
    factor: float
    accuracy: float
    suspicion: float

    @property
    def title(self) -> str:
        """The task for people."""
        return DATASETS[self.dataset].title

    @cached_property
    def people(self) -> int:
        """How many send a report."""
        return round(self.factor * gain.people_measured(self.dataset))

    @cached_property
    def needs(self) -> list[Need]:
        """What every mechanism needs, the smallest ε first."""
        return gain.needs(self.dataset, self.accuracy, self.factor)

    @cached_property
    def first(self) -> Need | None:
        """The mechanism with the smallest ε, or None."""
        able = [need for need in self.needs if need.epsilon is not None]
        return able[0] if able else None

    @property
    def epsilon(self) -> float | None:
        """The answer, rounded up as it is shown: all that is said about it is true of the number that people read."""
        if self.first is None or self.first.epsilon is None:
            return None
        return float(epsilon_up(self.first.epsilon))

    @property
    def classes(self) -> int:
        """K."""
        return len(DATASETS[self.dataset].classes)

    @cached_property
    def risk(self) -> float | None:
        """How often a sender's class is guessed at the answer, in percent."""
        return None if self.first is None else gain.risk_at(self.dataset, self.first.mechanism, self.epsilon or 0.0)

    @cached_property
    def chosen(self) -> tuple[float, float] | None:
        """Risk and gain at the answer, in percent; None where one of them is not known."""
        if self.first is None or self.epsilon is None or self.risk is None:
            return None
        measured = gain.gain_at(self.dataset, self.first.mechanism, self.epsilon, self.factor)
        return self.risk, max(self.accuracy, measured or 0.0)


def headline(wish: Wish) -> str:
    """The answer in one sentence."""
    goal = f"{wish.accuracy:g} % on {wish.title} from {wish.people:,} people"
    if wish.first is None:
        best = max(wish.needs, key=lambda need: need.best)
        return (
            f"<b>Not within what we measured.</b> No mechanism reaches {goal}; the best, {_name(best)}, reaches "
            f"{best.best:.1f} % with the people we measured."
        )
    first = wish.first
    assert first.epsilon is not None
    sign = "at most " if first.at_most else "about "
    smallest = ", the smallest of this comparison" if first.at_most else ""
    needed = f"<strong>ε = {epsilon_up(first.epsilon)}</strong>{interval(first)}{smallest}"
    return f"For {goal}, {_name(first)} needs {sign}{needed}."


def gain_and_risk(wish: Wish) -> str:
    """What the chosen ε gives everybody and costs each, in a sentence; where nothing was chosen, what to do."""
    if wish.epsilon is None:
        return "Lower the accuracy, or take more people."
    if wish.chosen is None:
        return ""
    risk, gained = wish.chosen
    return (
        f"That gives everybody a model that is right {gained:.0f} % of the time. It costs each sender this much: "
        f"whoever reads the report guesses the sender’s class {risk:.0f} % of the time, against "
        f"{gain.chance(wish.dataset):g} "
        "% without it."
    )


def interval(need: Need) -> str:
    """ " (2.1 to 2.6 from run to run)", or nothing where it has no width."""
    if need.at_most or need.low is None or need.epsilon is None:
        return ""
    high = "more than we measured" if need.high is None else epsilon_up(need.high)
    low = f"{need.low:.1f}"
    return "" if low == high else f" ({low} to {high} from run to run)"


def meanings(wish: Wish) -> list[tuple[str, str]]:
    """What the ε means: a question and its answer in a sentence, each."""
    if wish.epsilon is None or wish.first is None:
        return []
    epsilon = wish.epsilon
    word, yearly = verdict(epsilon), WEEKS * epsilon
    halved = gain.equivalent_epsilon(epsilon, 0.5)
    after, a_year = suspicion_after(epsilon, wish.suspicion), suspicion_after(yearly, wish.suspicion)
    found = [
        (
            strength(word),
            f"No report is more than {times(math.exp(epsilon))} times as likely from one person as from another.",
        ),
        (
            "A suspicion",
            f"Somebody who was {percent(wish.suspicion)} sure of something about a sender is at most "
            f"<b>{below_one(after)}</b> sure after the report.",
        ),
    ]
    if wish.risk is not None:
        cap = 100 * float(krr_cap(epsilon, wish.classes))
        found.append(
            (
                "One sender’s class",
                f"The best guess from the report is right <b>{wish.risk:.0f} %</b> of the time; without a report, "
                f"{gain.chance(wish.dataset):g} %. At this ε no mechanism can give away more than {cap:.0f} %.",
            )
        )
    found += [
        (
            "A report a week",
            f"Reports add up, in a year to ε = {number(yearly)}: the same suspicion may then become "
            f"<b>{below_one(a_year)}</b>. For <b>ε = {epsilon_up(epsilon)}</b> over the whole year, a weekly report "
            f"may spend <b>{rounded_down(epsilon / WEEKS)}</b>.",
        ),
        (
            "Twice the people",
            f"With {2 * wish.people:,} people, <b>ε = {epsilon_up(halved)}</b> is enough for the same accuracy."
            if wish.first.mechanism == "Q-RLM"
            else "They help, too. How much, we can say for codes (Q-RLM) only.",
        ),
    ]
    return found


def strength(found: Verdict) -> str:
    """The verdict as a heading."""
    return {"hardly any": "Hardly any protection", "none": "No protection"}.get(
        found.strength, f"{found.strength.capitalize()} protection"
    )


def rounded_down(value: float) -> str:
    """Two digits, never more than the value: for what may be spent.

    >>> rounded_down(1 / 52), rounded_down(0.0199), rounded_down(1.5)
    ('0.019', '0.019', '1.5')
    """
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    return f"{math.floor(value / step + 1e-9) * step:.2g}"


def fit_words(rows: Sequence[gain.Tried]) -> str:
    """How far the model is from what was measured, over all collections that both have."""
    apart = [abs(row.measured - row.modelled) for row in rows if row.modelled is not None]
    if not apart:
        return ""
    return (
        f"Over these {len(apart)} collections the two differ by {sum(apart) / len(apart):.1f} points on average, and "
        f"by {max(apart):.1f} at most."
    )


def below_one(share: float) -> str:
    """A probability below one that is never shown as certain."""
    return percent(share) if share < 1 else "> 99.9 %"


def _name(need: Need) -> str:
    return f"<b>{html.escape(shown_name(need.mechanism))}</b>"
