"""The arguments of a LocalPrivatiser, checked together before anything is read: name, value and what is accepted."""

from __future__ import annotations

import re
from numbers import Integral
from typing import TYPE_CHECKING

from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.privatiser.plan import VRLM, check_public_encoder, check_undivided
from rlm_core.privatiser.vrlm.rules import check_central, check_division
from rlm_core.tables.schema import TableSchema

if TYPE_CHECKING:  # which imports this file
    from rlm_core.privatiser.estimator import LocalPrivatiser

DEVICES = re.compile(r"auto|cpu|mps|cuda(:\d+)?", re.ASCII)


def check_arguments(privatiser: LocalPrivatiser) -> None:
    """Raise for what no fit can use; kind, size and encoder are the plan's to check, classes those of the labels."""
    SubsetSelection(epsilon=privatiser.epsilon, symbols=2)  # every release has the same range of ε
    if privatiser.kind == VRLM:
        check_division(privatiser.epsilon, privatiser.lam)
        check_central(privatiser.central_epsilon)
    else:
        check_undivided(privatiser.kind, privatiser.lam)
        check_public_encoder(privatiser.kind, privatiser.central_epsilon)
    device, seed, schema = privatiser.device, privatiser.seed, privatiser.schema
    if not isinstance(device, str) or not DEVICES.fullmatch(device):
        raise ValueError(f"Expected device auto, cpu, cuda, cuda:1 (any number) or mps, got device={device!r}.")
    if isinstance(seed, bool) or not isinstance(seed, Integral) or not 0 <= seed < 2**63:
        raise ValueError(f"Expected seed >= 0, a whole number, got seed={seed!r}.")
    if schema is not None and not isinstance(schema, TableSchema):
        raise TypeError(
            f"Expected a TableSchema for schema, got a value of type {type(schema).__name__}: "
            "TableSchema.from_json(text) reads one."
        )
