"""The files of a mechanism, compared with the SHA-256 that its card has of each."""

from __future__ import annotations

import hashlib
from pathlib import Path


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
