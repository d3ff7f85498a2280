"""Neighbours as views: pictures that a frozen trunk finds alike count as the same, as augmented copies do.

NT-Xent on augmented copies alone teaches a small network on frozen features little: what crops
and colours change, the trunk mostly ignores already. What it does not know is which pictures
belong together, and its own nearest neighbours say that rather well, without a label
(Dwibedi et al. 2021, "With a Little Help from My Friends").
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from rlm_core.training.crlm.nt_xent import Views

BLOCK = 2_000


def neighbouring_views(views: Tensor, neighbours: Tensor) -> Views:
    """Cached features (n, V, p) of V views of each picture: any view of it, any view of one of its neighbours.

    A batch is row numbers. ``neighbours`` (n, m) has the picture itself in its first column.
    """

    def pairs(rows: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        where, stored, count = generator.device, rows.cpu(), len(rows)
        column = torch.randint(neighbours.shape[1], (count,), generator=generator, device=where).cpu()
        first, second = torch.randint(views.shape[1], (2, count), generator=generator, device=where).cpu()
        near = neighbours[stored, column]
        return views[stored, first].to(where).float(), views[near, second].to(where).float()

    return pairs


def nearest_neighbours(features: Tensor, count: int) -> Tensor:
    """Each row and its ``count`` nearest others by cosine, nearest first: (n, p) to (n, 1 + count).

    >>> nearest_neighbours(torch.tensor([[1.0, 0.0], [1.0, 0.1], [0.0, 1.0]]), 1).tolist()
    [[0, 1], [1, 0], [2, 1]]
    """
    unit = functional.normalize(features.float(), dim=1)
    found = []
    for start in range(0, len(unit), BLOCK):
        similarity = unit[start : start + BLOCK] @ unit.T
        own = torch.arange(len(similarity))
        similarity[own, start + own] = torch.inf  # the row itself comes first, whatever was rounded
        found.append(similarity.topk(count + 1, dim=1).indices)
    return torch.cat(found)
