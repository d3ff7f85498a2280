"""People of the shipped bundles as codes, k by the rule: experiments on codes that need neither dataset nor runs."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from rlm_core import zoo
from rlm_core.catalogue import CODES
from rlm_core.training.codes.choice import FEWEST_GROUPS, codes_for
from rlm_core.training.codes.code_presets import QRLM_PRESETS
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo.cards import Card
from rlm_core.zoo.code_tree import cut

Coded = tuple[IntArray, IntArray]
"""(n,) codes and (n,) labels."""


@dataclass(frozen=True, kw_only=True, eq=False)
class CodedPeople:
    """Codes and labels of a bundle, with k codes: D₁ (public), the people who send, and those to test with."""

    k: int
    classes: int
    prior: Coded = field(repr=False)
    train: Coded = field(repr=False)
    test: Coded = field(repr=False)

    def frequencies(self, k: int) -> FloatArray:
        """How often each of the k codes occurs in D₁: (k,)."""
        return np.bincount(self.prior[0], minlength=k).astype(np.float64)


def coded_people(dataset: str, epsilon: float, reports: int | None = None) -> CodedPeople:
    """Everybody with the k of the rule for ε and so many reports (by default, as many as there are people).

    Where the tree of merges is not shipped, k is the shipped number nearest to the rule's, as a ratio.
    """
    cards = sorted((c for c in map(zoo.card, zoo.names(dataset)) if c.kind == CODES), key=lambda each: each.latent_dim)
    finest = cards[-1]
    family = finest.name.rpartition("-k")[0] or finest.name
    count = len(_codes(finest.name)["train"][1]) if reports is None else reports
    contrast, fewest = QRLM_PRESETS[family].contrast, max(len(finest.classes), FEWEST_GROUPS)
    wanted = codes_for(epsilon, count, contrast=contrast, fewest=fewest)
    if "order" in finest.architecture:
        k = min(wanted, finest.latent_dim)
        merge = cut(finest, k)
        parts = {name: (merge[codes], labels) for name, (codes, labels) in _codes(finest.name).items()}
        return CodedPeople(k=k, classes=len(finest.classes), **parts)
    nearest: Card = min(cards, key=lambda each: abs(math.log(each.latent_dim / wanted)))
    return CodedPeople(k=nearest.latent_dim, classes=len(finest.classes), **_codes(nearest.name))


@lru_cache(maxsize=4)
def _codes(name: str) -> dict[str, Coded]:
    bundle = zoo.load(name, device="cpu").bundle
    return {
        "prior": (bundle.prior_z.argmax(axis=1), bundle.prior_y),
        "train": (bundle.train_z.argmax(axis=1), bundle.train_y),
        "test": (bundle.test_z.argmax(axis=1), bundle.test_y),
    }
