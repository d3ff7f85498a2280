"""The finest codes of a dataset with the order of their merges: from one shipped mechanism any number of codes is cut.

The order stands on the card, ``architecture["order"]``: 95 pairs (kept, gone) for 96 codes. Codes that were shipped
before cards had it get theirs by

    rlm models tree mnist-qrlm-k96       needs the dataset: which codes two views of a record confuse

No label is used, and nothing that is released changes: the order is not a part of the digest.
"""

from __future__ import annotations

from dataclasses import replace

from rlm_core.training.codes.hierarchy import merged_codes
from rlm_core.types import IntArray
from rlm_core.zoo.cards import Card, card, encoder_card, names
from rlm_core.zoo.model import CODES, load, trained_part


def finest_codes(dataset: str) -> Card:
    """The card of a dataset's finest codes whose merges are known.

    >>> finest_codes("mnist").latent_dim
    96
    """
    found = [about for about in map(card, names(dataset)) if about.kind == CODES and "order" in about.architecture]
    if not found:
        raise ValueError(f"Expected codes with an order of merges for {dataset!r}, got none: see `rlm models tree`.")
    return max(found, key=lambda about: about.latent_dim)


def cut(about: Card, codes: int) -> IntArray:
    """The merged code of every fine code, with ``codes`` left: (fine,)."""
    return merged_codes([(kept, gone) for kept, gone in about.architecture["order"]], codes)


def order_from_views(about: Card) -> list[tuple[int, int]]:
    """The order of merges, measured as after training: on pairs of views of D₁."""
    import torch

    from rlm_core.owner.encoder import MLPEncoder
    from rlm_core.training.codes.code_presets import QRLM_PRESETS
    from rlm_core.training.codes.code_rows import code_data
    from rlm_core.training.codes.hierarchy import merge_order
    from rlm_core.training.codes.train_codes import JOINT_ROWS, joint_of_views

    if about.kind != CODES or encoder_card(about).name != about.name:
        raise ValueError(f"Expected the finest codes of a dataset, got {about.name}.")
    preset = QRLM_PRESETS[about.name.rsplit("-k", 1)[0]]
    pairs, inputs = code_data(preset, about.seed).pairs(preset)
    generator = torch.Generator().manual_seed(about.seed)
    chosen = torch.randperm(len(inputs), generator=generator)[:JOINT_ROWS]
    encoder = trained_part(load(about.name, device="cpu").encoder)
    assert isinstance(encoder, MLPEncoder)
    return merge_order(joint_of_views(encoder, pairs, chosen, generator, about.latent_dim))


def write_order(name: str) -> Card:
    """Measure the order of merges of shipped codes and write it on their card."""
    about = card(name)
    order = [list(pair) for pair in order_from_views(about)]
    known = replace(about, architecture=about.architecture | {"order": order})
    (about.folder / "card.json").write_text(known.to_json(), encoding="utf-8")
    return known
