"""Your own data: fit on public rows, privatise people's rows, learn from their reports.

plan.py             which kind of report, and how many numbers or codes: rules in ε, n and K, known in advance
encoder.py          from an encoded row to a few numbers, or to scores of codes: one linear layer
method.py           a fitted kind: how rows leave (the owner's side) and what reports tell (the collector's)
network.py          codes by a network
vrlm/               the paper's V-RLM: record and label apart, an encoder under central DP if asked for
sending.py          what the release path is given for a record
learning.py         from reports of any kind to a classifier
views.py            what a network should give the same code
records.py          what is read: rows or pictures, and labels
labels.py           class names to numbers
estimator.py        LocalPrivatiser, with scikit-learn's manners
sides/              what it does once it is fitted: the people's side, the collector's side
folder.py           a folder with a card, checksummed
card.py             what the card says, and that it is whole
own_mechanism.py    what a device must know of a fitted one
onnx_file.py        its encoder as an ONNX model, for phones
honesty.py          when to warn
compare.py          what would be learnt: collections simulated on public rows, baselines beside ours
advice.py           which ε for which accuracy, from many of them
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rlm_core.privatiser.honesty import UtilityWarning
from rlm_core.privatiser.plan import KINDS, Plan, choose_plan

if TYPE_CHECKING:
    from rlm_core.privatiser.estimator import LocalPrivatiser

__all__ = ["KINDS", "LocalPrivatiser", "Plan", "UtilityWarning", "choose_plan"]


def __getattr__(name: str) -> Any:
    """What needs scikit-learn (80 MB), on its first use: most of bulk work does not."""
    if name == "LocalPrivatiser":
        return import_module("rlm_core.privatiser.estimator").LocalPrivatiser
    raise AttributeError(f"module 'rlm_core.privatiser' has no attribute {name!r}")
