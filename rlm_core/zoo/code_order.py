"""The order of merges for codes that were shipped before cards had it (``rlm_core.zoo.code_tree``).

    rlm models tree mnist-qrlm-k96       needs the dataset: which codes two views of a record confuse

No label is used, and nothing that is released changes: the order is not a part of the digest.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from rlm_core.catalogue import CODES
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.codes.code_presets import QRLM_PRESETS
from rlm_core.training.codes.code_rows import code_data
from rlm_core.training.codes.hierarchy import merge_order
from rlm_core.training.codes.train_codes import JOINT_ROWS, joint_of_views
from rlm_core.zoo.cards import Card, encoder_card
from rlm_core.zoo.lookup import card
from rlm_core.zoo.model import load, trained_part


def order_from_views(about: Card) -> list[tuple[int, int]]:
    """The order of merges, measured as after training: on pairs of views of D₁."""
    if about.kind != CODES or encoder_card(about).name != about.name:
        raise ValueError(f"Expected the finest codes of a dataset, got {about.name}.")
    preset = QRLM_PRESETS[about.name.rsplit("-k", 1)[0]]
    pairs, inputs = code_data(preset, about.seed).pairs(preset)
    generator = torch.Generator().manual_seed(about.seed)
    chosen = torch.randperm(len(inputs), generator=generator)[:JOINT_ROWS]
    encoder = trained_part(load(about.name, device="cpu").encoder)
    assert isinstance(encoder, MLPEncoder)
    merge = np.asarray(about.architecture["merge"])
    joint = joint_of_views(encoder, pairs, chosen, generator, len(merge))  # of the encoder's codes
    into = np.eye(about.latent_dim)[merge]  # (fine, k): codes that are merged already stay so
    return merge_order(into.T @ joint @ into)


def write_order(name: str) -> Card:
    """Measure the order of merges of shipped codes and write it on their card."""
    about = card(name)
    order = [list(pair) for pair in order_from_views(about)]
    known = replace(about, architecture=about.architecture | {"order": order})
    (about.folder / "card.json").write_text(known.to_json(), encoding="utf-8")
    return known
