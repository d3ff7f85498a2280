"""A block's rows as records of a mechanism: own folders and shipped ones, tables and pictures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from rlm_core.bulk.blocks import Block
from rlm_core.mechanism import RLM
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.payload import Together
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.privatiser.labels import label_numbers
from rlm_core.tables.errors import TableError
from rlm_core.tables.files import with_index
from rlm_core.types import FloatArray, IntArray, positive

if TYPE_CHECKING:
    from rlm_core.privatiser import LocalPrivatiser

TABLE_ROWS, PICTURE_ROWS = 8_192, 2_048
"""Rows that are encoded at a time: they decide how much memory an encoder needs, not what is sent."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Source:
    """A mechanism, how a label leaves with it, and how rows of a file become its records."""

    mechanism: RLM
    classes: tuple[str, ...]
    label: str | None
    together: Together | None = None
    response: RandomisedResponse | None = None
    batch_rows: int = TABLE_ROWS
    records: Callable[[Any], FloatArray | NDArray[np.float32]] = field(repr=False)

    def encode(self, block: Block, *, quotes: bool = True) -> tuple[FloatArray, IntArray | None]:
        """h and labels of a block: nothing is drawn, so nothing is spent. NOT private.

        A row that cannot be read is an error with the row from which its number counts. ``quotes`` says whether it may
        say what is in the row: where it travels to machines that see no rows, it names the place and what was expected.
        """
        hidden, labels, done = [], [], block.start
        failure = None
        try:
            for batch in block.batches(self.batch_rows):
                rows, y = self._parts(batch)
                hidden.append(self.mechanism.encode_total(self.records(rows)))
                if y is not None:
                    labels.append(label_numbers(y, self.classes))
                done += len(batch)
        except Exception as error:
            if quotes and not isinstance(error, TypeError | ValueError):
                raise
            said = str(error) if quotes else _without_values(error)
            failure = TableError(f"{said} (block {block.number} of {block.path}, counted from row {done})")
        if failure is not None:  # raised here, it is chained to nothing: what is chained is pickled with it
            raise failure
        return np.concatenate(hidden), np.concatenate(labels) if labels else None

    def _parts(self, batch: Any) -> tuple[Any, Any]:
        """Rows and labels of a batch."""
        if not isinstance(batch, pa.RecordBatch):
            if self.label is not None:
                raise TableError("Expected a parquet file for labels: an npy file has none. Say --no-label.")
            return batch, None
        if self.label is None:
            return batch, None
        names = [name.strip() for name in batch.schema.names]
        if self.label not in names:
            raise TableError(f"Expected the label in {', '.join(names[:20])}, got {self.label!r}.")
        at = names.index(self.label)
        kept = [name for name in batch.schema.names if name != batch.schema.names[at]]
        return batch.select(kept), batch.column(at).to_pandas()


@lru_cache(maxsize=4)
def load_source(model: str, epsilon: float, label: str | None, lam: float | None) -> Source:
    """The source of a model: a folder that ``rlm fit`` wrote, a shipped mechanism's name, or the folder of one.

    Args:
        model: folder or name.
        epsilon: of one report, record and label together.
        label: the column with the labels; None sends records alone.
        lam: λ, the record's share of ε where the label goes by itself (shipped mechanisms of numbers, an own V-RLM).
    """
    positive("epsilon", epsilon)
    if own_card(model) is not None:
        from rlm_core.privatiser import LocalPrivatiser

        return _own(LocalPrivatiser.load(model), epsilon, label, lam)
    return _shipped(model, epsilon, label, lam)


def own_card(model: str) -> dict[str, Any] | None:
    """The card of a folder that ``rlm fit`` wrote, or None: read without loading what the card is of."""
    path = Path(model) / "card.json"
    try:
        card = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    except ValueError:
        card = {}  # whoever loads the folder says what is wrong with it
    return card if isinstance(card, dict) and str(card.get("format")).startswith("rlm-own/") else None


