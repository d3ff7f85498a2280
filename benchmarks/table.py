"""Results as CSV: one row per trial, appended as it is measured, never overwritten.

A result counts only with its origin, so every row carries seed, rows, seconds and version.

Files survive what happens to files. A row is appended by one write, synchronised, under a lock, and
only if its trial is not there yet: two processes never write the same one twice. What a full disk or a
killed process leaves of a row is left out by readers, with a message, and removed by the next writer.
Reading takes no lock and changes nothing.
"""

from __future__ import annotations

import csv
import errno
import io
import logging
import os
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parent / "results"
log = logging.getLogger(__name__)

Key = tuple[str, str, float, int, int, int]
"""What makes a trial: dataset, mechanism, ε, seed, draw and protocol."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One trial. ``accuracy`` in percent; ``epsilon`` inf for no LDP; empty where it does not apply.

    ``draw``: which draw of the channel, with the same people; ``protocol``: 1 for what was measured before
    the protocol was frozen. Files written before there were such columns are read as draw 0 and protocol 1.
    """

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
    draw: int = 0
    protocol: int = 1

    @property
    def key(self) -> Key:
        """What makes a trial: a second row with the same key is not run again."""
        return self.dataset, self.mechanism, self.epsilon, self.seed, self.draw, self.protocol


COLUMNS = tuple(field.name for field in fields(Row))
LATER_COLUMNS = {name: str(next(f.default for f in fields(Row) if f.name == name)) for name in ("draw", "protocol")}
"""Columns that older files lack, and what is read then."""


def read(experiment: str, folder: Path | None = None) -> list[dict[str, str]]:
    """The rows of an experiment as text, in the order they were measured; [] if there are none."""
    path = _path(experiment, folder)
    return list(_whole_rows(path, stamp(experiment, folder))) if path.is_file() else []


def stamp(experiment: str, folder: Path | None = None) -> tuple[str, int, int]:
    """What changes when a file of results does: whoever keeps what is computed from one keeps it under this."""
    path = _path(experiment, folder)
    found = path.stat() if path.is_file() else None
    return (str(path), found.st_mtime_ns, found.st_size) if found else (str(path), 0, 0)


@lru_cache(maxsize=32)
def _whole_rows(path: Path, stamp: tuple[str, int, int]) -> list[dict[str, str]]:
    """The pages ask for the same rows many times."""
    return _scan(path)[0]


def parse(values: dict[str, str]) -> Row:
    """A row of text as a :class:`Row`; settings that are words ("learnt") or empty stay text."""
    numbers: dict[str, Any] = {}
    for field in fields(Row):
        text = values.get(field.name) or LATER_COLUMNS.get(field.name, "")
        if field.type in ("int", "float"):
            numbers[field.name] = int(text) if field.type == "int" else float(text)
        else:
            numbers[field.name] = _number(text) if field.type != "str" else text
    return Row(**numbers)


def renamed(row: Row, *, experiment: str, mechanism: str) -> Row:
    """The same measurement under another experiment's or mechanism's name."""
    return replace(row, experiment=experiment, mechanism=mechanism)


def done(experiment: str, folder: Path | None = None) -> set[Key]:
    """The trials that are there already."""
    return {parse(values).key for values in read(experiment, folder)}


def append(row: Row, folder: Path | None = None) -> bool:
    """Add one row; False, and a message, if its trial is there already.

    Raises:
        OSError: It could not be written (the disk is full, for instance). The file is as it was before.
    """
    from filelock import FileLock  # only who writes needs it

    path = _path(row.experiment, folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(path.with_suffix(".lock")):
        if path.is_file():
            _mend(path)
        if row.key in done(row.experiment, folder):
            log.warning("%s has the trial %s already: not written again.", path.name, row.key)
            return False
        empty = not path.is_file() or path.stat().st_size == 0
        _append_bytes(path, _as_csv([asdict(row)], header=empty))
    return True


def _path(experiment: str, folder: Path | None) -> Path:
    return (RESULTS if folder is None else folder) / f"{experiment}.csv"


def _number(text: str) -> float | str:
    try:
        return float(text)
    except ValueError:
        return text


def _scan(path: Path) -> tuple[list[dict[str, str]], bool]:
    """The whole rows of a file, and whether it is as this version writes it: whole lines under all columns."""
    *lines, tail = path.read_bytes().decode("utf-8", errors="replace").split("\n")
    header = tuple(next(csv.reader(lines[:1]), ()))
    sound = header == COLUMNS or not lines
    if lines and not set(COLUMNS) - set(LATER_COLUMNS) <= set(header):
        raise ValueError(f"Expected the columns {', '.join(COLUMNS)} in {path}, got {', '.join(header)}.")
    rows = []
    for number, cells in enumerate(csv.reader(lines[1:]), start=2):
        values = dict(zip(header, cells, strict=False))
        if len(cells) != len(header) or not _is_whole(values):
            sound = False
            log.warning("%s, line %d is damaged and is left out: %s", path.name, number, ",".join(cells)[:200])
            continue
        rows.append({name: values.get(name, LATER_COLUMNS.get(name, "")) for name in COLUMNS})
    if tail:  # a row ends with a line feed, written with it
        sound = False
        log.warning("%s ends with a torn row, which is left out: %s", path.name, tail[:200])
    return rows, sound


def _is_whole(values: dict[str, str]) -> bool:
    """Whether a row can be parsed."""
    try:
        parse(values)
    except ValueError:
        return False
    return True


def _mend(path: Path) -> None:
    """Write a file that is damaged, or lacks later columns, anew: all of it beside the old one, then in its place."""
    rows, sound = _scan(path)
    if sound:
        return
    whole = path.with_suffix(".csv.tmp")
    whole.unlink(missing_ok=True)
    _append_bytes(whole, _as_csv(rows, header=True))
    whole.replace(path)
    log.warning("%s was written anew with its %d whole rows.", path.name, len(rows))


def _as_csv(rows: list[dict[str, Any]], *, header: bool) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    if header:
        writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _append_bytes(path: Path, data: bytes) -> None:
    """One write at the end of a file, synchronised; all of it or nothing."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
    file = os.open(path, flags, 0o644)
    try:
        before = os.fstat(file).st_size
        try:
            written = os.write(file, data)
            if written != len(data):
                raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes could be written", str(path))
            os.fsync(file)
        except OSError:
            os.ftruncate(file, before)
            raise
    finally:
        os.close(file)
