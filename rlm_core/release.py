"""The one act that releases: check, charge, draw, and say exactly which mechanism it was.

    release(x, y, mechanism=..., labels=...)     one record to one Report
    release_rows(x, y, ...)                      many records to Releases: the same, as columns
    release_with_trace(x, y, ...)                one record, with what the owner's own screen may show

Whatever is released goes through :func:`_release`: input is checked while nothing has been spent, the ledger is
charged while nothing has been drawn, and only then is drawn, with the operating system's randomness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.krr import LabelMechanism
from rlm_core.digest import mechanism_digest
from rlm_core.mechanism import RLM, Mechanism, Trace, rows
from rlm_core.owner.budget import Ledger, Release
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.payload import Payload, Together
from rlm_core.report import Report
from rlm_core.types import FloatArray, IntArray

BLOCK = 2_000
"""Records that are encoded and drawn at a time."""

OnProgress = Callable[[int], None]
"""Is told how many records are done."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Releases:
    """What leaves the device for n records: the reports as columns, and a Report for each by iteration."""

    mechanism: str
    digest: str
    epsilon_x: float
    epsilon_y: float
    payload: Payload = field(repr=False)
    y_private: IntArray | None = field(default=None, repr=False)

    @property
    def epsilon(self) -> float:
        """What each record has spent."""
        return self.epsilon_x + self.epsilon_y

    @property
    def z_private(self) -> FloatArray:
        """z̃ as vectors (n, d), whatever form was sent."""
        return self.payload.z_private

    def __len__(self) -> int:
        return len(self.payload)

    def __iter__(self) -> Iterator[Report]:
        return (self.report(index) for index in range(len(self)))

    def report(self, index: int) -> Report:
        """One record's report."""
        return Report(
            mechanism=self.mechanism,
            digest=self.digest,
            epsilon_x=self.epsilon_x,
            epsilon_y=self.epsilon_y,
            label=None if self.y_private is None else int(self.y_private[index]),
            **self.payload.row(index),
        )


def release(
    x: ArrayLike,
    y: int | None = None,
    *,
    mechanism: Mechanism,
    labels: RandomisedResponse | None = None,
    pairs: Together | None = None,
    ledger: Ledger | None = None,
    record: str = "record",
) -> Report:
    """The owner's one act: privatise one record (and its label) into a Report.

    The ledger is charged before anything is drawn: a refused release draws nothing. A label goes out only
    where ``labels`` says how (k-RR, with its own ε), or with ``pairs``: what the encoder makes of x and the label
    as one, with all of ε together (:class:`PairSelection` for codes, the joint reports for numbers); the
    mechanism's own noise is not used then. ``y`` alone is an error.
    """
    x, label = _one(x, y)
    return _release(x, label, mechanism, labels, pairs, ledger, record)[0].report(0)


def release_with_trace(
    x: ArrayLike,
    y: int | None = None,
    *,
    mechanism: RLM,
    labels: RandomisedResponse | None = None,
    pairs: Together | None = None,
    ledger: Ledger | None = None,
    record: str = "record",
    h: ArrayLike | None = None,
) -> tuple[Report, Trace]:
    """:func:`release`, and every intermediate value for the owner's own screen. The Trace is NOT private.

    ``h`` is what the encoder made of x before (:attr:`Trace.h` of an earlier release): it need not run again
    because ε moved.
    """
    if not isinstance(mechanism, RLM):
        raise TypeError(f"Expected an RLM to trace, got a {type(mechanism).__name__}.")
    x, label = _one(x, y)
    sent, hidden = _release(x, label, mechanism, labels, pairs, ledger, record, h=h)
    z, z_private = mechanism.noise.clip(hidden), sent.z_private
    noise = z_private - z if z.shape == z_private.shape else np.empty((1, 0))  # a pair is not z with noise
    return sent.report(0), Trace(x=x[0], h=hidden[0], z=z[0], noise=noise[0], z_private=z_private[0])


def release_rows(
    x: ArrayLike,
    y: ArrayLike | None = None,
    *,
    mechanism: Mechanism,
    labels: RandomisedResponse | None = None,
    pairs: Together | None = None,
    ledger: Ledger | None = None,
    record: str = "record",
    progress: OnProgress | None = None,
) -> Releases:
    """Every row of x (n, input_dim) is one person's release, with labels (n,) as :func:`release` has them.

    One entry in the ledger for all rows, under one name: each of the people has spent that much.
    """
    return _release(np.asarray(x), y, mechanism, labels, pairs, ledger, record, progress=progress)[0]


