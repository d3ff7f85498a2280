"""What has arrived at the collector in this visit: reports that the browser sent, and nothing else.

The browser is the visitor's: whatever comes is checked here, and what is wrong with it is said. A message has an id of
its own, so that one that is delivered twice counts once.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rlm_core import Budget, Ledger, RandomisedResponse, release
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.catalogue import DATASETS
from rlm_core.device.description import PIXELS, description
from rlm_core.owner.pairs import PairSelection
from rlm_core.types import quote
from rlm_core.zoo.model import CODES
from ui.app import cache
from ui.app.public_demo import refuse_raw_data
from ui.kit.kept import session_value
from ui.record import public_photos
from ui.record.observer import Received, belief, best_record, decoded, read
from ui.record.offer import is_offered

MOST = 200
"""Reports that a visit keeps."""

REHEARSALS = 8
LONGEST_ID = 100
REFUSALS = (ValueError, TypeError, OverflowError)  # the last: an integer above every float


@dataclass
class Inbox:
    """Reports in the order of their arrival; ``last`` is the id of the newest message, ``problem`` what was wrong."""

    reports: list[Received] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    last: str = ""
    problem: str = ""
    ledger: Ledger = field(default_factory=Ledger)
    rehearsed: dict[str, Any] = field(default_factory=dict)
    """The newest answer to a browser that let this server rehearse: the message's id with eight draws, or a problem."""

    @property
    def size(self) -> int:
        """Bytes of all reports that arrived."""
        return sum(each.size for each in self.reports)


def inbox(page: str) -> Inbox:
    """The visit's reports of one page."""
    return session_value(f"inbox_{page}", Inbox)


def receive_report(page: str, datasets: Sequence[str], message: Any) -> None:
    """Take a report that was drawn on the device."""
    _take(page, message, lambda: read(_text(message, "report"), datasets))


def receive_record(page: str, datasets: Sequence[str], message: Any) -> None:
    """Take a record that the visitor chose to send, and release it here by the library's one release function."""
    _take(page, message, lambda: read(_release(inbox(page).ledger, datasets, message), datasets))


def receive_rehearsal(page: str, datasets: Sequence[str], message: Any) -> None:
    """Rehearse a record that the visitor chose to send: eight reports by the one release function, read and forgotten.

    They cost nothing beyond what sending the record has cost already: who has it needs no report.
    """
    if _id(message) is None:
        return
    box = inbox(page)
    try:
        draws = [_drawn(read(_release(Ledger(), datasets, message), datasets)) for _ in range(REHEARSALS)]
        box.rehearsed = {"id": message["id"], "draws": draws}
    except REFUSALS as error:
        box.rehearsed = {"id": message["id"], "problem": str(error)}


def _drawn(each: Received) -> dict[str, Any]:
    """What static/device/rehearsal.js calls a Rehearsal, as far as a page shows it."""
    found, x = belief([each]), decoded(each)
    classes = found.classes.tolist()
    if each.dataset == public_photos.DATASET:
        return {"nearest": public_photos.nearest_photos(each, found, public_photos.NEAREST), "classes": classes}
    best = _short(best_record(each, found))
    return {"decoded": best if x is None else _short(x), "best": best, "classes": classes}


def _short(values: Any) -> list[float]:
    """Four digits are enough for a screen."""
    return [float(f"{value:.4g}") for value in values]


def _take(page: str, message: Any, make: Any) -> None:
    box = inbox(page)
    name = _id(message)
    if name is None:
        return
    if name in box.ids:  # the browser has not heard that it came, and hears it now
        box.last = name
        return
    box.ids.add(name)
    box.last, box.problem = name, ""
    try:
        if len(box.reports) >= MOST:
            raise ValueError(f"This visit has sent {MOST} reports; reload the page to go on.")
        box.reports.append(make())
    except REFUSALS as error:
        box.problem = f"The collector could not read this report. {error}"


def _release(ledger: Ledger, datasets: Sequence[str], message: dict[str, Any]) -> str:
    """The report of a record that travelled, charged to the ledger before it is drawn."""
    refuse_raw_data()
    name, label = _text(message, "mechanism"), message.get("label")
    dataset = next((each for each in datasets if is_offered(name, each)), None)
    if dataset is None:
        raise ValueError(f"Expected a mechanism of this page, got {name[:80]!r}.")
    x, epsilon = np.asarray(message.get("x"), dtype=np.float64), message.get("epsilon")
    if isinstance(epsilon, bool) or not isinstance(epsilon, int | float) or not math.isfinite(epsilon):
        raise ValueError(f"Expected a finite epsilon, got {quote(epsilon)}.")
    if label is not None and (isinstance(label, bool) or not isinstance(label, int)):
        raise ValueError(f"Expected a label by its number, got {quote(label)}.")
    classes = len(DATASETS[dataset].classes)
    lam = message.get("lam")
    budget = None if label is None or lam is None else Budget(epsilon=epsilon, lam=lam)
    epsilon_x = budget.epsilon_x if budget else float(epsilon)
    labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=classes) if budget else None
    pairs, mechanism = None, None
    if name.endswith(PIXELS):
        width = description(name)["input_dim"]  # not x's: a million numbers would cost a million draws
        mechanism = PerFeatureLaplace(epsilon=epsilon_x, low=(0.0,) * width, high=(1.0,) * width)
    else:
        model = cache.model(name)
        mechanism = model.mechanism(epsilon_x)
        if model.card.kind == CODES and label is not None and labels is None:
            pairs = PairSelection(epsilon=epsilon_x, codes=model.card.latent_dim, classes=classes)
    record = hashlib.sha256(x.tobytes()).hexdigest()[:16]
    return release(x, label, mechanism=mechanism, labels=labels, pairs=pairs, ledger=ledger, record=record).to_json()


def _id(message: Any) -> str | None:
    """The name that the browser gave a message; None of what is no message."""
    name = message.get("id") if isinstance(message, dict) else None
    return name if isinstance(name, str) and len(name) <= LONGEST_ID else None


def _text(message: dict[str, Any], name: str) -> str:
    value = message.get(name)
    if not isinstance(value, str):
        raise TypeError(f"Expected text for {name}, got {type(value).__name__}.")
    return value
