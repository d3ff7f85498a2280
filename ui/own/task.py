"""Fit and rehearse, with somebody watching: the one function that the worker process of this page runs.

First the mechanism, which takes seconds; then what would be learnt with it, coarse and quick, then with every
mechanism, then on the whole grid. Each answer is published as soon as it is there, so a visitor who stops keeps what
came so far. No Streamlit here.
"""

from __future__ import annotations

import json
import tempfile
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rlm_core import LocalPrivatiser
from rlm_core.privatiser import UtilityWarning
from rlm_core.privatiser.advice import EPSILONS, Advice, advise
from rlm_core.privatiser.advice_page import page
from rlm_core.privatiser.compare import RULE
from rlm_core.privatiser.compare_baselines import LABEL_ALONE
from rlm_core.privatiser.labels import label_numbers, label_texts, rows_of_classes
from rlm_core.privatiser.own_mechanism import encoder_file, own_description, own_page
from rlm_core.tables import TableSchema
from rlm_core.types import FloatArray, IntArray
from ui.app.worker_loop import Stopped
from ui.own.label_check import check_label

COARSE = (0.5, 1.0, 2.0, 4.0, 8.0)
STAGES: tuple[tuple[str, dict[str, Any], float], ...] = (
    ("A first curve", {"epsilons": COARSE, "mechanisms": (RULE, LABEL_ALONE), "splits": 1, "draws": 3}, 0.1),
    ("Every mechanism", {"epsilons": COARSE, "splits": 1, "draws": 3}, 0.45),
    ("All budgets", {"epsilons": EPSILONS, "splits": 2, "draws": 5}, 1.0),
)
"""What is simulated, one after the other, and the share of the bar after it."""

MANY_CLASSES = 20
"""From here on a collection takes seconds: then there is a curve of one collection and the rule alone before all."""

QUICK = ("A first curve", {"epsilons": COARSE, "mechanisms": (RULE,), "splits": 1, "draws": 1}, 0.05)

LAST_STAGE_WITHIN = 25.0
"""Seconds of processor time: the last stage costs four times what came before, and two minutes are enough."""

WITHIN = 90.0
"""Seconds after which nothing more is simulated: what there is by then is the answer."""

ANY_WISH = 0.8
"""What is simulated does not depend on the accuracy that is wished for: the page asks for its visitor's."""

PRIOR_ROWS = 600
"""Public rows that the page's collector compares a report with."""

EXAMPLE_ROWS = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What to train on, and for which collection."""

    name: str
    frame: pd.DataFrame = field(repr=False)
    digest: str = field(default="", repr=False)
    label: str
    schema: str = field(repr=False)
    epsilon: float
    people: int
    kind: str = "auto"
    """Of report: the rule's choice, or one that was asked for."""
    advice: Advice | None = field(default=None, repr=False)
    """What was simulated before, for the same people: then only the mechanism is fitted."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """How far it is, and what is being done."""

    share: float
    words: str


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """The mechanism: its folder's files, what a browser needs, and what the page shows of it."""

    files: dict[str, bytes] = field(repr=False)
    description: dict[str, Any] = field(repr=False)
    encoder: bytes = field(repr=False)
    examples: list[dict[str, Any]] = field(repr=False)
    prior_h: FloatArray = field(repr=False)
    prior_y: IntArray = field(repr=False)
    privatiser: LocalPrivatiser = field(repr=False)
    warnings: tuple[str, ...]
    unlabelled: int = 0
    """Public rows that were left out, since they have no label."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """The table cannot be used; the message says why, for the visitor."""

    message: str


class TimeIsUp(Exception):
    """The visitor has waited long enough."""


Event = Step | Fitted | Advice | Problem
Publish = Callable[[Event], None]
IsStopped = Callable[[], bool]


def train(task: Task, publish: Publish, is_stopped: IsStopped = lambda: False) -> str | Problem:
    """Publish a :class:`Fitted`, then better and better :class:`Advice`; "done" at the end, or when time is up.

    Raises:
        Stopped: the visitor stopped; what was published stays.
    """
    start, began = time.process_time(), time.monotonic()

    def check() -> None:
        if is_stopped():
            raise Stopped
        if time.monotonic() - began > WITHIN:
            raise TimeIsUp

    try:
        publish(Step(share=0.02, words="Fitting the mechanism"))
        frame = task.frame[_labelled(task.frame, task.label)].reset_index(drop=True)
        classes = rows_of_classes(frame[task.label])
        check_label(classes)
        schema = TableSchema.from_json(task.schema)
        publish(fit(task, frame, schema))
        if task.advice is not None:
            publish(task.advice)
            return "done"
        before = 0.02
        for words, settings, after in (QUICK, *STAGES) if len(classes) > MANY_CLASSES else STAGES:
            if settings["epsilons"] is EPSILONS and time.process_time() - start > LAST_STAGE_WITHIN:
                break

            def step(done: int, total: int, words: str = words, low: float = before, high: float = after) -> None:
                check()
                publish(Step(share=low + (high - low) * done / total, words=words))

            check()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a fit of a small table may not converge; its accuracy says so
                publish(
                    advise(
                        frame,
                        task.label,
                        people=task.people,
                        accuracy=ANY_WISH,
                        schema=schema,
                        progress=step,
                        **settings,
                    )
                )
            before = after
    except TimeIsUp:
        return "done"
    except ValueError as error:  # a TableError is one
        if not str(error).startswith("Expected"):  # not one of ours: the log gets it, the visitor an apology
            raise
        return Problem(message=str(error))
    except MemoryError:
        return Problem(message="Expected a table that fits the memory for one training, got a larger one.")
    return "done"


def fit(task: Task, frame: pd.DataFrame, schema: TableSchema) -> Fitted:
    """The mechanism, and everything that follows from it."""
    privatiser = LocalPrivatiser(epsilon=task.epsilon, reports=task.people, schema=schema, kind=task.kind)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        privatiser.fit(frame, task.label)
    said = tuple(str(each.message) for each in caught if issubclass(each.category, UtilityWarning))
    with tempfile.TemporaryDirectory() as folder:
        saved = privatiser.save(Path(folder) / "mine")
        files = {path.name: path.read_bytes() for path in sorted(saved.iterdir())}
    files["owner.html"] = own_page(privatiser).html.encode()
    chosen = np.sort(np.random.default_rng(0).permutation(len(frame))[:PRIOR_ROWS])
    rows = frame.iloc[chosen]
    tidy = schema.read(rows)
    return Fitted(
        files=files,
        description=own_description(privatiser),
        encoder=encoder_file(privatiser),
        examples=_examples(tidy, rows[task.label]),
        prior_h=privatiser.method_.encoder(privatiser._matrix(tidy)),
        prior_y=label_numbers(rows[task.label], privatiser.class_names),
        privatiser=privatiser,
        unlabelled=len(task.frame) - len(frame),
        warnings=said,
    )


def report_page(advice: Advice) -> bytes:
    """The advice as a file for the kit."""
    return page(advice).encode()


def _labelled(frame: pd.DataFrame, label: str) -> list[bool]:
    return [each is not None for each in label_texts(frame[label])]


def _examples(tidy: pd.DataFrame, labels: pd.Series) -> list[dict[str, Any]]:
    """A few public rows to start the form with, of different labels where there are."""
    texts = label_texts(labels)
    order = sorted(range(len(texts)), key=lambda at: texts[:at].count(texts[at]))[:EXAMPLE_ROWS]
    rows: list[dict[str, Any]] = json.loads(tidy.iloc[order].to_json(orient="records"))
    return [{"row": row, "label": texts[at]} for row, at in zip(rows, order, strict=True)]
