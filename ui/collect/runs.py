"""One run of the collector's page, and all runs of a visit with what they have cost."""

from __future__ import annotations

from dataclasses import dataclass, field

from rlm_core import Ledger
from ui.app.work_queue import Job
from ui.collect.events import Point, Result
from ui.collect.pairs import PairTask
from ui.collect.reports import Choice
from ui.collect.task import Task


@dataclass(eq=False, kw_only=True)
class Run(Job):
    """One run, as far as it got. ``state``: waiting, weighing, learning, done, stopped or failed."""

    number: int
    visit: str
    choice: Choice
    reports: int
    sweep: int | None = None
    reused: bool = False
    share: float = 0.0
    points: list[Point] = field(default_factory=list)
    alone: float | None = None  # data join: what the collector's own columns give
    result: Result | None = None
    task: Task | PairTask | None = field(default=None, repr=False)
    charged: bool = False

    @property
    def resumable(self) -> bool:
        """Whether it was stopped, and can go on."""
        return not self.active and self.task is not None


@dataclass(eq=False, kw_only=True)
class Visit:
    """The runs of one visitor: how many there ever were, how many turns they have had, and what was spent.

    ``dropped``: collections that had to make room.

    The ledger names a dataset's people and its validation group; forgetting a run gives nothing back.
    """

    runs: list[Run] = field(default_factory=list)
    ledger: Ledger = field(default_factory=Ledger)
    count: int = 0
    turns: int = 0
    dropped: int = 0


def people_of(choice: Choice) -> str:
    """The ledger's name for those who are asked."""
    return f"people of {choice.dataset}"


def validators_of(choice: Choice) -> str:
    """The ledger's name for the validation group."""
    return f"validation group of {choice.dataset}"
