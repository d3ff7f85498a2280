"""Pictures from a folder, a file or an array, with their labels.

A folder is labelled by its folders (``cats/1.png``, ``dogs/7.jpg``), or by a CSV file in it with the columns
``file`` and ``label``; either is named as the label: "folder", or the CSV file's name.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlm_core.tables.errors import TableError
from rlm_core.tables.files import read_table

SUFFIXES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".tif", ".tiff", ".webp", ".pgm", ".ppm")
BY_FOLDER = "folder"
"""The name of the label that is a picture's folder."""

MOST_PIXELS = 50_000_000
MOST_PICTURES = 200_000
SMALLEST_SIDE = 4

Picture = NDArray[Any]
"""(height, width) grey, or (height, width, 3): any real dtype."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Pictures:
    """Some pictures, each decoded when it is asked for; ``names`` are for messages."""

    arrays: Sequence[Picture] | None = field(default=None, repr=False)
    files: tuple[Path, ...] = field(default=(), repr=False)
    folder: Path | None = None

    def __len__(self) -> int:
        return len(self.files) if self.arrays is None else len(self.arrays)

    def __iter__(self) -> Iterator[Picture]:
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Picture:
        picture = _decoded(self.files[index]) if self.arrays is None else np.asarray(self.arrays[index])
        return _checked(picture, self.name(index))

    def name(self, index: int) -> str:
        """A picture's file, or its number."""
        if self.arrays is not None:
            return f"picture {index}"
        file = self.files[index]
        return str(file.relative_to(self.folder)) if self.folder is not None else file.name

    def has_labels(self, which: str | None) -> bool:
        """Whether :meth:`labels` has something to look at: folders in the folder, or the CSV file."""
        if which is None or self.folder is None:
            return False
        if which == BY_FOLDER:
            return all(file.parent != self.folder for file in self.files)
        return (self.folder / which).is_file()

    def labels(self, which: str) -> list[str]:
        """The label of every picture: its folder's name, or as a CSV file in the folder says."""
        if self.folder is None:
            raise TableError(f"Expected a folder of pictures for the label {which!r}, got single pictures.")
        if which == BY_FOLDER:
            flat = [file for file in self.files if file.parent == self.folder]
            if flat:
                raise TableError(f"Expected every picture in a folder that names its label, got {flat[0].name!r}.")
            return [file.relative_to(self.folder).parts[0] for file in self.files]
        table = self.folder / which
        if not table.is_file():
            raise TableError(f"Expected the label 'folder' or the name of a CSV file in the folder, got {which!r}.")
        frame = read_table(table)
        if not {"file", "label"} <= set(frame.columns):
            raise TableError(f"Expected the columns file and label in {which}, got {', '.join(frame.columns[:20])}.")
        known = dict(zip(frame["file"].astype(str), frame["label"], strict=True))
        missing = [self.name(index) for index in range(len(self)) if self.name(index) not in known]
        if missing:
            raise TableError(f"Expected a label for every picture in {which}, got none for {missing[0]!r}.")
        return [known[self.name(index)] for index in range(len(self))]


def are_pictures(source: object) -> bool:
    """Whether a source is pictures, not a table: an array (n, height, width[, 3]), a folder, a picture's file."""
    if isinstance(source, Pictures):
        return True
    if isinstance(source, np.ndarray):
        return source.ndim in (3, 4) and source.dtype.kind in "fiub"
    if not isinstance(source, str | Path):
        return False
    path = Path(source)
    return path.is_dir() or path.suffix.lower() in SUFFIXES


def read_pictures(source: object) -> Pictures:
    """The pictures of a folder (and the folders in it), of a file, or of an array (n, height, width[, channels]).

    Raises:
        TableError: There are none, or too many; or an array has another shape.
    """
    if isinstance(source, Pictures):
        return source
    if isinstance(source, np.ndarray):
        if source.ndim not in (3, 4) or (source.ndim == 4 and source.shape[3] not in (1, 3, 4)):
            raise TableError(f"Expected pictures (n, height, width) or (n, height, width, 3), got {source.shape}.")
        if not len(source):
            raise TableError("Expected at least one picture, got none.")
        if np.ma.is_masked(source):
            raise TableError("Expected pictures with all their pixels, got a masked array with some missing.")
        return Pictures(arrays=list(source))
    path = Path(str(source))
    if path.is_file():
        return Pictures(files=(path,))
    if not path.is_dir():
        raise FileNotFoundError(f"Expected a folder of pictures or a picture, got {path.name!r}, which is not there.")
    files = tuple(sorted(each for each in path.rglob("*") if each.suffix.lower() in SUFFIXES and each.is_file()))
    if not files:
        name = path.resolve().name  # of "." too
        raise TableError(f"Expected pictures ({', '.join(SUFFIXES[:5])}, …) in the folder {name!r}, got none.")
    if len(files) > MOST_PICTURES:
        raise TableError(
            f"Expected at most {MOST_PICTURES:,} pictures, got {len(files):,}. Take a random sample of them."
        )
    return Pictures(files=files, folder=path)


def _decoded(file: Path) -> Picture:
    """A file's pixels: grey as (h, w), colour as (h, w, 3), transparent parts white."""
    from PIL import Image, UnidentifiedImageError

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # its own warning of large pictures: ours is an error
            with Image.open(file) as opened:
                if opened.width * opened.height > MOST_PIXELS:
                    raise TableError(f"Expected at most {MOST_PIXELS:,} pixels in {file.name}, got more.")
                if opened.mode in ("1", "L", "I", "I;16", "F"):
                    return np.asarray(opened if opened.mode != "1" else opened.convert("L"))
                if opened.mode in ("RGBA", "LA", "PA") or "transparency" in opened.info:
                    coloured = opened.convert("RGBA")
                    white = Image.new("RGBA", coloured.size, "white")
                    return np.asarray(Image.alpha_composite(white, coloured).convert("RGB"))
                return np.asarray(opened.convert("RGB"))
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        if isinstance(error, TableError):
            raise
        raise TableError(f"Expected a picture in {file.name}, got a file that cannot be decoded.") from None


def _checked(picture: Picture, name: str) -> Picture:
    """Finite pixels, grey as (h, w), colour as (h, w, 3)."""
    if picture.dtype.kind not in "fiub":
        raise TableError(f"Expected numbers as pixels in {name}, got {picture.dtype}.")
    if picture.ndim == 3 and picture.shape[2] in (1, 4):
        picture = picture[:, :, 0] if picture.shape[2] == 1 else picture[:, :, :3]
    if picture.ndim not in (2, 3) or min(picture.shape[:2]) < SMALLEST_SIDE:
        raise TableError(f"Expected at least {SMALLEST_SIDE} × {SMALLEST_SIDE} pixels in {name}, got {picture.shape}.")
    if not np.isfinite(picture).all():
        raise TableError(f"Expected finite pixels in {name}, got one that is not.")
    return picture
