"""What accuracy on privatised points is possible: formulas, simulation and search.

    from rlm_core.theory import krr_cap, vertex_accuracy
    vertex_accuracy(7.0, 10), krr_cap(7.0, 10)   # Laplace with classes on vertices; any epsilon-LDP report

The paper's "Maximum" row is the first. It is a maximum of one mechanism with one placement, not of
local differential privacy; that is the second.
"""

from __future__ import annotations

from rlm_core.theory.accuracy import krr_cap, vertex_accuracy, vertex_accuracy_closed_form, vertex_accuracy_odd
from rlm_core.theory.optimisation import Optimum, optimise_generators
from rlm_core.theory.simulation import Estimate, monte_carlo_accuracy
from rlm_core.theory.verdict import Verdict, suspicion_after, verdict
from rlm_core.theory.voronoi import Cells, l1_voronoi, vertices

__all__ = [
    "Cells",
    "Estimate",
    "Optimum",
    "Verdict",
    "krr_cap",
    "l1_voronoi",
    "monte_carlo_accuracy",
    "optimise_generators",
    "suspicion_after",
    "verdict",
    "vertex_accuracy",
    "vertex_accuracy_closed_form",
    "vertex_accuracy_odd",
    "vertices",
]
