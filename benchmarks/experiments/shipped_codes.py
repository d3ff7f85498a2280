"""People of the shipped bundles as codes, k by the rule: experiments on codes that need neither dataset nor runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from rlm_core import zoo
from rlm_core.types import FloatArray, IntArray

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
    """Everybody with the k of the rule for ε and so many reports (by default, as many as there are people)."""
    about = zoo.card(zoo.choose_codes(dataset, epsilon, reports))
    return CodedPeople(k=about.latent_dim, classes=len(about.classes), **_codes(about.name))


@lru_cache(maxsize=4)
def _codes(name: str) -> dict[str, Coded]:
    bundle = zoo.load(name, device="cpu").bundle
    return {
        "prior": (bundle.prior_z.argmax(axis=1), bundle.prior_y),
        "train": (bundle.train_z.argmax(axis=1), bundle.train_y),
        "test": (bundle.test_z.argmax(axis=1), bundle.test_y),
    }
