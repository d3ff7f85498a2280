"""Encoders h(x): the part of the mechanism that is learnt and runs on the owner's device.

They return h *unclipped*; ν (``rlm_core.owner.clip``) and the noise follow. Nothing
about privacy rests on an encoder: any function of the record may stand here.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn

from rlm_core.vision import resize


class MLPEncoder(nn.Sequential):
    """Linear layers with ReLU between them: (n, sizes[0]) to h (n, sizes[-1]).

    MNIST uses (784, 400, 150, 50, 8), Lending Club (p, 500, 500, 8): paper, appendix
    "Mechanism Architectures and Transformations".

    >>> [tuple(p.shape) for p in MLPEncoder((784, 400, 8)).parameters()]
    [(400, 784), (400,), (8, 400), (8,)]
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        if len(sizes) < 2 or not all(size > 0 for size in sizes):
            raise ValueError(f"Expected at least two positive layer sizes, got sizes={tuple(sizes)}.")
        layers: list[nn.Module] = []
        for size_in, size_out in pairwise(sizes):
            layers += [nn.Linear(size_in, size_out), nn.ReLU()]
        super().__init__(*layers[:-1])  # the last layer is linear
        self.sizes = tuple(sizes)


class TrunkEncoder(nn.Module):
    """ResNet-18 trunk and an adapter: pictures (n, 3, 32, 32) in [0, 1] to h (n, 32).

    The paper fine-tunes "a pre-trained ResNet-18 model ..., followed by a final hidden
    layer of size 32". With ``frozen=True`` the trunk stays as it was and only the
    adapter, an ``MLPEncoder`` on the 512 features, is trained.

    Args:
        trunk: images (n, 3, side, side), normalised, to features (n, 512).
        adapter: features to h.
        side: the side in pixels to which pictures are enlarged.
        frozen: the trunk's parameters get no gradient.
        mirrored: take the mean of the features of a picture and of its mirror image. A frozen trunk
            tells left from right, which says little about what a picture shows.
    """

    def __init__(
        self, trunk: nn.Module, adapter: nn.Module, *, side: int, frozen: bool = True, mirrored: bool = False
    ) -> None:
        super().__init__()
        self.trunk, self.adapter, self.side, self.mirrored = trunk, adapter, side, mirrored
        trunk.requires_grad_(not frozen)

    def features(self, images: Tensor) -> Tensor:
        """The trunk's 512 numbers for each picture: (n, 512)."""
        if self.mirrored:
            return mirrored_features(self.trunk, images, self.side)
        features: Tensor = self.trunk(resize(images, self.side))
        return features

    def forward(self, images: Tensor) -> Tensor:
        h: Tensor = self.adapter(self.features(images))
        return h


def mirrored_features(trunk: nn.Module, images: Tensor, side: int) -> Tensor:
    """The mean of a trunk's features of pictures (n, 3, 32, 32) and of their mirror images: (n, 512)."""
    enlarged = resize(images, side)
    features: Tensor = (trunk(enlarged) + trunk(enlarged.flip(-1))) / 2
    return features
