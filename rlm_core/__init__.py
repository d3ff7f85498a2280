"""Learnt local differential privacy: the way of one record, and who sees what.

      owner (blue)                                                 ║  collector (vermilion)
    x ─encoder─▶ h ─clip ν─▶ z ─Laplace(2l/εx)─▶ z̃ ───────────────▶║─▶ decoder    ─▶ x̃
    y ─────────────────── k-RR(εy) ───────────▶ ỹ ───────────────▶║─▶ classifier ─▶ ŷ
                            ε = εx + εy,  εx = λε                  ║

The folder is the trust boundary: ``owner/`` sees x, ``collector/`` never does, and one
``Report`` crosses. What follows from a report is still ε-LDP (post-processing).

    symbol   code          meaning
    x, y     x, y          record and label; never leave the device
    h        h             what the encoder computes
    ν, l     L1Clip        clip into the ℓ1 ball of radius l
    z        z             clean representation, ‖z‖₁ ≤ l
    b        scale         of the noise: 2l/εx
    z̃, ỹ     z_private,    may leave the device
             y_private
    x̃        x_decoded     what the collector reconstructs
    ε, λ     epsilon, lam  εx = λε for the features, εy = (1−λ)ε for the label

Source: Mansbridge et al., "Representation Learning for High-Dimensional Data Collection
under Local Differential Privacy".
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rlm_core.collector.validation import PrivateAccuracy, private_accuracy
from rlm_core.mechanism import RLM, HasDensity, Mechanism, Trace
from rlm_core.owner import (
    Budget,
    L1Clip,
    LaplaceNoise,
    Ledger,
    PairSelection,
    RandomisedResponse,
    Release,
    SubsetSelection,
)
from rlm_core.release import Releases, release, release_rows, release_with_trace
from rlm_core.report import Report

if TYPE_CHECKING:
    from rlm_core import zoo as zoo
    from rlm_core.privatiser import LocalPrivatiser

__version__ = "1.0.0"

__all__ = [
    "RLM",
    "Budget",
    "HasDensity",
    "L1Clip",
    "LaplaceNoise",
    "Ledger",
    "LocalPrivatiser",
    "Mechanism",
    "PairSelection",
    "PrivateAccuracy",
    "RandomisedResponse",
    "Release",
    "Releases",
    "Report",
    "SubsetSelection",
    "Trace",
    "__version__",
    "private_accuracy",
    "release",
    "release_rows",
    "release_with_trace",
]


def __getattr__(name: str) -> Any:
    """What needs torch, pandas or scikit-learn, on its first use: a release of a label or of numbers does not."""
    if name == "zoo":
        return import_module("rlm_core.zoo")
    if name == "LocalPrivatiser":
        return import_module("rlm_core.privatiser").LocalPrivatiser
    raise AttributeError(f"module 'rlm_core' has no attribute {name!r}")
