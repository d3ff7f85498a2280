"""The mechanisms the RLM is compared with, each in its best form, behind the same protocol.

PerFeatureLaplace   ε/d for every number                          laplace.py
Duchi               one bit of a random sign vector               duchi.py
PrivUnit            a direction from a cap, a rounded length      privunit.py (privunit2.py, scalar_dp.py)
PCA                 a linear RLM                                  pca.py
LaplaceTable,       mixed rows: numbers by one of the above,      table.py
DuchiTable          every categorical by k-RR
LabelMechanism      k-RR alone                                    krr.py
"""

from rlm_core.baselines.bounds import Bounds, Rescaled
from rlm_core.baselines.duchi import Duchi
from rlm_core.baselines.krr import LabelMechanism
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.baselines.one_hot import OneHotResponse
from rlm_core.baselines.pca import PCADecoder, PCAEncoder, fit_pca_mechanism
from rlm_core.baselines.privunit import PrivUnit
from rlm_core.baselines.privunit2 import PrivUnit2
from rlm_core.baselines.scalar_dp import ScalarDP
from rlm_core.baselines.table import DuchiTable, LaplaceTable, TableMechanism

__all__ = [
    "Bounds",
    "Duchi",
    "DuchiTable",
    "LabelMechanism",
    "LaplaceTable",
    "OneHotResponse",
    "PCADecoder",
    "PCAEncoder",
    "PerFeatureLaplace",
    "PrivUnit",
    "PrivUnit2",
    "Rescaled",
    "ScalarDP",
    "TableMechanism",
    "fit_pca_mechanism",
]
