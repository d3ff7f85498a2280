"""The rows a mechanism is trained on: from a preset and a seed to tensors in memory.

Only the mechanism's parts of a split are touched here. The split's seed is the run's
seed, so that a benchmark with the same seed gives the classifier the other rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rlm_core.data import (
    Dataset,
    LoanPreprocessor,
    LoanTable,
    Split,
    data_collection,
    join_columns,
    load,
    loan_collection,
    loan_join,
    novel_class,
)
from rlm_core.training.presets import Preset


@dataclass(frozen=True, kw_only=True, eq=False)
class RowData:
    """Rows (n, p) for a V-RLM, and the facts that go into ``run.json``.

    ``numeric``, ``categorical`` and ``preprocessor`` belong to a table; pixels have none.
    """

    train: Tensor = field(repr=False)
    valid: Tensor = field(repr=False)
    facts: dict[str, Any]
    numeric: tuple[int, ...] = ()
    categorical: tuple[tuple[int, int], ...] = ()
    preprocessor: LoanPreprocessor | None = None


def image_split(dataset: Dataset, preset: Preset, seed: int) -> Split:
    """The split of a picture dataset that a preset asks for."""
    if preset.split == "novel_class":
        return novel_class(dataset.train_y, dataset.test_y, seed=seed)
    return data_collection(len(dataset.train_x), len(dataset.test_x), seed=seed, auxiliary_share=preset.share)


def preset_split(dataset: Dataset | LoanTable, preset: Preset, seed: int) -> Split:
    """The split of any dataset that a preset asks for: who trains the mechanism, who the classifier."""
    if not isinstance(dataset, LoanTable):
        return image_split(dataset, preset, seed)
    if preset.split == "data_join":
        return loan_join(dataset.target, dataset.issue_date, seed=seed)
    return loan_collection(dataset.target, dataset.issue_date, seed=seed, auxiliary_share=preset.share)


def mnist_rows(preset: Preset, seed: int) -> RowData:
    """MNIST digits as uint8 rows (n, 784); the loop turns each batch into [0, 1]."""
    dataset = load("mnist")
    split = image_split(dataset, preset, seed)
    return RowData(
        train=_flat(dataset.select(split, "mechanism_train")[0]),
        valid=_flat(dataset.select(split, "mechanism_valid")[0]),
        facts=split_facts(dataset.name, dataset.source, split),
    )


def loan_rows(preset: Preset, seed: int) -> RowData:
    """Lending Club loans as encoded rows (n, p); for the data join their private columns only.

    The preprocessing is fitted on the mechanism's training rows, and those beyond 10 standard
    deviations are left out there, as in the paper; validation rows are all kept.
    """
    table = load("lending_club")
    split = preset_split(table, preset, seed)
    columns = join_columns(table.features).private if preset.split == "data_join" else table.features
    frame = table.select(split, "mechanism_train")[0]
    preprocessor = LoanPreprocessor.fit(frame, columns=columns)
    frame = frame[preprocessor.inliers(frame)]
    valid = table.select(split, "mechanism_valid")[0]
    facts = split_facts(table.name, table.source, split)
    facts |= {"mechanism_train_rows": len(frame), "columns": list(columns), "left_out": table.left_out}
    return RowData(
        train=torch.from_numpy(preprocessor.transform(frame, allow_missing=True, unknown="ignore")),
        valid=torch.from_numpy(preprocessor.transform(valid, allow_missing=True, unknown="ignore")),
        facts=facts,
        numeric=tuple(block.start for block in preprocessor.blocks if block.kind == "number"),
        categorical=tuple((block.start, block.stop) for block in preprocessor.blocks if block.kind == "category"),
        preprocessor=preprocessor,
    )


def unit_interval(pixels: Tensor) -> Tensor:
    """uint8 to [0, 1] in float32; float rows stay as they are."""
    return pixels.float().mul_(1 / 255) if pixels.dtype == torch.uint8 else pixels


def split_facts(name: str, source: str, split: Split) -> dict[str, Any]:
    """What ``run.json`` says about the data."""
    return {
        "dataset": name,
        "source": source,
        "split_seed": split.seed,
        "split_order": split.order,
        "split": split.note,
        "mechanism_train_rows": len(split.mechanism_train),
        "mechanism_valid_rows": len(split.mechanism_valid),
    }


def _flat(images: NDArray[np.uint8]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(images).reshape(len(images), -1))  # (n, p)
