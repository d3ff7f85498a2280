"""The visitor's wish and the answer to it, as plain numbers and sentences (HTML). No Streamlit here."""

from __future__ import annotations

import html
import math
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
        """The answer."""
        return None if self.first is None else self.first.epsilon

    @property
    def classes(self) -> int:
        """K."""
        return len(DATASETS[self.dataset].classes)

    @cached_property
    def risk(self) -> float | None:
        """How often a sender's class is guessed at the answer, in percent."""
        return None if self.first is None else gain.risk_at(self.dataset, self.first.mechanism, self.epsilon or 0.0)


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
    return f"For {goal}, {_name(first)} needs {sign}<strong>ε = {epsilon_up(first.epsilon)}</strong>{interval(first)}."


def interval(need: Need) -> str:
    """ " (2.1 to 2.6 from seed to seed)", or nothing where it has no width."""
    if need.at_most or need.low is None or need.epsilon is None:
        return ""
    high = "more than we measured" if need.high is None else epsilon_up(need.high)
    low = f"{need.low:.1f}"
    return "" if low == high else f" ({low} to {high} from seed to seed)"


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
                f"Bayes’ rule guesses it from the report <b>{wish.risk:.0f} %</b> of the time: "
                f"{gain.chance(wish.dataset):g} % without a report, never more than {cap:.0f} %.",
            )
        )
    found += [
        (
            "A report a week",
            f"adds up to ε = {number(yearly)} in a year: the same suspicion may become <b>{below_one(a_year)}</b>. To "
            f"stay at <b>ε = {epsilon_up(epsilon)}</b> over the year, each may spend {epsilon / WEEKS:.2g}.",
        ),
        (
            "Twice the people",
            f"give the same accuracy at <b>ε = {epsilon_up(halved)}</b> instead of {epsilon_up(epsilon)}."
            if wish.first.mechanism == "Q-RLM"
            else "help too, but only for codes (Q-RLM) do we have a model of how much.",
        ),
    ]
    return found


def strength(found: Verdict) -> str:
    """The verdict as a heading."""
    return {"hardly any": "Hardly any protection", "none": "No protection"}.get(
        found.strength, f"{found.strength.capitalize()} protection"
    )


def below_one(share: float) -> str:
    """A probability below one that is never shown as certain."""
    return percent(share) if share < 1 else "> 99.9 %"


def _name(need: Need) -> str:
    return f"<b>{html.escape(shown_name(need.mechanism))}</b>"
