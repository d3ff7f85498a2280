"""The files of a mechanism, compared with the SHA-256 that its card has of each."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from rlm_core.types import quote


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_intact(path: Path, expected: str) -> bool:
    """Whether it is a file with this SHA-256; it is read again when it has changed, not each time."""
    if not path.is_file():
        return False
    about = path.stat()
    return _sha256_then(path, about.st_mtime_ns, about.st_size, about.st_ino) == expected


@lru_cache(maxsize=1024)
def _sha256_then(path: Path, written: int, size: int, number: int) -> str:
    return sha256(path)


def check_inside(folder: Path, name: str) -> None:
    """Raise unless there is a file of that name in the folder itself: a link may lead to anything that we can read.

    The folder may be a link: whoever keeps the folders put it there, not who wrote what is in it.
    """
    path = folder / name
    if Path(name).name != name or path.is_symlink() or (path.exists() and not path.is_file()):
        raise ValueError(f"Expected a file in {folder.name!r} itself, got {quote(name)}, a link or something else.")


def verify(folder: Path, files: dict[str, str], *, remedy: str = "") -> None:
    """Compare every file with its checksum; raise with the name of the first that differs, and what to do."""
    for name, expected in files.items():
        path = folder / name
        if not path.is_file():
            raise FileNotFoundError(f"Expected the file {name} of the model {folder.name}; it is missing.")
        found = sha256(path)
        if found != expected:
            raise ValueError(
                f"The file {name} of the model {folder.name} is damaged: expected SHA-256 {expected[:12]}…, "
                f"got {found[:12]}…. {remedy or f'Restore it (git checkout models/{folder.name}) or train it again'}."
            )
