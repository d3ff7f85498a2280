"""The CIFAR-10 pictures a C-RLM is trained on, and the cached features of their views.

Features are made by ``python -m rlm_core.training.crlm.features`` and lie beside the pictures,
``<cache>/cifar10/mirrored_features/{train,test}-view{v}-{block:03d}.npy``; every view whose blocks
are all there is used.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from rlm_core.data import IMAGE_SETS, load
from rlm_core.training.crlm.features import BLOCK, FOLDER
from rlm_core.training.presets import CRLMPreset
from rlm_core.training.rows import image_split, split_facts

HELD_OUT = 0.05
"""Part of the mechanism's training pictures on which NT-Xent is validated: views of
the test pictures are not cached."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PictureData:
    """What a C-RLM and its decoder see. ``inputs`` is what the encoder takes for a picture.

    ``views`` (n, V, 512) or, for fine-tuning, the pictures themselves: what NT-Xent makes
    pairs of, and ``views_valid`` likewise. ``inputs``/``pictures`` pair every training
    picture with what the encoder takes, ``*_valid`` the same for the mechanism's validation
    pictures; pictures are uint8 (n, 3, 32, 32).
    """

    views: Tensor = field(repr=False)
    views_valid: Tensor = field(repr=False)
    inputs: Tensor = field(repr=False)
    pictures: Tensor = field(repr=False)
    inputs_valid: Tensor = field(repr=False)
    pictures_valid: Tensor = field(repr=False)
    facts: dict[str, Any]


def cifar10_pictures(preset: CRLMPreset, seed: int) -> PictureData:
    """CIFAR-10 as a preset wants it: pictures for fine-tuning, otherwise cached features."""
    dataset = load("cifar10")
    split = image_split(dataset, preset, seed)
    pictures = _channels_first(dataset.select(split, "mechanism_train")[0])
    pictures_valid = _channels_first(dataset.select(split, "mechanism_valid")[0])
    facts = split_facts(dataset.name, dataset.source, split)
    if preset.finetune:
        views, inputs, inputs_valid = pictures, pictures, pictures_valid
    else:
        folder = IMAGE_SETS["cifar10"].folder() / FOLDER
        complete = complete_views(folder, len(dataset.train_x))
        facts["feature_views"] = len(complete)
        views = torch.stack(
            [torch.from_numpy(read_view(folder, "train", v)[split.mechanism_train]) for v in complete], dim=1
        )  # (n, V, 512)
        inputs = views[:, 0].float()
        inputs_valid = torch.from_numpy(read_view(folder, "test", 0)[split.mechanism_valid]).float()
    order = torch.from_numpy(np.random.default_rng(seed).permutation(len(views)))
    held_out = round(HELD_OUT * len(views))
    facts |= {"contrastive_train_rows": len(views) - held_out, "contrastive_valid_rows": held_out}
    return PictureData(
        views=views[order[held_out:]],
        views_valid=views[order[:held_out]],
        inputs=inputs,
        pictures=pictures,
        inputs_valid=inputs_valid,
        pictures_valid=pictures_valid,
        facts=facts,
    )


def complete_views(folder: Path, rows: int) -> list[int]:
    """The numbers of the views for which every training block is there, view 0 first."""
    blocks = -(-rows // BLOCK)
    found: list[int] = []
    while all((folder / f"train-view{len(found)}-{block:03d}.npy").is_file() for block in range(blocks)):
        found.append(len(found))
    if len(found) < 2:
        raise FileNotFoundError(
            f"Expected features of at least 2 complete views in {folder}, got {len(found)}. "
            "Make them with: rlm data features"
        )
    return found


def read_view(folder: Path, part: str, view: int) -> NDArray[np.float16]:
    """The features of one view of all pictures of a part, "train" or "test": (n, 512)."""
    blocks = sorted(folder.glob(f"{part}-view{view}-[0-9][0-9][0-9].npy"))
    if not blocks:
        raise FileNotFoundError(f"Expected files {part}-view{view}-000.npy, ... in {folder}, got none.")
    features: NDArray[np.float16] = np.concatenate([np.load(block) for block in blocks])
    return features


def _channels_first(images: NDArray[np.uint8]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(images.transpose(0, 3, 1, 2)))  # (n, 3, 32, 32)
