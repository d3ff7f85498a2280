"""What should get the same code, said without labels: pairs of views for a network of own data.

    grey pictures        two distorted copies (rotated, sheared, shifted, bent)
    features of photos   a photo and one of its nearest neighbours behind the trunk
    rows of a table      two copies, in each of which some columns come from another row

Each kind has the settings that the Q-RLM has for data of that kind (``training/codes/code_presets.py``), with a number
of epochs that follows from the number of public records: about as many steps for few as for many.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from rlm_core.training.codes.choice import FINE_CODES, fewest_codes

if TYPE_CHECKING:
    import torch

    from rlm_core.training.codes.code_presets import QRLMPreset
    from rlm_core.training.codes.pairs_of_views import Pairs, Shape

FEWEST_TO_LABEL_THEMSELVES = 10_000
"""Public pictures from which on codes label themselves anew: fewer are too few to teach a teacher."""

LARGEST_BATCH, FEWEST_STEPS = 500, 8
"""Records of a batch at most, and batches of an epoch at least."""

MOST_EPOCHS = 200
ROWS_PER_CODE = 10
"""A fine code needs so many public records."""


class Views(Protocol):
    """How a network learns codes of one kind of record."""

    @property
    def picture(self) -> Shape | None:
        """Height and width of grey pictures; None for all else."""

    def preset(self, rows: int, classes: int) -> QRLMPreset:
        """Settings for so many public records."""

    def pairs(self, x: NDArray[np.float32], preset: QRLMPreset, generator: torch.Generator) -> Pairs:
        """Pairs of views of the public records x (n, p)."""


@dataclass(frozen=True, kw_only=True)
class MovedPictures:
    """Grey pictures, pixels in [0, 1]."""

    picture: Shape

    def preset(self, rows: int, classes: int) -> QRLMPreset:
        """As for MNIST; the number of classes is public, so the groups are as many."""
        from rlm_core.training.codes.code_presets import MNIST

        rounds = MNIST.rounds if rows >= FEWEST_TO_LABEL_THEMSELVES else 0
        return _for_rows(replace(MNIST, groups=fewest_codes(classes), rounds=rounds), rows)

    def pairs(self, x: NDArray[np.float32], preset: QRLMPreset, generator: torch.Generator) -> Pairs:
        """Copies are made once, in 8 bits."""
        import torch

        from rlm_core.training.codes.pairs_of_views import moved_pictures

        return moved_pictures(
            torch.from_numpy(np.rint(255 * x).astype(np.uint8)), preset.views, generator, self.picture
        )


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """Features of photos behind the trunk."""

    picture: None = None

    def preset(self, rows: int, classes: int) -> QRLMPreset:
        """As for CIFAR-10."""
        from rlm_core.training.codes.code_presets import CIFAR10

        return _for_rows(replace(CIFAR10, neighbours=max(1, min(CIFAR10.neighbours, rows // 100))), rows)

    def pairs(self, x: NDArray[np.float32], preset: QRLMPreset, generator: torch.Generator) -> Pairs:
        """A photo and one of its nearest neighbours."""
        import torch

        from rlm_core.training.crlm.neighbours import nearest_neighbours, neighbouring_views

        features = torch.from_numpy(x)
        return neighbouring_views(features[:, None], nearest_neighbours(features, preset.neighbours))


@dataclass(frozen=True, kw_only=True)
class CorruptedRows:
    """Rows of a table; ``blocks`` are the (start, stop) of each column in the encoded row."""

    blocks: tuple[tuple[int, int], ...]
    picture: None = None

    def preset(self, rows: int, classes: int) -> QRLMPreset:
        """As for Lending Club."""
        from rlm_core.training.codes.code_presets import LENDING

        return _for_rows(LENDING, rows)

    def pairs(self, x: NDArray[np.float32], preset: QRLMPreset, generator: torch.Generator) -> Pairs:
        """Columns from another row (SCARF)."""
        import torch

        from rlm_core.training.codes.pairs_of_views import corrupted_rows

        return corrupted_rows(torch.from_numpy(x), self.blocks, preset.corruption)


STEPS = {"mnist": 1_800, "cifar10": 900, "lending_club": 400}
"""Steps of the presets on their own data: 20, 12 and 10 epochs over 45,000, 37,500 and 20,294 records."""


def _for_rows(preset: QRLMPreset, rows: int) -> QRLMPreset:
    """The preset with batches, epochs and codes for so many records."""
    batch = max(2, min(LARGEST_BATCH, rows // FEWEST_STEPS))
    epochs = round(STEPS[preset.dataset] / max(1, rows // batch))
    codes = max(2, min(FINE_CODES, rows // ROWS_PER_CODE))
    return replace(preset, batch_size=batch, epochs=min(MOST_EPOCHS, max(4, epochs)), codes=codes)
