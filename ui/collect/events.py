"""What a fit says on its way, and how it ends. No Streamlit here: the server and its worker both import this module."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rlm_core import PrivateAccuracy, private_accuracy, release_rows
from rlm_core.baselines import LabelMechanism
from ui.app.worker_loop import Stopped as Stopped  # how a fit ends that was stopped before anything was learnt


@dataclass(frozen=True, kw_only=True)
class Point:
    """One point on the curves: shares in [0, 1]; ``validation`` where the group was asked.

    ``epoch`` of ``epochs``: passes over all reports for a network, reports learnt from for a table of codes.
    """

    epoch: int
    epochs: int
    seconds: float
    clean: float
    private: float
    validation: PrivateAccuracy | None = None


@dataclass(frozen=True, kw_only=True)
class Result:
    """The classifier that was kept (a network: the best by private validation) and what it cost to find it."""

    clean: float
    private: float
    epoch: int
    epochs: int
    seconds: float
    queries: int
    validation: PrivateAccuracy | None
    stopped: bool


@dataclass(frozen=True, kw_only=True)
class Weighing:
    """Before the first epoch: the share of reports that were compared with the public records."""

    share: float


@dataclass(frozen=True, kw_only=True)
class Alone:
    """The data join only: how often the collector's own columns are enough, on test people."""

    accuracy: float


Event = Weighing | Alone | Point | Result


def ask(correct: np.ndarray, epsilon: float) -> PrivateAccuracy:
    """Each member's correct-or-not bit through randomised response, and the estimate from the answers."""
    answers = release_rows(correct.astype(np.float64)[:, None], mechanism=LabelMechanism(epsilon=epsilon, classes=2))
    assert answers.payload.symbols is not None
    return private_accuracy(answers.payload.symbols, epsilon=epsilon)
