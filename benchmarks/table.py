"""Results as CSV: one row per trial, appended as it is measured, never overwritten.

A result counts only with its origin, so every row carries seed, rows, seconds and version.
"""

from __future__ import annotations

import csv
import fcntl
import os
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True, kw_only=True)
class Row:
    """One trial. ``accuracy`` in percent; ``epsilon`` inf for no LDP; empty where it does not apply."""

    experiment: str
    dataset: str
    mechanism: str
    epsilon: float
    seed: int
    accuracy: float
    epsilon_x: float | str = ""
    epsilon_y: float | str = ""
    lam: float | str = ""
    latent_dim: int | str = ""
    radius: float | str = ""
    epsilon_pretraining: float | str = ""
    train_rows: int
    test_rows: int
    seconds: float
    version: str

    @property
    def key(self) -> tuple[str, str, float, int]:
        """What makes a trial: a second row with the same key is not run again."""
        return self.dataset, self.mechanism, self.epsilon, self.seed


COLUMNS = tuple(field.name for field in fields(Row))


def read(experiment: str, folder: Path = RESULTS) -> list[dict[str, str]]:
    """The rows of an experiment as text, in the order they were measured; [] if there are none."""
    path = folder / f"{experiment}.csv"
    if not path.is_file():
        return []
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def parse(values: dict[str, str]) -> Row:
    """A row of text as a :class:`Row`; settings that are words ("learnt") or empty stay text."""
    numbers: dict[str, Any] = {}
    for field in fields(Row):
        text = values[field.name]
        if field.type in ("int", "float"):
            numbers[field.name] = int(text) if field.type == "int" else float(text)
        else:
            numbers[field.name] = _number(text) if field.type != "str" else text
    return Row(**numbers)


def renamed(row: Row, *, experiment: str, mechanism: str) -> Row:
    """The same measurement under another experiment's or mechanism's name."""
    return replace(row, experiment=experiment, mechanism=mechanism)


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def done(experiment: str, folder: Path = RESULTS) -> set[tuple[str, str, float, int]]:
    """The trials that are there already."""
    rows = read(experiment, folder)
    return {(row["dataset"], row["mechanism"], float(row["epsilon"]), int(row["seed"])) for row in rows}


def append(row: Row, folder: Path = RESULTS) -> None:
    """Add one row under a lock, as one write: several processes may append to one file."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{row.experiment}.csv").open("a", newline="", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if file.seek(0, os.SEEK_END) == 0:
            writer.writeheader()
        writer.writerow(asdict(row))
        file.flush()
        os.fsync(file.fileno())
