"""What a campaign can ask, and for each kind: its mechanism at ε, what a tally says, how many people it takes.

Every kind leaves the device as *one symbol* through an exact channel, so every tally is a tally of counts:

    yes or no, one of k    the answer itself, by k-RR or subset selection, whichever has the smaller variance
    a number in a range    a level between low and high, by k-RR (ScalarDP): never worse than Duchi's
                           one-dimensional mechanism, which is ScalarDP of one level, nor than Laplace
    a drawn digit          the pair (code of the drawing, digit), by subset selection: one symbol, all of ε
    a row of an own table  record and label as one symbol (``own_row.py``)
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, ClassVar

from collection.own_row import Row
from collection.question_parts import Line, Mechanism, check_text, look_alike, set_mechanism, share_lines
from rlm_core.baselines.krr import LabelMechanism
from rlm_core.baselines.scalar_dp import ScalarDP, best_levels
from rlm_core.collector.frequencies import estimate_frequencies, group_moments
from rlm_core.collector.means import estimate_mean, worst_deviation
from rlm_core.collector.tally import Tally
from rlm_core.digest import mechanism_digest
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.zoo.lookup import card

MOST_ANSWERS = 100


@dataclass(frozen=True, kw_only=True)
class OneOf:
    """One of k answers; yes or no is k = 2."""

    kind: ClassVar[str] = "one-of"
    text: str
    answers: tuple[str, ...]

    def __post_init__(self) -> None:
        check_text("question", self.text, 300)
        object.__setattr__(self, "answers", tuple(self.answers))
        if not 2 <= len(self.answers) <= MOST_ANSWERS:
            raise ValueError(f"Expected 2 to {MOST_ANSWERS} answers, got {len(self.answers)}.")
        for answer in self.answers:
            check_text("answer", answer, 80)
        if look_alike(self.answers):
            raise ValueError("Expected answers that look different from each other, got two alike.")

    def channel(self, epsilon: float) -> SubsetSelection:
        """Sets of one are k-RR."""
        return SubsetSelection(epsilon=epsilon, symbols=len(self.answers))

    def mechanism(self, epsilon: float) -> Mechanism:
        """k-RR where the best set has one member, subset selection otherwise."""
        return choice_mechanism(self.channel(epsilon))

    def estimate(self, tally: Tally, epsilon: float) -> list[Line]:
        """The share of every answer."""
        return share_lines(self.answers, estimate_frequencies(tally, self.channel(epsilon)))

    def deviation(self, epsilon: float) -> float:
        """Of one person's contribution to a share, at worst."""
        return group_moments(self.channel(epsilon)).worst_deviation

    def odds(self, epsilon: float) -> tuple[float, float]:
        """How often a report names (or holds) the true answer, and any other one."""
        channel = self.channel(epsilon)
        return channel.inside, channel.outside


