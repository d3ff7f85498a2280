"""Reports as they arrive, from strangers: each is checked to be one of this mechanism, then they are columns."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.payload import Payload
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.privatiser import honesty
from rlm_core.privatiser.drift import pairs_differ
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.plan import BITS, CODES, LAPLACE
from rlm_core.privatiser.refusals import refusals
from rlm_core.privatiser.report_cells import COLUMN, read_cells
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.privatiser.vrlm.reports import split_refusals
from rlm_core.release import Releases
from rlm_core.report import Report
from rlm_core.types import FloatArray

UNREADABLE = "that cannot be read"


@dataclass(frozen=True, kw_only=True, eq=False)
class Received:
    """What was sent, at which ε, and whether it looks like the public rows (None if so)."""

    payload: Payload = field(repr=False)
    epsilon: float
    drift: str | None


def receive(reports: Releases | Iterable[Report | str] | str | Path, method: Method, classes: int) -> Received:
    """Reports of one mechanism at one ε, or an error that says which one is not."""
    if isinstance(reports, Releases):
        check_digest(reports.digest, reports.epsilon, method, classes)
        payload, epsilon = reports.payload, reports.epsilon
    else:
        payload, epsilon = _columns(read_all(reports), method, classes)
    together = method.together(epsilon, classes)
    _check_width(payload, together, method, classes)
    return Received(payload=payload, epsilon=epsilon, drift=_drift(payload, together, method, classes))


def check_digest(digest: str, epsilon: float, method: Method, classes: int) -> None:
    """Raise unless reports of that digest are of record and label by this mechanism."""
    expected = method.sending(epsilon, classes).digest
    if digest == method.digest != expected:
        raise ValueError(
            "Expected reports of record and label by this mechanism, got records alone: no label was sent."
        )
    if digest != expected:
        raise ValueError(f"Expected reports of record and label by this mechanism, {expected[:8]}…, got {digest[:8]}….")


def usable(
    reports: Iterable[Report | str] | str | Path,
    method: Method | SplitMethod,
    classes: int,
    *,
    epsilon: float,
    lam: float | None = None,
) -> tuple[list[Report], dict[str, list[int]]]:
    """The reports at ε that can be learnt from together, and the numbers of all others by the reason why not.

    ``learn`` stops at the first of these, since a collection should know about them; this is the way to go on without.
    ``epsilon``, and ``lam`` of a V-RLM, are what the collection asked for, never what most reports say: a stranger can
    send more reports than all honest people.
    """
    method.sending(epsilon, classes, lam=lam)  # raises for an ε or λ that this mechanism cannot have
    left_out: dict[str, list[int]] = {}
    read: list[tuple[int, Report]] = []
    known: dict[str, Report] = {}
    for at, each in enumerate(_listed(reports)):
        try:
            read.append((at, _parsed(each, at, known)))
        except ValueError:
            left_out.setdefault(UNREADABLE, []).append(at)
    given = [report for _, report in read]
    if isinstance(method, SplitMethod):
        budget = method.budget(epsilon, lam)
        division = budget.epsilon_x, budget.epsilon_y
        refused = split_refusals(given, digest=method.digest, size=method.size, classes=classes, division=division)
    else:
        refused = refusals(given, method, classes, epsilon=epsilon)
    kept = []
    for (at, report), refusal in zip(read, refused, strict=True):
        if refusal is None:
            kept.append(report)
        else:
            left_out.setdefault(refusal.reason, []).append(at)
    return kept, left_out


def read_all(reports: Iterable[Report | str] | str | Path) -> list[Report]:
    """Reports as they are, as JSON texts, or in a file."""
    known: dict[str, Report] = {}
    return [_parsed(each, at, known) for at, each in enumerate(_listed(reports))]


def _listed(reports: Iterable[Report | str] | str | Path) -> Sequence[Report | str]:
    if isinstance(reports, pd.DataFrame | dict) or not isinstance(reports, Iterable | Path):
        raise TypeError(
            "Expected what privatise gave, a list of reports or a file of them, "
            f"got a value of type {type(reports).__name__}."
        )
    return read_reports(reports) if isinstance(reports, str | Path) else list(reports)


def read_reports(path: str | Path) -> list[str]:
    """The reports in a file: a parquet file with a column ``report``, or one JSON text a line."""
    path = Path(path)
    if path.is_dir():
        raise ValueError(f"Expected a file of reports, got the folder {path.name!r}: `rlm learn` reads its parts.")
    data = path.read_bytes()
    if data.startswith(b"PAR1"):
        return read_cells(data, path.name)
    return [line for line in data.decode("utf-8", errors="replace").splitlines() if line.strip()]


def write_reports(releases: Releases, path: str | Path) -> None:
    """One JSON text a report: as a parquet file's column, or, if the name does not end in .parquet, as lines.

    The file is there whole or not at all: half of the reports would look like all of them.
    """
    texts = [report.to_json() for report in releases]
    path = Path(path)
    begun = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        if path.suffix == ".parquet":
            pd.DataFrame({COLUMN: texts}).to_parquet(begun, index=False)
        else:
            begun.write_text("".join(text + "\n" for text in texts), encoding="utf-8")
        begun.replace(path)
    finally:
        begun.unlink(missing_ok=True)


def _parsed(report: Report | str, at: int, known: dict[str, Report]) -> Report:
    """The report of a text; equal texts are one value, as in a small file that repeats a long one."""
    if isinstance(report, Report):
        return report
    try:
        if not isinstance(report, str):
            return Report.from_json(report)
        if report not in known:
            known[report] = Report.from_json(report)
        return known[report]
    except (TypeError, ValueError) as error:
        raise ValueError(f"Report {at} cannot be read: {error}") from None


def _columns(reports: list[Report], method: Method, classes: int) -> tuple[Payload, float]:
    if not reports:
        raise ValueError("Expected at least one report, got none.")
    refused = next(filter(None, refusals(reports, method, classes)), None)
    if refused is not None:
        raise refused.error(len(reports))
    epsilon = reports[0].epsilon
    about = method.plan.kind not in (CODES, LAPLACE)
    coordinates = np.array([report.coordinate for report in reports]) if about else None
    if method.plan.kind == BITS:
        symbols = np.array([report.symbol for report in reports], dtype=np.int64)
        return Payload(symbols=symbols, of=reports[0].of, coordinates=coordinates), epsilon
    if method.plan.kind == LAPLACE:
        return Payload(numbers=np.array([report.numbers for report in reports], dtype=np.float64)), epsilon
    members = np.stack([report.in_set() for report in reports])
    channel = SubsetSelection(epsilon=epsilon, symbols=members.shape[1])
    return Payload(members=members, channel=channel, coordinates=coordinates), epsilon


def _check_width(payload: Payload, together: object, method: Method, classes: int) -> None:
    """Raise unless the payload has the form of this mechanism's reports with a label."""
    d = method.size
    if payload.numbers is not None:
        fits = method.plan.kind == LAPLACE and payload.numbers.shape[1] == d + 1
    elif payload.members is not None:
        width = payload.members.shape[1]
        fits = width == (d * classes if method.plan.kind == CODES else 2 * classes)
        channel = payload.channel
        fits = fits and channel is not None and bool((payload.members.sum(axis=1) == channel.size).all())
    else:
        fits = isinstance(together, JointBits) and payload.of == 2**together.width
    if fits and payload.coordinates is not None:
        fits = bool((payload.coordinates < (d + 1 if isinstance(together, JointBits) else d)).all())
    if not fits:
        raise ValueError(f"Expected reports of record and label, {method.plan.kind} of {d}, got another form.")


