"""One file of rows by a shipped mechanism: as the row page takes a CSV file, but on one's own machine."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rlm_core.owner.budget import Ledger
    from rlm_core.release import OnProgress, Releases

OUTCOME = "outcome"
"""The labels' column unless another is named, as on the row page."""


def is_shipped_table(model: str) -> bool:
    """Whether this is the name of a shipped mechanism of loans, not a folder."""
    from rlm_core.zoo import card

    if "/" in model or Path(model).exists():
        return False
    try:
        return card(model).dataset == "lending_club"
    except (OSError, ValueError, KeyError):
        return False


def release_shipped(options: argparse.Namespace, ledger: Ledger, begin: OnProgress, step: OnProgress) -> Releases:
    """Read, check, charge, draw. A row that cannot be read is an error before anything is charged."""
    import pyarrow as pa

    from rlm_core.bulk.source import load_source
    from rlm_core.data.schema import FEATURES
    from rlm_core.privatiser.labels import label_numbers
    from rlm_core.release import release_rows
    from rlm_core.tables import TableError, TableSchema, read_table

    if options.epsilon is None:
        raise ValueError(f"Expected --epsilon for {options.model}.")
    frame = read_table(options.table)
    begin(len(frame))
    label = None if options.no_label else options.label or (OUTCOME if OUTCOME in frame else None)
    if label is None and not options.no_label:
        raise ValueError(f"Expected --label NAME, a column {OUTCOME!r}, or --no-label; got none of them.")
    if label is not None and label not in frame:
        raise TableError(f"Expected the label in {', '.join(frame.columns[:20])}, got {label!r}.")
    source = load_source(options.model, options.epsilon, label, options.lam)
    schema = TableSchema(features=tuple(each for name, each in FEATURES.items() if name in frame), left_out=())
    cells = schema.read(frame)
    for feature in schema.features:
        if feature.is_category:  # a word that is listed counts, also "n/a", which says nothing elsewhere
            given = frame[feature.name].astype(object)
            cells[feature.name] = cells[feature.name].astype(object).where(~given.isin(feature.choices), given)
    rows = pa.RecordBatch.from_pandas(cells, preserve_index=False)
    return release_rows(
        source.records(rows),
        None if label is None else label_numbers(frame[label], source.classes),
        mechanism=source.mechanism,
        pairs=source.together,
        labels=source.response,
        ledger=ledger,
        record=str(options.table),
        progress=step,
    )
