"""The arguments of a LocalPrivatiser, checked together before anything is read: name, value and what is accepted."""

from __future__ import annotations

import re
from numbers import Integral
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.privatiser.labels import label_texts
from rlm_core.privatiser.plan import VRLM, check_public_encoder, check_undivided
from rlm_core.privatiser.vrlm.rules import check_central, check_division
from rlm_core.tables.schema import TableSchema
from rlm_core.types import quote

if TYPE_CHECKING:  # which imports this file
    from rlm_core.privatiser.estimator import LocalPrivatiser

DEVICES = re.compile(r"auto|cpu|mps|cuda(:\d+)?", re.ASCII)

AFTER_FIT = ("epsilon", "lam", "reports", "seed", "device", "checkpoint")
"""What may change after a fit. A rule may have taken kind and size from some of these; both stay as they were fitted,
and the card says what they are."""


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


def check_machine(privatiser: LocalPrivatiser) -> None:
    """Raise for a device or a place of the checkpoint that a fit would miss; what is only loaded needs neither."""
    if privatiser.device not in ("auto", "cpu"):
        from rlm_core.learning.device import check_device

        check_device(privatiser.device)
    if privatiser.checkpoint is None:
        return
    if not isinstance(privatiser.checkpoint, str | Path):
        raise TypeError(f"Expected the path of a file for checkpoint, got checkpoint={quote(privatiser.checkpoint)}.")
    file = Path(privatiser.checkpoint)
    if file.is_dir():
        raise ValueError(f"Expected a file for checkpoint, got the folder {str(file)!r}.")
    if not file.parent.is_dir():
        raise ValueError(f"Expected a folder that is there for checkpoint, got {str(file.parent)!r}.")


def fitted_with(privatiser: LocalPrivatiser) -> dict[str, Any]:
    """The arguments that a fit depends on, as they are now."""
    given: dict[str, Any] = privatiser.get_params(deep=False)
    classes = given["classes"]
    if hasattr(classes, "__iter__") and not isinstance(classes, str):  # a list, which may be changed in place
        given["classes"] = label_texts(list(classes))
    return {name: value for name, value in given.items() if name not in AFTER_FIT}


def check_as_fitted(privatiser: LocalPrivatiser, before: dict[str, Any]) -> None:
    """Raise unless the arguments say what was fitted: a card must not claim more than one kind at once."""
    check_arguments(privatiser)
    for name, now in fitted_with(privatiser).items():
        if now != before[name]:
            raise ValueError(f"Expected {name}={quote(before[name])} as it was fitted, got {quote(now)}: fit again.")
