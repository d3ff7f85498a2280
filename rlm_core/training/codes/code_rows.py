"""The records of every part of a split as a Q-RLM takes them, and the pairs of views of D₁."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from rlm_core.data import (
    IMAGE_SETS,
    Dataset,
    LoanPreprocessor,
    LoanTable,
    Split,
    as_features,
    data_collection,
    join_columns,
    load,
    loan_collection,
    loan_join,
    novel_class,
)
from rlm_core.data.splits import TEST_SET_PARTS, Part
from rlm_core.training.codes.code_presets import QRLMPreset
from rlm_core.training.codes.pairs_of_views import Pairs, corrupted_rows, moved_pictures
from rlm_core.training.crlm.features import FOLDER
from rlm_core.training.crlm.neighbours import nearest_neighbours, neighbouring_views
from rlm_core.training.crlm.picture_source import complete_views, read_view
from rlm_core.types import FloatArray, IntArray

FEATURE_VIEWS = 2  # of CIFAR-10: the picture itself and one augmented view


@dataclass(frozen=True, kw_only=True, eq=False)
class CodeData:
    """A dataset and its split. ``inputs`` are what the encoder takes, ``records`` what a decoder returns."""

    dataset: Dataset | LoanTable = field(repr=False)
    split: Split = field(repr=False)
    preprocessor: LoanPreprocessor | None = field(default=None, repr=False)

    def inputs(self, part: Part) -> Tensor:
        """Pixels in [0, 1], cached features of the trunk, or encoded loans: (n, p) in float32."""
        if self.dataset.name == "cifar10":
            return torch.from_numpy(self._features(part, 0)).float()
        return torch.from_numpy(self.records(part)).float()

    def records(self, part: Part) -> FloatArray:
        """Rows of the mechanism's input: (n, input_dim)."""
        if isinstance(self.dataset, LoanTable):
            assert self.preprocessor is not None
            frame = self.dataset.select(self.split, part)[0]
            return self.preprocessor.transform(frame, allow_missing=True, unknown="ignore").astype(np.float64)
        return as_features(self.dataset.select(self.split, part)[0]).astype(np.float64)

    def labels(self, part: Part) -> IntArray:
        """For the experiments; training never asks."""
        return np.asarray(self.dataset.select(self.split, part)[1]).astype(np.int64)

    def pairs(self, preset: QRLMPreset) -> tuple[Pairs, Tensor]:
        """Views of D₁, and its clean inputs (n, p)."""
        if isinstance(self.dataset, LoanTable):
            assert self.preprocessor is not None
            frame = self.dataset.select(self.split, "mechanism_train")[0]
            kept = torch.from_numpy(self.preprocessor.inliers(frame))  # as for the V-RLM: beyond 10 deviations left out
            table = self.inputs("mechanism_train")[kept]
            blocks = [(block.start, block.stop) for block in self.preprocessor.blocks]
            return corrupted_rows(table, blocks, preset.corruption), table
        if self.dataset.name == "cifar10":
            stored = [torch.from_numpy(self._features("mechanism_train", view)) for view in range(FEATURE_VIEWS)]
            views = torch.stack(stored, dim=1)  # (n, V, 512) in float16
            neighbours = nearest_neighbours(views[:, 0], preset.neighbours)
            return neighbouring_views(views, neighbours), views[:, 0].float()
        images = np.ascontiguousarray(self.dataset.select(self.split, "mechanism_train")[0])
        pixels = torch.from_numpy(images.reshape(len(images), -1))  # (n, 784) in uint8
        generator = torch.Generator().manual_seed(self.split.seed)
        return moved_pictures(pixels, preset.views, generator), pixels.float().div(255)

    def _features(self, part: Part, view: int) -> np.ndarray:
        folder = IMAGE_SETS["cifar10"].folder() / FOLDER
        if view:
            complete_views(folder, len(self.dataset.train_x))  # type: ignore[union-attr]  # raises where one is missing
        side = "test" if part in TEST_SET_PARTS else "train"
        return read_view(folder, side, view)[self.split.rows(part)]


def code_data(preset: QRLMPreset, seed: int) -> CodeData:
    """The dataset of a preset, split for it as for every other mechanism with this seed."""
    dataset = load(preset.dataset)
    if isinstance(dataset, LoanTable):
        deal = loan_join if preset.split == "data_join" else loan_collection
        split = deal(dataset.target, dataset.issue_date, seed=seed)
        columns = join_columns(dataset.features).private if preset.split == "data_join" else dataset.features
        frame = dataset.select(split, "mechanism_train")[0]
        return CodeData(dataset=dataset, split=split, preprocessor=LoanPreprocessor.fit(frame, columns=columns))
    if preset.split == "novel_class":
        split = novel_class(dataset.train_y, dataset.test_y, seed=seed)
    else:
        split = data_collection(len(dataset.train_x), len(dataset.test_x), seed=seed, auxiliary_share=preset.share)
    return CodeData(dataset=dataset, split=split)
