"""What the numbers of a record are: decides the likelihood of its decoder, and whose settings fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from rlm_core.pictures.format import PictureFormat
from rlm_core.tables.preprocessor import Block


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Pixels in [0, 1] (Bernoulli); or numbers (Gaussian), and categories (softmax) by their (start, stop)."""

    pixels: bool = False
    numeric: tuple[int, ...] = ()
    categorical: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of_blocks(cls, blocks: Iterable[Block]) -> Columns:
        """Of a preprocessor's blocks."""
        given = list(blocks)
        return cls(
            numeric=tuple(each.start for each in given if each.kind == "number"),
            categorical=tuple((each.start, each.stop) for each in given if each.kind == "category"),
        )

    @classmethod
    def of_pictures(cls, form: PictureFormat) -> Columns:
        """Grey pictures are pixels; behind the trunk a picture is so many numbers."""
        return cls(numeric=tuple(range(form.output_dim))) if form.colour else cls(pixels=True)

    @property
    def settings_of(self) -> Literal["mnist", "lending_club"]:
        """The data set of the paper whose settings are taken: of pictures, or of a table."""
        return "mnist" if self.pixels else "lending_club"