def _drift(payload: Payload, together: object, method: Method, classes: int) -> str | None:
    """Averages that need no label, against those of the public rows; a bound where every average has a label in it.

    Of bits the products of two need none either (:func:`~rlm_core.privatiser.drift.pairs_differ`).
    """
    n, m = len(payload), len(method.prior)
    if isinstance(together, PairSelection):
        channel, members = together.channel, payload.members
        assert members is not None
        shares = channel.vector(members).mean(axis=0).reshape(method.size, classes).sum(axis=1)  # (k,)
        expected = method.frequencies / m
        deviation = np.sqrt(channel.energy / method.size / n + expected * (1 - expected) * (1 / n + 1 / m) + 1e-12)
        return honesty.drift(shares, expected, deviation)
    phi = method.prior_features
    if payload.members is not None and payload.coordinates is not None and payload.channel is not None:
        counts = np.maximum(np.bincount(payload.coordinates, minlength=method.size), 1)
        pairs = payload.channel.vector(payload.members).reshape(n, classes, 2).sum(axis=1)  # (n, 2)
        sums = np.bincount(payload.coordinates, weights=pairs[:, 1] - pairs[:, 0], minlength=method.size)
        deviation = np.sqrt((2 * payload.channel.energy + 1) / counts + 1 / m)
        return honesty.drift(sums / counts, phi[:, :-1].mean(axis=0), deviation)
    observed, deviation = _signed(payload, together, method)
    most = np.abs(phi).mean(axis=0)  # |E[φ(2y − 1)]| ≤ E|φ|
    outside: FloatArray = np.sign(observed) * np.minimum(np.abs(observed), most)
    beyond = honesty.drift(observed, outside, deviation + 1 / np.sqrt(m))
    if beyond is None and isinstance(together, JointBits):
        return pairs_differ(np.asarray(payload.coordinates), np.asarray(payload.symbols), together, phi)
    return beyond


def _signed(payload: Payload, together: object, method: Method) -> tuple[FloatArray, FloatArray]:
    """E[φ(2y − 1)] as the reports have it, and its deviation."""
    if isinstance(together, JointBits):
        observed, variance = method.signed(payload, together)
        return observed, np.sqrt(variance)
    numbers = np.asarray(payload.numbers)
    return numbers.mean(axis=0), numbers.std(axis=0) / np.sqrt(len(numbers))
