"""Two random views of every example of a batch, for NT-Xent.

``cached_views`` picks among features computed beforehand (``features.py``);
``augmented_views`` makes new SimCLR views of pictures on the device, a whole batch at a
time and from one generator, for fine-tuning on a GPU.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor
from torch.nn import functional

from rlm_core.training.crlm.nt_xent import Views

AREA = (0.2, 1.0)  # of the crop, as in features.py
RATIO = (3 / 4, 4 / 3)
_TO_YIQ = torch.tensor([[0.299, 0.587, 0.114], [0.5959, -0.2746, -0.3213], [0.2115, -0.5227, 0.3112]])
_FROM_YIQ = torch.linalg.inv(_TO_YIQ)
JITTER, HUE = 0.4, 0.1  # brightness, contrast and saturation; hue in turns


def cached_views(batch: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Two different ones of the V stored views of every row: (n, V, p) to two of (n, p), float32."""
    n, count = batch.shape[:2]
    if count < 2:
        raise ValueError(f"Expected at least 2 stored views, got {count}.")
    first = torch.randint(count, (n,), generator=generator, device=batch.device)
    step = torch.randint(1, count, (n,), generator=generator, device=batch.device)
    rows = torch.arange(n, device=batch.device)
    return batch[rows, first].float(), batch[rows, (first + step) % count].float()


def augmented_views(side: int) -> Views:
    """SimCLR views of pictures (n, 3, 32, 32) in [0, 1], enlarged to ``side``.

    Crop-resize, flip (1/2), colour jitter (0.8), grayscale (0.2): paper, appendix "Mechanism
    Architectures and Transformations". Jitter acts before the crop, where there are fewest
    pixels; crops are enlarged bilinearly.
    """

    def views(images: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        first, second = (
            random_crop(random_gray(random_jitter(images, generator), generator), side, generator) for _ in range(2)
        )
        return first, second

    return views


def random_crop(images: Tensor, side: int, generator: torch.Generator) -> Tensor:
    """A random part of each picture, perhaps mirrored, enlarged: (n, 3, side, side)."""
    n = len(images)
    area = _uniform(n, *AREA, images, generator)
    ratio = torch.exp(_uniform(n, math.log(RATIO[0]), math.log(RATIO[1]), images, generator))
    width = (area * ratio).sqrt().clamp_max(1.0)  # in units of the picture's side
    height = (area / ratio).sqrt().clamp_max(1.0)
    # Centres in grid_sample's coordinates, -1..1, so that the crop stays inside the picture.
    x = _uniform(n, -1, 1, images, generator) * (1 - width)
    y = _uniform(n, -1, 1, images, generator) * (1 - height)
    mirror = _coin(n, 0.5, images, generator) * -2 + 1  # -1 or 1
    zero = torch.zeros_like(x)
    theta = torch.stack([width * mirror, zero, x, zero, height, y], dim=1).view(n, 2, 3)
    grid = functional.affine_grid(theta, [n, 3, side, side], align_corners=False)
    edge = 1 - 1 / images.shape[-1]  # centre of the outermost pixels: the border repeats, on every device
    return functional.grid_sample(images, grid.clamp(-edge, edge), align_corners=False)


def random_jitter(images: Tensor, generator: torch.Generator) -> Tensor:
    """Brightness, contrast, saturation and hue of each picture moved at random, with probability 0.8.

    The hue is turned in the YIQ plane, not in HSV as torchvision does: the same idea, but one
    matrix per picture.
    """
    n = len(images)

    def factor() -> Tensor:
        return _uniform(n, 1 - JITTER, 1 + JITTER, images, generator).view(n, 1, 1, 1)

    changed = images * factor()  # brightness
    changed = changed.clamp(0, 1)
    mean = _luma(changed).mean(dim=(2, 3), keepdim=True)
    changed = (mean + (changed - mean) * factor()).clamp(0, 1)  # contrast
    luma = _luma(changed)
    changed = (luma + (changed - luma) * factor()).clamp(0, 1)  # saturation
    angle = _uniform(n, -HUE, HUE, images, generator) * 2 * math.pi
    changed = _turn_hue(changed, angle).clamp(0, 1)
    chosen = _coin(n, 0.8, images, generator).view(n, 1, 1, 1)
    return torch.where(chosen > 0, changed, images)


def random_gray(images: Tensor, generator: torch.Generator) -> Tensor:
    """Each picture in gray with probability 0.2."""
    chosen = _coin(len(images), 0.2, images, generator).view(-1, 1, 1, 1)
    return torch.where(chosen > 0, _luma(images), images)


def _luma(images: Tensor) -> Tensor:
    weights = images.new_tensor([0.299, 0.587, 0.114]).view(1, 3, 1, 1)  # ITU-R BT.601, as torchvision
    return (images * weights).sum(1, keepdim=True)  # (n, 1, h, w)


def _turn_hue(images: Tensor, angle: Tensor) -> Tensor:
    cos, sin, zero, one = angle.cos(), angle.sin(), torch.zeros_like(angle), torch.ones_like(angle)
    turn = torch.stack([one, zero, zero, zero, cos, -sin, zero, sin, cos], dim=1).view(-1, 3, 3)  # (n, 3, 3)
    matrix = _FROM_YIQ.to(images) @ turn @ _TO_YIQ.to(images)  # (n, 3, 3)
    return torch.einsum("nij,njhw->nihw", matrix, images)


def _uniform(n: int, low: float, high: float, like: Tensor, generator: torch.Generator) -> Tensor:
    return low + (high - low) * torch.rand(n, generator=generator, device=like.device, dtype=like.dtype)


def _coin(n: int, probability: float, like: Tensor, generator: torch.Generator) -> Tensor:
    return (torch.rand(n, generator=generator, device=like.device) < probability).to(like.dtype)
