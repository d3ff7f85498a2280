"""Any number of codes from one shipped mechanism: the finest codes of a dataset, and the order of their merges.

    zoo.card("mnist-qrlm-k23")            no folder of models/: cut from mnist-qrlm-k96, as is zoo.load
    zoo.choose_codes("mnist", 2.0)        'mnist-qrlm-k13', by the rule for ε and the number of reports

The order stands on the card, ``architecture["order"]``: 95 pairs (kept, gone) for 96 codes. A cut has the finest one's
files, and on its card ``cut``, the code that each of the finest codes becomes: the same encoder with another ``merge``,
mean records weighted by the codes' shares in D₁, and the bundle's people with their new codes. Two mechanisms with
the same encoder and merge have the same digest, however they came about.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

from rlm_core.catalogue import CODES
from rlm_core.training.codes.choice import codes_for, fewest_codes
from rlm_core.training.codes.hierarchy import merged_codes
from rlm_core.types import IntArray
from rlm_core.zoo import cards
from rlm_core.zoo.cards import Card

FEWEST = 2
"""One code would say nothing."""


def finest_codes(dataset: str) -> Card:
    """The card of a dataset's finest codes whose merges are known.

    >>> finest_codes("mnist").latent_dim
    96
    """
    found = [about for about in _shipped(dataset) if _is_tree(about)]
    if not found:
        raise ValueError(f"Expected codes with an order of merges for {dataset!r}, got none: see `rlm models tree`.")
    return max(found, key=lambda about: about.latent_dim)


def cut(about: Card, codes: int) -> IntArray:
    """The merged code of every one of a card's codes, with ``codes`` left: (finest,)."""
    return merged_codes([(kept, gone) for kept, gone in about.architecture["order"]], codes)


def cut_card(name: str) -> Card | None:
    """The card of ``<family>-k<N>`` from the finest codes of the family; None if there are none, or not so many.

    >>> about = cut_card("mnist-qrlm-k23")
    >>> about.latent_dim, max(about.architecture["merge"]), about.architecture["encoder_of"]
    (23, 22, 'mnist-qrlm-k96')
    >>> cut_card("mnist-qrlm-k97") is None
    True
    """
    asked = re.fullmatch(r"([A-Za-z0-9][\w.+-]*)-k([1-9][0-9]{0,5})", name, re.ASCII)
    trees = [] if asked is None else [about for about in _family(asked[1]) if _is_tree(about)]
    finest = max(trees, key=lambda about: about.latent_dim, default=None)
    if asked is None or finest is None or not FEWEST <= int(asked[2]) <= finest.latent_dim:
        return None
    return _with_codes(finest, int(asked[2]), name)


def _with_codes(finest: Card, codes: int, name: str) -> Card:
    into, shape = cut(finest, codes), finest.architecture
    measured = dict(finest.metrics)
    by_codes = measured.pop("clean_accuracy_by_codes", {})
    measured.pop("clean_accuracy_percent", None)
    if str(codes) in by_codes:
        measured["clean_accuracy_percent"] = by_codes[str(codes)]
    return replace(
        finest,
        name=name,
        latent_dim=codes,
        architecture={key: value for key, value in shape.items() if key != "order"}
        | {"merge": into[shape["merge"]].tolist(), "cut": into.tolist(), "encoder_of": finest.name},
        metrics=measured,
        bundle={key: [size[0], codes] if key.endswith("_z") else size for key, size in finest.bundle.items()},
        summary=f"Q-RLM for {finest.dataset}: {codes} codes, cut from the {finest.latent_dim} of {finest.name}.",
    )


def code_name(dataset: str, codes: int) -> str:
    """The name of a dataset's mechanism with so many codes.

    >>> code_name("mnist", 12)
    'mnist-qrlm-k12'
    """
    finest = finest_codes(dataset)
    if isinstance(codes, bool) or not isinstance(codes, int) or not FEWEST <= codes <= finest.latent_dim:
        raise ValueError(f"Expected {FEWEST} <= codes <= {finest.latent_dim} of {dataset}, got codes={codes!r}.")
    return f"{_family_of(finest)}-k{codes}"


def choose_codes(dataset: str, epsilon: float, reports: int | None = None) -> str:
    """The mechanism with as many codes as the rule gives for ε and n reports; by default, the bundle's people.

    The rule is that of the experiments (``rlm_core.training.codes.choice.codes_for``): nobody's label is used. Where
    the order of merges is not shipped, it is the shipped number nearest to the rule's, as a ratio.

    >>> [choose_codes("mnist", epsilon) for epsilon in (1.0, 4.0, float("inf"))]
    ['mnist-qrlm-k10', 'mnist-qrlm-k42', 'mnist-qrlm-k96']
    """
    shipped = [about for about in _shipped(dataset) if _collects_codes(about)]
    if not shipped:
        raise ValueError(f"Expected a dataset with codes, got dataset={dataset!r}.")
    finest = max(shipped, key=lambda about: about.latent_dim)
    wanted = codes_for(
        epsilon,
        int(finest.bundle["train_y"][0]) if reports is None else reports,
        contrast=float(finest.preset.get("contrast", 1.0)),
        finest=int(finest.preset["codes"]),
        fewest=fewest_codes(len(finest.classes)),
    )
    if _is_tree(finest):
        return f"{_family_of(finest)}-k{min(wanted, finest.latent_dim)}"
    return min(shipped, key=lambda about: abs(math.log(about.latent_dim / wanted))).name


def _shipped(dataset: str) -> list[Card]:
    return [about for about in map(cards.stored_card, cards.names(dataset)) if about is not None]


def _family_of(about: Card) -> str:
    return about.name.rpartition("-k")[0]


def _family(family: str) -> Iterator[Card]:
    """The cards of ``<family>-k*`` wherever mechanisms are looked for; a damaged one is passed over."""
    for place in cards.places():
        for path in sorted(place.glob(f"{family}-k*/card.json")):
            try:
                about = Card.read(path)
            except (ValueError, OSError):
                continue
            if about.name == path.parent.name and _family_of(about) == family:
                yield about


def _is_tree(about: Card) -> bool:
    return about.kind == CODES and "order" in about.architecture


def _collects_codes(about: Card) -> bool:
    return about.kind == CODES and about.preset.get("split") == "data_collection"
