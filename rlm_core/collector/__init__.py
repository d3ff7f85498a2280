"""The collector's side: it receives Reports and never sees a raw record.

What a decoder or a classifier must offer. Both are deterministic functions of what was
reported: the same Report gives the same bytes out, whatever x was. By post-processing,
everything computed here keeps the guarantee of the reports it was computed from.
"""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, IntArray


@runtime_checkable
class Decoder(Protocol):
    """z̃ ↦ x̃: a picture or a row that the collector can look at."""

    def decode(self, z_private: ArrayLike) -> FloatArray:
        """(n, d) to (n, input_dim)."""


@runtime_checkable
class Classifier(Protocol):
    """Predicts labels, in scikit-learn's manner, from z̃ (private inputs) or z (clean inputs)."""

    def predict_proba(self, z: ArrayLike) -> FloatArray:
        """(n, d) to (n, K)."""

    def predict(self, z: ArrayLike) -> IntArray:
        """(n, d) to (n,)."""


__all__ = ["Classifier", "Decoder"]
