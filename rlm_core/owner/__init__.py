"""The data owner's side: it sees the raw record x, and only what it privatised may leave."""

from rlm_core.owner.budget import Budget, Ledger, Release
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection

__all__ = [
    "Budget",
    "JointLaplace",
    "JointSelection",
    "L1Clip",
    "LaplaceNoise",
    "Ledger",
    "PairSelection",
    "RandomisedResponse",
    "Release",
    "SubsetSelection",
]
