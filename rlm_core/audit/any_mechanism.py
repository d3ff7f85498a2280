"""Audit anything that maps an array to an array: a function of yours, or one from another package.

    result = audit_any(privatise, [record, other], epsilon=2.0)

An audit can only find violations. ``ok`` says that none was found on these records with this many samples.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.audit.audit_mechanism import CONFIDENCE, SAMPLES, AuditResult, Callback, Pair, audit_pairs
from rlm_core.types import FloatArray, finite, positive, quote

PILOT = 200
"""Outputs that are drawn first, to learn their shape and mean; they are not counted."""

Privatise = Callable[[Any], Any]


@dataclass(frozen=True, kw_only=True, eq=False)
class AnyMechanism:
    """A callable behind the interface of the audit: (n, d) to (n, m), whatever shapes it has itself.

    Args:
        name: for the report.
        epsilon: what it claims.
        call: gets n copies of a record, (n, …), and returns n outputs; with ``one_by_one`` it gets one
            record and returns one output.
        records: the records of the audit, two or more, of one shape.
    """

    name: str
    epsilon: float
    call: Privatise = field(repr=False)
    records: tuple[FloatArray, ...] = field(repr=False)
    one_by_one: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        records = tuple(finite("a record", each) for each in self.records)
        shapes = {each.shape for each in records}
        if len(records) < 2 or len(shapes) != 1:
            raise ValueError(f"Expected two or more records of one shape, got {len(records)} of {sorted(shapes)}.")
        if any(np.array_equal(*pair) for pair in combinations(records, 2)):
            raise ValueError("Expected records that differ, got the same one twice.")
        object.__setattr__(self, "records", records)

    @property
    def shape(self) -> tuple[int, ...]:
        """Of one record."""
        return self.records[0].shape

    @property
    def input_dim(self) -> int:
        """Numbers in a record."""
        return int(self.records[0].size)

    @property
    def output_dim(self) -> int:
        """Numbers in an output."""
        return int(self._pilot[0].size)

    @cached_property
    def _pilot(self) -> tuple[FloatArray, ...]:
        """The mean output of each record, from PILOT draws."""
        return tuple(self._released(each, PILOT).mean(axis=0) for each in self.records)

    @property
    def pairs(self) -> list[Pair]:
        """Every two of the records, flat."""
        return [(x.ravel(), other.ravel()) for x, other in combinations(self.records, 2)]

    def represent(self, x: ArrayLike) -> FloatArray:
        """Where outputs of x lie: x itself where an output has as many numbers, else the pilot's mean output."""
        rows = np.atleast_2d(np.asarray(x, dtype=np.float64))
        if self.input_dim == self.output_dim:
            return rows
        flat = [each.ravel() for each in self.records]
        known = [next(at for at, each in enumerate(flat) if np.array_equal(each, row)) for row in rows]
        return np.stack([self._pilot[at] for at in known])

    def privatise(self, x: ArrayLike) -> FloatArray:
        """The callable's outputs for rows of x, flat."""
        rows = np.atleast_2d(np.asarray(x, dtype=np.float64))
        if (rows == rows[0]).all():  # n copies of one record, as in every audit
            return self._released(rows[0].reshape(self.shape), len(rows))
        return np.concatenate([self._released(row.reshape(self.shape), 1) for row in rows])

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Not known of a stranger."""
        raise NotImplementedError(f"{self.name} is only known by its outputs.")

    def _released(self, record: FloatArray, count: int) -> FloatArray:
        if self.one_by_one:
            outputs = [np.asarray(self.call(record.copy())).ravel() for _ in range(count)]
            found = finite(f"the output of {self.name}", np.stack(outputs))
        else:
            found = finite(f"the output of {self.name}", self.call(np.repeat(record[None], count, axis=0)))
            if found.ndim == 0 or len(found) != count:
                raise ValueError(
                    f"Expected {count} outputs for {count} copies of a record, got shape {found.shape}; "
                    "does it take one record at a time (one_by_one)?"
                )
        return found.reshape(count, -1)


def audit_any(
    call: Privatise,
    records: Sequence[ArrayLike],
    *,
    epsilon: float,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    one_by_one: bool = False,
    name: str | None = None,
    progress: Callback | None = None,
) -> AuditResult:
    """A lower bound on the ε of ``call`` from its outputs for every two of ``records``.

    >>> from rlm_core import L1Clip, LaplaceNoise
    >>> exact = LaplaceNoise(epsilon=1.0, clip=L1Clip(radius=1.0)).privatise
    >>> audit_any(exact, [[1.0], [-1.0]], epsilon=1.0, samples=1_000, confidence=1 - 1e-9).ok
    True
    """
    mechanism = AnyMechanism(
        name=name or str(getattr(call, "__name__", type(call).__name__)),
        epsilon=epsilon,
        call=call,
        records=tuple(np.asarray(each) for each in records),
        one_by_one=one_by_one,
    )
    return audit_pairs(mechanism, mechanism.pairs, samples=samples, confidence=confidence, progress=progress)


def find_callable(target: str) -> Privatise:
    """``module:callable``, looked for in the current folder too; the callable may be an attribute of an attribute."""
    module, _, path = target.partition(":")
    if not module or not path:
        raise ValueError(f"Expected module:callable, such as laplace:privatise, got {quote(target)}.")
    folder = str(Path.cwd())
    if folder not in sys.path:  # an installed command does not look where it was called
        sys.path.insert(0, folder)
    found: Any = import_module(module)
    for part in path.split("."):
        if not hasattr(found, part):
            raise ValueError(f"Expected {quote(path)} in the module {module}, but it has no {quote(part)}.")
        found = getattr(found, part)
    if not callable(found):
        raise ValueError(f"Expected a callable {target}, got a {type(found).__name__}.")
    privatise: Privatise = found
    return privatise


def read_record(path: str) -> FloatArray:
    """One record from a file of ``numpy.save``; no pickles."""
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise ValueError(f"Expected a record saved by numpy.save in {path}: {error}") from error
    if not isinstance(array, np.ndarray):
        raise ValueError(f"Expected one array in {path}, got an archive of several.")
    return finite(path, array)
