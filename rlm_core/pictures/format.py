"""From a picture to numbers: pixels of one size in [0, 1], or the features of a frozen ResNet-18."""

from __future__ import annotations

import json
import warnings
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rlm_core.pictures.files import Picture, Pictures
from rlm_core.tables.errors import TableError

FORMAT = "rlm-pictures/1"
LARGEST_SIDE = 32
"""Grey pictures are reduced to so many pixels a side: an own encoder looks at every pixel."""

TRUNK_SIDE, FEATURES = 160, 512
LOOKED_AT = 1_000
"""Public pictures that tell size and white."""

OTHER_SCALE = 16.0
"""A full pixel that is so many times smaller or larger than the public ones' is of another scale: 1 beside 255."""


@dataclass(frozen=True, kw_only=True)
class PictureFormat:
    """How every picture is read, decided from public ones.

    Args:
        height, width: of the pixels that an encoder sees.
        white: the value of a full pixel; what lies above it, or below 0, is cut: nobody is refused for their pixels.
        colour: whether pictures go through the trunk in colour; grey ones are pixels.
    """

    height: int
    width: int
    white: float
    colour: bool

    def __post_init__(self) -> None:
        if not (0 < self.height <= 4096 and 0 < self.width <= 4096 and self.white > 0):
            raise TableError(f"Expected a size of 1 to 4096 pixels and white > 0, got {self}.")

    @classmethod
    def infer(cls, public: Pictures) -> PictureFormat:
        """From (at most 1,000 of the) public pictures: one colour picture among them makes it colour.

        >>> PictureFormat.infer(Pictures(arrays=np.full((2, 28, 28), 9, np.uint8)))
        PictureFormat(height=28, width=28, white=255.0, colour=False)
        """
        step = max(1, len(public) // LOOKED_AT)
        some = [public[index] for index in range(0, len(public), step)]
        _check_black(some)
        colour = any(_is_colour(each) for each in some)
        if colour:
            return cls(height=TRUNK_SIDE, width=TRUNK_SIDE, white=_white(some), colour=True)
        sizes = {each.shape[:2] for each in some}
        largest = (max(height for height, _ in sizes), max(width for _, width in sizes))
        height, width = (min(LARGEST_SIDE, side) for side in largest)
        if len(sizes) > 1:  # pictures of many shapes: a square
            height = width = min(LARGEST_SIDE, max(largest))
        return cls(height=int(height), width=int(width), white=_white(some), colour=False)

    @property
    def output_dim(self) -> int:
        """p."""
        return FEATURES if self.colour else self.height * self.width

    def matrix(self, pictures: Pictures) -> NDArray[np.float32]:
        """Each picture by itself as a row: (n, p).

        Pixels of another type than the public ones are refused if the type says that their scale is another one. What a
        type leaves open (0 to 1, or to 255) is read on the public scale, and warned of if all pictures look wrong.
        """
        result = np.empty((len(pictures), self.output_dim), dtype=np.float32)
        tops = []  # of types that leave the scale open
        for index in range(len(pictures)):
            picture = pictures[index]
            self._check_type(picture, pictures.name(index))
            if _full(picture.dtype) is None:
                tops.append(float(picture.max()))
            # In one order of memory, whatever the picture's own: a sum over colours is rounded by it.
            unit = np.clip(picture.astype(np.float32, order="C") / np.float32(self.white), 0.0, 1.0)
            result[index] = self._features(unit) if self.colour else self._pixels(unit)
        self._warn_of_scale(tops)
        return result

    def _warn_of_scale(self, tops: list[float]) -> None:
        """Say so if the brightest pixels of all pictures look like another scale."""
        dark = self.white >= OTHER_SCALE and bool(tops) and 0 < max(tops) <= 1
        bright = bool(tops) and min(tops) >= OTHER_SCALE * self.white
        if dark or bright:
            warnings.warn(
                f"Pixels were read from 0 to {self.white:g}, as the public pictures have them, and all of these are "
                f"{'white' if bright else 'black'} on that scale. If theirs is another, bring them to the same.",
                stacklevel=3,
            )

    def _check_type(self, picture: Picture, name: str) -> None:
        """Raise for a type whose full pixel is of another scale than the public ones'; its pixels are not looked at."""
        full = _full(picture.dtype)
        if full is not None and not self.white / OTHER_SCALE < full < self.white * OTHER_SCALE:
            raise TableError(
                f"Expected pixels from 0 to {self.white:g} in {name}, as the public pictures have, "
                f"got {picture.dtype}, which goes to {full:g}. Bring them to the same scale."
            )

    def _pixels(self, unit: NDArray[np.float32]) -> NDArray[np.float32]:
        """Grey, of the size."""
        grey = unit if unit.ndim == 2 else unit @ np.array([0.299, 0.587, 0.114], dtype=np.float32)
        if grey.shape == (self.height, self.width):
            return grey.ravel()
        from PIL import Image

        resized = Image.fromarray(grey, mode=None).resize((self.width, self.height), Image.Resampling.BOX)
        return np.clip(np.asarray(resized, dtype=np.float32), 0.0, 1.0).ravel()

    def _features(self, unit: NDArray[np.float32]) -> NDArray[np.float32]:
        """512 numbers of the frozen trunk, the mean over the picture and its mirror image."""
        import torch

        from rlm_core.owner.encoder import mirrored_features

        colours = np.repeat(unit[:, :, None], 3, axis=2) if unit.ndim == 2 else unit
        image = torch.from_numpy(np.ascontiguousarray(colours.transpose(2, 0, 1)))[None]  # (1, 3, h, w)
        with torch.inference_mode():
            found: NDArray[np.float32] = mirrored_features(_trunk(), image, TRUNK_SIDE)[0].numpy()
        return found

    def to_json(self) -> str:
        """Readable JSON."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> PictureFormat:
        """What :meth:`to_json` wrote."""
        try:
            data: Any = json.loads(text)
            if data.pop("format") != FORMAT:
                raise ValueError("another format")
            return cls(**data)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise TableError(f"Expected the JSON of pictures of format {FORMAT!r}, got {error!r}.") from None


@lru_cache(maxsize=1)
def _trunk() -> Any:
    from rlm_core.training.crlm.features import TRUNK_WEIGHTS
    from rlm_core.vision import resnet18_trunk

    return resnet18_trunk(TRUNK_WEIGHTS)


def _is_colour(picture: Picture) -> bool:
    return picture.ndim == 3 and bool((picture != picture[:, :, :1]).any())


def _full(dtype: np.dtype[Any]) -> float | None:
    """What a full pixel is, where the type says so: 1 for truth values, 255 for bytes, 65,535 for words."""
    if dtype.kind == "b":
        return 1.0
    return float(np.iinfo(dtype).max) if dtype.kind == "u" and dtype.itemsize <= 2 else None


def _white(pictures: list[Picture]) -> float:
    """As the type says; for other numbers 1, or the largest if that is more."""
    return _full(pictures[0].dtype) or max(1.0, max(float(each.max()) for each in pictures))


def _check_black(public: list[Picture]) -> None:
    """Raise for pixels below 0, as standardised ones are: all of them would be black."""
    lowest = min(float(each.min()) for each in public)
    if lowest < 0:
        raise TableError(
            f"Expected pixels from 0 (black) to 1, or to 255, got {lowest:g}. Pictures that were standardised must go "
            "back to that scale."
        )