def _own(privatiser: LocalPrivatiser, epsilon: float, label: str | None, lam: float | None) -> Source:
    classes = privatiser.class_names
    if label is not None and not classes:
        raise ValueError("Expected no labels: this mechanism was fitted without classes.")
    privatiser.set_params(epsilon=epsilon)
    divided = privatiser.lam if lam is None else lam
    sending = privatiser.method_.sending(epsilon, None if label is None else len(classes), lam=divided)
    return Source(
        mechanism=sending.mechanism,
        classes=classes,
        label=label,
        together=sending.pairs,
        response=sending.labels,
        records=lambda rows: privatiser.encode_table(_frame(rows) if isinstance(rows, pa.RecordBatch) else rows),
    )


def _shipped(model: str, epsilon: float, label: str | None, lam: float | None) -> Source:
    import torch

    from rlm_core import zoo

    torch.set_num_threads(1)  # blocks run side by side: a second thread costs more than it brings
    loaded = zoo.load(Path(model) if Path(model).is_dir() else model)
    classes, noise = loaded.card.classes, loaded.noise(epsilon)
    together: Together | None = None
    response: RandomisedResponse | None = None
    mechanism = loaded.mechanism(epsilon)
    if label is not None and isinstance(noise, SubsetSelection):
        together = PairSelection(epsilon=epsilon, codes=noise.symbols, classes=len(classes))
    elif label is not None:
        if lam is None:
            raise ValueError(f"Expected --lam, the record's share of epsilon: {model} sends numbers and label apart.")
        budget = Budget(epsilon=epsilon, lam=lam)
        mechanism = loaded.mechanism(budget.epsilon_x)
        response = RandomisedResponse(epsilon=budget.epsilon_y, classes=len(classes))
    preprocessor = loaded.preprocessor
    return Source(
        mechanism=mechanism,
        classes=classes,
        label=label,
        together=together,
        response=response,
        batch_rows=PICTURE_ROWS if preprocessor is None else TABLE_ROWS,
        records=_pictures if preprocessor is None else lambda rows: preprocessor.transform(_frame(rows)),
    )


def _without_values(error: Exception) -> str:
    """What was expected and where, without what was found; of an error that is not ours, its kind alone.

    >>> _without_values(ValueError("Expected a number in row 7, column n, got 'Jane Doe'."))
    'Expected a number in row 7, column n, got something else.'
    """
    expected, got, _ = str(error).partition(", got ")
    if not (expected.startswith("Expected ") and got):
        return f"Expected rows that can be read, got an error ({type(error).__name__})."
    return f"{expected}, got something else."


def _frame(rows: Any) -> pd.DataFrame:
    if not isinstance(rows, pa.RecordBatch):
        raise TableError("Expected a table with named columns, got an array.")
    frame = with_index(rows.to_pandas(use_threads=False))
    return frame.set_axis([str(name).strip() for name in frame.columns], axis=1)


def _pictures(rows: Any) -> FloatArray | NDArray[np.float32]:
    """Pictures (n, …) as rows of numbers in [0, 1]: bytes are divided by 255. In a table, its one column of lists."""
    if isinstance(rows, pa.RecordBatch):
        lists = [name for name in rows.schema.names if pa.types.is_nested(rows.schema.field(name).type)]
        if len(lists) != 1:
            raise TableError(f"Expected one column of lists with the pictures, got {', '.join(lists) or 'none'}.")
        column = rows.column(rows.schema.names.index(lists[0]))
        flat = column.flatten().to_numpy(zero_copy_only=False)
        if not len(column) or flat.size % len(column) or column.null_count:
            raise TableError(f"Expected equally many numbers in every row of {lists[0]!r}.")
        rows = flat.reshape(len(column), -1)
    table: NDArray[Any] = rows.reshape(len(rows), -1)
    return table.astype(np.float32) / np.float32(255) if table.dtype == np.uint8 else table