def _release(
    x: ArrayLike,
    y: ArrayLike | None,
    mechanism: Mechanism,
    labels: RandomisedResponse | None,
    pairs: Together | None,
    ledger: Ledger | None,
    record: str,
    *,
    h: ArrayLike | None = None,
    progress: OnProgress | None = None,
) -> tuple[Releases, FloatArray]:
    """What is sent, and h of the last block (which stays with the owner)."""
    # 1. Check, while nothing has been spent.
    x = rows("x", x, mechanism.input_dim)
    if not len(x):
        raise ValueError("Expected at least one record, got 0.")
    y = _checked_labels(y, len(x), mechanism, labels, pairs)
    if h is not None:
        h = rows("h", np.atleast_2d(np.asarray(h)), mechanism.output_dim)
        if len(h) != len(x):
            raise ValueError(f"Expected h for {len(x)} records, got {len(h)}.")
    if not isinstance(mechanism, RLM):
        mechanism.represent(x)  # raises on records that the mechanism does not take
    epsilon_x = mechanism.epsilon if pairs is None else pairs.epsilon
    epsilon_y = 0.0 if labels is None else labels.epsilon
    digest = mechanism_digest(mechanism) if pairs is None else pairs.digest(mechanism_digest(mechanism))
    # 2. Charge, while nothing has been drawn.
    if ledger is not None:
        ledger.spend(Release(record=record, mechanism=mechanism.name, epsilon_x=epsilon_x, epsilon_y=epsilon_y))
    # 3. Draw.
    payloads, reported, hidden = [], [], np.empty((0, mechanism.output_dim))
    for start in range(0, len(x), BLOCK):
        block = slice(start, start + BLOCK)
        if isinstance(mechanism, RLM):
            hidden = mechanism.encode_total(x[block]) if h is None else h[block]
        payloads.append(_send(mechanism, pairs, x[block], hidden, None if y is None else y[block]))
        if labels is not None and y is not None:
            reported.append(labels.privatise(y[block]))
        if progress is not None:
            progress(min(start + BLOCK, len(x)))
    return Releases(
        mechanism=mechanism.name,
        digest=digest,
        epsilon_x=epsilon_x,
        epsilon_y=epsilon_y,
        payload=Payload.concatenate(payloads),
        y_private=np.concatenate(reported) if reported else None,
    ), hidden


def _send(mechanism: Mechanism, pairs: Together | None, x: FloatArray, h: FloatArray, y: IntArray | None) -> Payload:
    """Draw what is sent for each record, in the form that the mechanism has."""
    if pairs is not None and y is not None:
        return pairs.send(h, y)
    if isinstance(mechanism, RLM):
        return mechanism.send(h)
    if isinstance(mechanism, LabelMechanism):
        return Payload(symbols=mechanism.privatise(x)[:, 0].astype(np.int64), of=mechanism.classes)
    return Payload(numbers=mechanism.privatise(x))


def _one(x: ArrayLike, y: int | None) -> tuple[FloatArray, ArrayLike | None]:
    """One record as a row, and its label as a list."""
    row = np.asarray(x)
    row = row[None] if row.ndim == 1 else row
    if row.ndim == 2 and len(row) != 1:
        raise ValueError(f"Expected one record, got {len(row)}.")
    if y is not None and np.size(y) != 1:
        raise ValueError(f"Expected one label, got {np.size(y)}.")
    return row, None if y is None else np.reshape(y, (1,))


def _checked_labels(
    y: ArrayLike | None,
    count: int,
    mechanism: Mechanism,
    labels: RandomisedResponse | None,
    pairs: Together | None,
) -> IntArray | None:
    """Labels as (n,), or None; raises where there is one without a way to send it, or the other way round."""
    if labels is not None and pairs is not None:
        raise ValueError("Expected labels or pairs, got both: a label is sent once.")
    if (y is None) != (labels is None and pairs is None):
        raise ValueError("Expected y and labels together: a label leaves only through randomised response or a pair.")
    if y is None:
        return None
    if pairs is not None:
        if not isinstance(mechanism, RLM):
            raise ValueError(f"Expected a mechanism with an encoder for pairs, got {mechanism.name}.")
        checked = pairs.check(mechanism, y)
    else:
        assert labels is not None
        checked = labels.check(y)
    if checked.shape != (count,):
        raise ValueError(f"Expected {count} labels, got shape {checked.shape}.")
    return checked