@dataclass(frozen=True, kw_only=True)
class Number:
    """A number from ``low`` to ``high``; the campaign estimates its mean."""

    kind: ClassVar[str] = "number"
    text: str
    low: float
    high: float
    unit: str = ""

    def __post_init__(self) -> None:
        check_text("question", self.text, 300)
        check_text("unit", self.unit, 20, empty=True)
        for name in ("low", "high"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= 1e15:
                raise ValueError(f"Expected a number of at most 1e15 for {name}, got {name}={value!r}.")
            object.__setattr__(self, name, float(value))
        if not self.high - self.low >= 1e-9 * max(1.0, abs(self.low), abs(self.high)):
            raise ValueError(f"Expected low < high, got low={self.low:g} and high={self.high:g}.")

    def channel(self, epsilon: float) -> ScalarDP:
        """Of the number's distance from low."""
        return _levels(epsilon, self.high - self.low)

    def mechanism(self, epsilon: float) -> Mechanism:
        """ScalarDP with the number of levels that is best at this ε."""
        channel = self.channel(epsilon)
        return Mechanism(
            name="ScalarDP", digest=mechanism_digest(channel), symbols=channel.k + 1, subset=1, payload="symbol"
        )

    def estimate(self, tally: Tally, epsilon: float) -> list[Line]:
        """The mean."""
        mean = estimate_mean(tally, self.channel(epsilon))
        values = (mean.estimate, mean.low, mean.high)
        estimate, low, high = (self.low + value for value in values)
        return [Line(name="mean", estimate=estimate, low=low, high=high)]

    def deviation(self, epsilon: float) -> float:
        """Of one person's contribution to the mean, at worst, as a share of the range."""
        return worst_deviation(self.channel(epsilon)) / (self.high - self.low)

    def odds(self, epsilon: float) -> tuple[float, float]:
        """How often a report names the level of the number, and any other one."""
        truth = float(self.channel(epsilon).response.truth_probability)
        return truth, (1.0 - truth) / self.channel(epsilon).k


@dataclass(frozen=True, kw_only=True)
class Digit:
    """Draw a digit and say which: the code that the encoder names and the digit, as one symbol with all of ε.

    Without a label only the code is sent, and the shares are those of the codes.
    """

    kind: ClassVar[str] = "digit"
    text: str
    card: str
    label: bool = True

    def __post_init__(self) -> None:
        check_text("question", self.text, 300)
        about = card(self.card)
        if about.kind != "Q-RLM" or about.dataset != "mnist":
            raise ValueError(f"Expected a Q-RLM of mnist, got card={self.card!r}.")
        if not isinstance(self.label, bool):
            raise TypeError(f"Expected true or false for label, got {self.label!r}.")

    @property
    def codes(self) -> int:
        """k."""
        return card(self.card).latent_dim

    @property
    def classes(self) -> tuple[str, ...]:
        """The digits."""
        return card(self.card).classes

    def channel(self, epsilon: float) -> SubsetSelection:
        """Of pairs, or of codes alone."""
        return SubsetSelection(epsilon=epsilon, symbols=self.codes * (len(self.classes) if self.label else 1))

    def mechanism(self, epsilon: float) -> Mechanism:
        """The card's, with its digest."""
        channel = self.channel(epsilon)
        return set_mechanism(self.card, card(self.card).digest, channel)

    def estimate(self, tally: Tally, epsilon: float) -> list[Line]:
        """The share of every digit: symbol c·K + y is of digit y."""
        channel = self.channel(epsilon)
        if not self.label:
            return share_lines([f"code {code}" for code in range(self.codes)], estimate_frequencies(tally, channel))
        return share_lines(self.classes, estimate_frequencies(tally, channel, groups=len(self.classes)))

    def deviation(self, epsilon: float) -> float:
        """Of one person's contribution to a share, at worst."""
        return group_moments(self.channel(epsilon), self.codes if self.label else 1).worst_deviation

    def odds(self, epsilon: float) -> tuple[float, float]:
        """How often a set holds the true pair, and any other one."""
        channel = self.channel(epsilon)
        return channel.inside, channel.outside


Question = OneOf | Number | Digit | Row
KINDS: dict[str, type[OneOf] | type[Number] | type[Digit] | type[Row]] = {
    each.kind: each for each in (OneOf, Number, Digit, Row)
}


def question_fields(question: Question) -> dict[str, Any]:
    """As JSON has it, with its kind."""
    return {"kind": question.kind} | asdict(question)


def question_of(fields: dict[str, Any]) -> Question:
    """Back from :func:`question_fields`."""
    rest = dict(fields)
    kind = rest.pop("kind", None)
    if kind not in KINDS:
        raise ValueError(f"Expected a kind of question in {', '.join(KINDS)}; got {kind!r}.")
    try:
        return KINDS[kind](**rest)
    except TypeError as error:
        raise ValueError(f"Expected the fields of a question of kind {kind!r}: {error}.") from None


def choice_mechanism(channel: SubsetSelection) -> Mechanism:
    """Name and digest of a channel of plain answers."""
    if channel.size > 1:
        exact = SubsetSelection(epsilon=channel.epsilon, symbols=channel.symbols, subset=channel.size)
        return set_mechanism("subset selection", mechanism_digest(exact), channel)
    response = LabelMechanism(epsilon=channel.epsilon, classes=channel.symbols)
    digest = mechanism_digest(response)
    return Mechanism(name=response.name, digest=digest, symbols=channel.symbols, subset=1, payload="symbol")


@lru_cache(maxsize=256)
def _levels(epsilon: float, radius: float) -> ScalarDP:
    """Searching for the best number of levels takes a while; a campaign asks for it often."""
    return ScalarDP(epsilon=epsilon, radius=radius, levels=best_levels(epsilon))
