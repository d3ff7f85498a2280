"""The finest codes with their merges: any number of codes is cut from one shipped mechanism."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from rlm_core import zoo
from rlm_core.training.codes.choice import FINE_CODES
from rlm_core.zoo.code_tree import cut, finest_codes


def test_cuts_are_nested_and_use_every_number() -> None:
    about = finest_codes("mnist")
    assert about.latent_dim == FINE_CODES and len(about.architecture["order"]) == FINE_CODES - 1
    finer = cut(about, FINE_CODES)
    assert finer.tolist() == list(range(FINE_CODES))
    for k in range(FINE_CODES - 1, 0, -1):
        coarser = cut(about, k)
        assert set(coarser.tolist()) == set(range(k))
        assert len({*zip(finer.tolist(), coarser.tolist(), strict=True)}) == k + 1  # one pair was merged, no more
        finer = coarser


def test_ten_codes_follow_the_digits() -> None:
    """The bundle's labels only measure here: no label was used for codes or merges."""
    about = finest_codes("mnist")
    bundle = zoo.load(about.name, device="cpu").bundle
    codes = cut(about, 10)[bundle.test_z.argmax(axis=1)]
    counts = np.zeros((10, 10))
    np.add.at(counts, (codes, bundle.test_y), 1)
    assert counts.max(axis=1).sum() / counts.sum() > 0.9


def test_what_is_released_does_not_depend_on_the_order() -> None:
    about = finest_codes("mnist")
    shape = {name: value for name, value in about.architecture.items() if name != "order"}
    assert replace(about, architecture=shape).digest == about.digest


def test_a_dataset_without_such_codes_says_so() -> None:
    with pytest.raises(ValueError, match="rlm models tree"):
        finest_codes("nothing")
