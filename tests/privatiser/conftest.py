"""A made-up table whose label is easy, and short trainings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
import torch

from rlm_core.privatiser.vrlm import training

CLASSES = ("no", "yes")


@dataclass(frozen=True, kw_only=True, eq=False)
class Easy:
    """Public rows, people and test rows, with labels."""

    public: pd.DataFrame
    people: pd.DataFrame
    test: pd.DataFrame


@pytest.fixture(scope="package")
def easy() -> Easy:
    generator = np.random.default_rng(0)
    y = generator.integers(2, size=4_000)
    table = pd.DataFrame(
        {
            "age": 40 + 15 * y + 6 * generator.normal(size=len(y)),
            "hours": 40 - 10 * y + 5 * generator.normal(size=len(y)),
            "job": np.where(generator.random(len(y)) < 0.2 + 0.6 * y, "cook", "nurse"),
            "ill": np.array(CLASSES)[y],
        }
    )
    return Easy(public=table[:600], people=table[600:3_600].reset_index(drop=True), test=table[3_600:])


@pytest.fixture(scope="package", autouse=True)
def short_trainings() -> Iterator[None]:
    """Few epochs on one thread: what is tested is not how well a network learns."""
    threads, most = torch.get_num_threads(), training.MOST_EPOCHS
    torch.set_num_threads(1)
    training.MOST_EPOCHS = 12
    yield
    training.MOST_EPOCHS = most
    torch.set_num_threads(threads)
