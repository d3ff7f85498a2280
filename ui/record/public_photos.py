"""Public photos beside a report about a photo: those of the shipped samples that a collector would find nearest to it.

The decoder's x̃ of a photo is a brown blur; a photo that leads to a similar report says more. None of these is in the
gallery, so none is what a visitor chose there. What the trunk makes of them is shipped, since it takes seconds: the
device and this side put each network's last layers on top of it. ``python -m ui.record.public_photos`` writes it anew.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import cast

import numpy as np
import torch

import rlm_core.data
from rlm_core import zoo
from rlm_core.collector.inference import Posterior
from rlm_core.data.samples import cifar10_samples
from rlm_core.device.description import PIXELS
from rlm_core.owner.encoder import TrunkEncoder
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo.model import CODES, ZooModel
from ui.app import cache
from ui.record.observer import Received

DATASET = "cifar10"
IN_GALLERY = 3
"""Pictures of each class that a visitor can choose."""

NEAREST = 4
"""Photos beside each report, as in static/device/public_photos.js."""

FILE = Path(rlm_core.data.__file__).parent / "samples" / "cifar10_features.npz"


def public_rows() -> IntArray:
    """Which of the samples are public photos: (n,), class by class."""
    labels = cache.samples(DATASET).labels
    return np.concatenate([np.flatnonzero(labels == label)[IN_GALLERY:] for label in np.unique(labels)])


@lru_cache(maxsize=1)
def features() -> FloatArray:
    """The trunk's 512 features of every public photo: (n, 512)."""
    with np.load(FILE, allow_pickle=False) as arrays:
        return np.asarray(arrays["features"], dtype=np.float64)


@lru_cache(maxsize=16)
def representations(name: str) -> FloatArray:
    """What a mechanism's encoder makes of every public photo: (n, d). They are public, so this costs nothing."""
    model = cache.model(name)
    with torch.inference_mode():
        h = model.encoder.adapter(torch.from_numpy(features()).float().to(model.device))
    return np.asarray(h.cpu().double().numpy())


def nearest_photos(each: Received, found: Posterior, count: int) -> list[int]:
    """Which public photos would most likely lead to such a report, by the picture's part of it alone.

    Numbers: the least ‖z̃ − z‖₁. Codes: those whose code the collector believes most. Pixels: the least ‖x̃ − x‖₁.
    """
    rows = public_rows()
    if each.mechanism.endswith(PIXELS):
        pictures = cache.samples(DATASET).images[rows].reshape(len(rows), -1) / 255.0
        distances = np.abs(pictures - np.asarray(each.report.numbers)).sum(axis=1)
    else:
        model, h = cache.model(each.mechanism), representations(each.mechanism)
        if model.card.kind == CODES:
            distances = -(found.records @ model.bundle.prior_z)[h.argmax(axis=1)]
        else:
            z = model.noise(each.report.epsilon_x).clip(h)
            distances = np.abs(z - model.vector(each.report)).sum(axis=1)
    return [int(photo) for photo in np.argsort(distances, kind="stable")[:count]]


def compute(model: ZooModel, rows: IntArray) -> FloatArray:
    """The features of these samples, by the trunk."""
    pictures = torch.from_numpy(cifar10_samples().images[rows] / 255.0).float().permute(0, 3, 1, 2)  # (n, 3, 32, 32)
    encoder = cast(TrunkEncoder, model.encoder)
    with torch.inference_mode():
        return np.asarray(encoder.features(pictures.to(model.device)).cpu().double().numpy())


if __name__ == "__main__":
    chosen = public_rows()
    found = compute(zoo.load(zoo.choose(DATASET, 4.0)), chosen)
    np.savez_compressed(FILE, features=found.astype(np.float16), rows=chosen)
    print(f"{FILE.name}: {found.shape[0]} photos, {FILE.stat().st_size / 1000:.0f} kB")
