"""Pairs of views: what should get the same code, said without labels.

A ``Pairs`` function takes row numbers and a generator and returns two inputs for each row, on the generator's
device. What it chooses from stays where it is stored: only the rows of a batch travel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

Pairs = Callable[[Tensor, torch.Generator], tuple[Tensor, Tensor]]

Shape = tuple[int, int]
"""Height and width of a grey picture."""

DIGIT: Shape = (28, 28)
ROTATION = 0.35  # radians
SHEAR = 0.35
LOG_ZOOM = 0.22
SHIFT = 0.2  # of half a side
ELASTIC = 0.06  # standard deviation of the displacement at 5 x 5 nodes, of half a side
BLOCK = 2_000


def moved_pictures(pixels: Tensor, count: int, generator: torch.Generator, shape: Shape = DIGIT) -> Pairs:
    """Grey pictures (n, height·width) in uint8: both views are distorted copies, two of ``count`` made here.

    Making them once instead of for every pair takes a third of the time of training.
    """
    if not count > 1:
        raise ValueError(f"Expected count > 1, got count={count}.")
    copies = torch.empty(len(pixels), count, pixels.shape[1], dtype=torch.uint8)
    for rows in torch.split(torch.arange(len(pixels)), BLOCK):
        pictures = pixels[rows].float().view(-1, 1, *shape)
        for copy in range(count):
            copies[rows, copy] = distorted(pictures, generator).flatten(1).round().to(torch.uint8)

    def pairs(rows: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        where, shape = generator.device, (len(rows),)
        first = torch.randint(count, shape, generator=generator, device=where)
        second = (first + torch.randint(1, count, shape, generator=generator, device=where)) % count  # another one

        def view(number: Tensor) -> Tensor:
            return copies[rows.cpu(), number.cpu()].to(where).float().div_(255)  # uint8 travels, not float32

        return view(first), view(second)

    return pairs


def distorted(pictures: Tensor, generator: torch.Generator) -> Tensor:
    """Random rotation, shear, zoom, shift and a smooth elastic displacement: (n, 1, height, width) to the same."""
    n, _, height, width = pictures.shape

    def uniform(*shape: int) -> Tensor:
        return torch.rand(n, *shape, generator=generator) * 2 - 1

    angle, zoom = uniform() * ROTATION, torch.exp(uniform(2) * LOG_ZOOM)
    shear, shift = uniform() * SHEAR, uniform(2, 1) * SHIFT
    rotation = torch.stack([angle.cos(), -angle.sin(), angle.sin(), angle.cos()], dim=1).view(n, 2, 2)
    stretch = torch.stack([zoom[:, 0], shear, torch.zeros(n), zoom[:, 1]], dim=1).view(n, 2, 2)
    affine = torch.cat([rotation @ stretch, shift], dim=2)  # (n, 2, 3)
    grid = functional.affine_grid(affine, [n, 1, height, width], align_corners=False)  # (n, h, w, 2)
    nodes = torch.randn(n, 2, 5, 5, generator=generator) * ELASTIC
    bend = functional.interpolate(nodes, size=(height, width), mode="bicubic", align_corners=True).permute(0, 2, 3, 1)
    return functional.grid_sample(pictures, grid + bend, align_corners=False)


def corrupted_rows(table: Tensor, blocks: Sequence[tuple[int, int]], share: float) -> Pairs:
    """Rows of a table (n, p): two copies, in each of which a ``share`` of the columns come from another row.

    ``blocks`` are the (start, stop) of each column in the encoded row. Source: SCARF, Bahri et al. 2022.
    """
    sizes = torch.tensor([stop - start for start, stop in blocks])

    def corrupt(rows: Tensor, generator: torch.Generator) -> Tensor:
        where = generator.device
        other = torch.randint(len(table), (len(rows),), generator=generator, device=where)
        replaced = torch.rand(len(rows), len(blocks), generator=generator, device=where) < share
        kept, from_another = table[rows.cpu()].to(where), table[other.cpu()].to(where)
        return torch.where(replaced.repeat_interleave(sizes.to(where), dim=1), from_another, kept)

    def pairs(rows: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        return corrupt(rows, generator), corrupt(rows, generator)

    return pairs
