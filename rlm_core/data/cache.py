"""Where datasets live on disk: plain ``.npy`` files, ``<cache>/<name>/<part>_<what>.npy``.

The cache is the folder that ``RLM_DATA_DIR`` names, or the user's cache directory. A file
appears there under its final name only when it is complete (written beside it, then
renamed), and ``source.json`` records where the arrays came from and their checksums.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = dict[str, NDArray[Any]]
ARRAY_NAMES = ("train_images", "train_labels", "test_images", "test_labels")


def user_cache_dir(platform: str = sys.platform) -> Path:
    """The platform's directory for files that can be fetched again."""
    if platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    if platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")


def data_dir() -> Path:
    """The folder of all datasets: ``RLM_DATA_DIR``, else ``rlm-ldp`` in the user's cache directory."""
    named = os.environ.get("RLM_DATA_DIR")
    return Path(named).expanduser() if named else user_cache_dir() / "rlm-ldp"


def array_sha256(array: NDArray[Any]) -> str:
    """SHA-256 of the values in C order (not of the file: ``.npy`` headers may differ).

    >>> array_sha256(np.zeros(2, np.uint8))[:8]
    '96a296d2'
    """
    return hashlib.sha256(np.ascontiguousarray(array).data).hexdigest()


def file_digest(path: Path, algorithm: str) -> str:
    """Checksum of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, algorithm).hexdigest()


def is_stored(folder: Path) -> bool:
    """Whether all four arrays are there."""
    return all((folder / f"{name}.npy").is_file() for name in ARRAY_NAMES)


def stored_bytes(folder: Path) -> int:
    """Size of the arrays that are there."""
    return sum(path.stat().st_size for name in ARRAY_NAMES if (path := folder / f"{name}.npy").is_file())


def read_arrays(folder: Path) -> Arrays:
    """The four arrays, memory-mapped and read-only: pages are read when they are used."""
    return {name: np.load(folder / f"{name}.npy", mmap_mode="r") for name in ARRAY_NAMES}


def wrong_arrays(arrays: Mapping[str, NDArray[Any]], sha256: Mapping[str, str]) -> list[str]:
    """Names of the arrays whose values are not the published ones."""
    return [name for name in sha256 if name not in arrays or array_sha256(arrays[name]) != sha256[name]]


def write_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]], *, source: str) -> None:
    """Store the arrays and ``source.json``, each file complete or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        partial = folder / f".{name}.{os.getpid()}.tmp"
        try:
            with partial.open("wb") as file:
                np.save(file, array, allow_pickle=False)
            partial.replace(folder / f"{name}.npy")
        finally:
            partial.unlink(missing_ok=True)  # only there if writing failed
    facts = {"source": source, "sha256": {name: array_sha256(array) for name, array in arrays.items()}}
    partial = folder / f".source.{os.getpid()}.tmp"
    partial.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    partial.replace(folder / "source.json")


def read_source(folder: Path) -> str:
    """Where the arrays came from, or "unknown"."""
    try:
        return str(json.loads((folder / "source.json").read_text(encoding="utf-8"))["source"])
    except (OSError, ValueError, KeyError):
        return "unknown"
