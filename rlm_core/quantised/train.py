"""Train the network on pairs of views, keep the best head, and order its codes by what to merge first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import torch
from torch import Tensor

from rlm_core.owner.encoder import MLPEncoder
from rlm_core.quantised.hierarchy import merge_order
from rlm_core.quantised.network import CodeNetwork
from rlm_core.quantised.objective import code_objective, joint, mutual_information
from rlm_core.quantised.presets import QRLMPreset
from rlm_core.quantised.views import Pairs
from rlm_core.training.loop import Batches, Progress, train

JOINT_ROWS = 50_000  # pairs of views from which the joint distribution of codes is measured
BLOCK = 2_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Codes:
    """What training gives: scores for the fine codes, the order of merges, and how much each head knew."""

    encoder: MLPEncoder = field(repr=False)
    order: list[tuple[int, int]] = field(repr=False)
    information: tuple[float, ...]
    history: list[Progress] = field(repr=False)


def train_codes(
    preset: QRLMPreset,
    pairs: Pairs,
    rows: int,
    width: int,
    *,
    seed: int,
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Codes:
    """Learn codes from ``rows`` records of ``width`` inputs. No label comes near this function."""
    with torch.random.fork_rng(devices=[]):  # layers draw their first weights from the global source
        torch.manual_seed(seed)
        network = CodeNetwork((width, *preset.hidden), heads=preset.heads)
    generator = torch.Generator().manual_seed(seed)
    numbers = torch.arange(rows)
    history = train(
        network,
        code_objective(pairs),
        Batches(train=numbers, valid=numbers[: 4 * preset.batch_size], batch_size=preset.batch_size),
        epochs=preset.epochs,
        learning_rate=preset.learning_rate,
        schedule="cosine",
        generator=generator,
        checkpoint=checkpoint,
        progress=progress,
    )
    network.eval()
    joints = joints_of_heads(network, pairs, torch.randperm(rows, generator=generator)[:JOINT_ROWS], generator)
    information = tuple(mutual_information(each).item() for each in joints)
    best = max(range(len(information)), key=information.__getitem__)
    return Codes(
        encoder=network.folded(best),
        order=merge_order(joints[best].double().numpy()),
        information=information,
        history=history,
    )


@torch.no_grad()
def joints_of_heads(network: CodeNetwork, pairs: Pairs, rows: Tensor, generator: torch.Generator) -> list[Tensor]:
    """P for every head: the joint distribution of the codes of two views, (k, k) each."""
    sums: list[Tensor] = []
    for block in torch.split(rows, BLOCK):
        first, second = (network.scores(network.trunk(view)) for view in pairs(block, generator))
        parts = [joint(a.softmax(1), b.softmax(1)) * len(block) for a, b in zip(first, second, strict=True)]
        sums = parts if not sums else [total + part for total, part in zip(sums, parts, strict=True)]
    return [total / len(rows) for total in sums]
