"""A row of an own table: the mechanism that a :class:`~rlm_core.LocalPrivatiser` was fitted to, asked of people.

Record and label leave together with all of ε, as docs/own-data.md has it, and every report is one cell of a tally:

    two classes    (coordinate, symbol), where the symbol tells which bits agree with the label (joint bits)
    more classes   a set of pairs (code, label)

What a campaign shows live is the share of every class. The classifier is learnt from the exported reports
(``rlm learn``), which needs public rows with labels to say how good it is.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from collection.question_parts import Line, Mechanism, check_text, set_mechanism, share_lines
from rlm_core.collector.frequencies import Moments, estimate_frequencies, group_moments
from rlm_core.collector.tally import Tally
from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.pairs import PairSelection

BITS, CODES = "joint bits", "codes"
"""Kinds of reports, as ``rlm_core.privatiser`` calls them: those that its rule chooses."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """A row, and its label. The mechanism itself (schema, encoder) is kept beside the campaign.

    Args:
        text: what people are asked.
        target: what the label is called.
        classes: the labels.
        report: :data:`BITS` or :data:`CODES`.
        size: numbers or codes of the representation.
        reach: numbers are cut at ± this, in deviations (bits).
        fitted: the digest of what was fitted, without ε.
    """

    kind: ClassVar[str] = "row"
    text: str
    target: str
    classes: tuple[str, ...]
    report: str
    size: int
    reach: float
    fitted: str

    def __post_init__(self) -> None:
        check_text("question", self.text, 300)
        check_text("name of the label", self.target, 200)
        object.__setattr__(self, "classes", tuple(self.classes))
        for each in self.classes:
            check_text("class", each, 200)
        if self.report not in (BITS, CODES):
            raise ValueError(f"Expected reports of kind {BITS!r} or {CODES!r}, got {self.report!r}.")
        if not 2 <= len(self.classes) <= (2 if self.report == BITS else 100):
            raise ValueError(f"Expected the classes of {self.report}, got {len(self.classes)}.")
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 1 <= self.size <= 128:
            raise ValueError(f"Expected 1 <= size <= 128, got size={self.size!r}.")
        if not 0 < self.reach < math.inf:
            raise ValueError(f"Expected a finite reach > 0, got reach={self.reach!r}.")
        if not re.fullmatch("[0-9a-f]{32}", self.fitted, re.ASCII):
            raise ValueError("Expected a digest of 32 hexadecimal digits.")

    def channel(self, epsilon: float) -> JointBits | PairSelection:
        """How record and label leave as one."""
        if self.report == BITS:
            ends = (self.reach,) * self.size
            return JointBits(epsilon=epsilon, low=tuple(-end for end in ends), high=ends)
        return PairSelection(epsilon=epsilon, codes=self.size, classes=len(self.classes))

    def mechanism(self, epsilon: float) -> Mechanism:
        """Named and digested as the device does it."""
        channel, name = self.channel(epsilon), f"own data, {self.report}"
        digest = channel.digest(self.fitted)
        if isinstance(channel, PairSelection):
            return set_mechanism(name, digest, channel.channel)
        return Mechanism(
            name=name,
            digest=digest,
            symbols=2**channel.width,
            subset=1,
            payload="symbol",
            coordinates=channel.coordinates,
        )

    def estimate(self, tally: Tally, epsilon: float) -> list[Line]:
        """The share of every class; nothing while no report is about it."""
        channel = self.channel(epsilon)
        if isinstance(channel, PairSelection):
            return share_lines(self.classes, estimate_frequencies(tally, channel.channel, groups=len(self.classes)))
        told, second = about_the_label(tally, channel)
        if not told:
            return []
        moments = label_moments(channel)
        low, high = (float(end) for end in moments.interval(second / told, told, confidence=0.95, step=1.0))
        share = float(moments.share(second / told))
        return [
            Line(name=self.classes[0], estimate=1.0 - share, low=1.0 - high, high=1.0 - low),
            Line(name=self.classes[1], estimate=share, low=low, high=high),
        ]

    def deviation(self, epsilon: float) -> float:
        """Of one person's contribution to a share, at worst."""
        channel = self.channel(epsilon)
        if isinstance(channel, PairSelection):
            return group_moments(channel.channel, self.size).worst_deviation
        # Only a share of the reports is about the label alone: those whose bits reach the constant coordinate.
        return label_moments(channel).worst_deviation * math.sqrt(channel.coordinates / channel.width)

    def odds(self, epsilon: float) -> tuple[float, float]:
        """How often a report names (or holds) the true symbol, and any other one."""
        channel = self.channel(epsilon)
        if isinstance(channel, PairSelection):
            return channel.channel.inside, channel.channel.outside
        truth = float(channel.response.truth_probability)
        return truth, (1.0 - truth) / (2**channel.width - 1)


def label_moments(channel: JointBits) -> Moments:
    """Of the bit at the constant coordinate: it is the label, and κ of it is left: P(1) = ½ + κ(s − ½)."""
    at_0, at_1 = (1.0 - channel.keep) / 2.0, (1.0 + channel.keep) / 2.0
    return Moments(mean_0=at_0, mean_1=at_1, square_0=at_0, square_1=at_1)


def about_the_label(tally: Tally, channel: JointBits) -> tuple[int, int]:
    """How many reports have a bit at the constant coordinate, which is the last, and how many of these bits are 1."""
    counts = tally.counts.reshape(channel.coordinates, -1)  # (d + 1, 2^m)
    symbols = np.arange(counts.shape[1])
    told = ones = 0
    for bit in range(channel.width):
        first = channel.coordinates - 1 - bit  # its bit number `bit` is about the last coordinate
        told += int(counts[first].sum())
        ones += int(counts[first][(symbols >> bit) & 1 == 1].sum())
    return told, ones
