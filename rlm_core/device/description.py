"""What a device must know of a mechanism to release by it: public numbers, and which files hold its weights."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.catalogue import CODES, DATASETS
from rlm_core.digest import mechanism_digest
from rlm_core.zoo import card, names
from rlm_core.zoo.cards import Card, encoder_card, trunk_files, trunk_folder
from rlm_core.zoo.checksums import is_intact
from rlm_core.zoo.code_tree import cut_card

PIXELS = "-pixels"
"""Suffix of the baseline that adds noise to every pixel: "mnist-pixels" is not in the zoo, but the device has it."""

_PICTURES = {"mnist": 784, "cifar10": 3072}


def offered() -> list[str]:
    """All that a device can release by: the zoo, and noise on every pixel of the two picture sets."""
    return [*names(), *(dataset + PIXELS for dataset in _PICTURES)]


def is_cut(name: str) -> bool:
    """Whether a device can release by codes of this name that are cut from finer ones, which are offered."""
    return cut_card(name) is not None


@lru_cache(maxsize=128)
def description(name: str) -> dict[str, Any]:
    """One mechanism for ``static/device/mechanism.js``; its weights are named by their SHA-256.

    >>> about = description("mnist-qrlm-k12")
    >>> about["release"], about["latent_dim"], sorted(about["files"])
    ('codes', 12, ['bundle', 'decoder', 'encoder'])
    """
    if name.removesuffix(PIXELS) in _PICTURES:
        return _pixels(name.removesuffix(PIXELS))
    about = card(name)
    files = {"encoder": encoder_card(about).folder / "encoder.safetensors"}
    files |= {role: about.folder / f"{role}.safetensors" for role in ("decoder", "bundle")}
    result: dict[str, Any] = {
        "name": about.name,
        "digest": about.digest,
        "release": "codes" if about.kind == CODES else "numbers",
        "dataset": about.dataset,
        "classes": list(about.classes),
        "input_dim": about.input_dim,
        "latent_dim": about.latent_dim,
        "decoder": _decoder(about),
    }
    result |= {"merge": about.architecture["merge"]} if about.kind == CODES else {"radius": about.radius}
    if "cut" in about.architecture:  # decoder and bundle are the finest codes'
        result["cut"] = about.architecture["cut"]
    if about.dataset == "cifar10":
        result["trunk"] = {"side": about.architecture["side"], "mirrored": about.architecture["mirrored"]}
        files["trunk"] = trunk_folder(about) / "trunk.safetensors"
    table = about.folder / "preprocessor.json"
    if table.is_file():
        result["preprocessor"] = json.loads(table.read_text(encoding="utf-8"))
    checksums = {role: _checksum(about, role) for role in files}
    return result | {
        "files": {
            role: {"sha256": checksums[role], "bytes": path.stat().st_size, "url": f"weights/{checksums[role]}"}
            for role, path in files.items()
        }
    }


def weights() -> dict[str, Path]:
    """Every file that a description names, by its SHA-256: what its card says, and what it is.

    A card of ``RLM_MODELS`` may come from a stranger, and its files may be links to any other. A mechanism that lacks
    something does not take the others down.
    """
    found: dict[str, Path] = {}
    for name in names():
        try:
            files = _weights(card(name))
        except (KeyError, OSError, ValueError):  # whoever asks for its description is told
            continue
        found |= {checksum: path for checksum, path in files.items() if is_intact(path, checksum)}
    return found


def _weights(about: Card) -> dict[str, Path]:
    files = {_checksum(about, role): about.folder / f"{role}.safetensors" for role in ("decoder", "bundle")}
    files[_checksum(about, "encoder")] = encoder_card(about).folder / "encoder.safetensors"
    if about.dataset == "cifar10":
        files[_checksum(about, "trunk")] = trunk_folder(about) / "trunk.safetensors"
    return files


def _checksum(about: Card, role: str) -> str:
    file = f"{role}.safetensors"
    if role == "trunk":
        return trunk_files(about)[file]
    return (encoder_card(about) if role == "encoder" else about).files[file]


def _decoder(about: Card) -> dict[str, Any]:
    if about.kind == CODES:
        return {"kind": "codes"}
    if about.dataset == "lending_club":
        return {"kind": "table", "categorical": about.architecture["categorical"]}
    return {"kind": "picture" if about.dataset == "cifar10" else "pixels"}


def _pixels(dataset: str) -> dict[str, Any]:
    """Laplace noise on every pixel: nothing is learnt, so there are no files."""
    dimension = _PICTURES[dataset]
    low, high = (0.0,) * dimension, (1.0,) * dimension
    mechanism = PerFeatureLaplace(epsilon=float(dimension), low=low, high=high)
    return {
        "name": mechanism.name,
        "digest": mechanism_digest(mechanism),
        "release": "features",
        "dataset": dataset,
        "classes": list(DATASETS[dataset].classes),
        "input_dim": dimension,
        "latent_dim": dimension,
        "low": list(low),
        "high": list(high),
        "files": {},
    }
