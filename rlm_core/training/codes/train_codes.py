"""Train the embedding on pairs of views, find the codes in it, and order them by what to merge first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch
from sklearn.cluster import KMeans
from torch import Tensor
from torch.nn import functional

from rlm_core.learning.device import in_blocks
from rlm_core.learning.loop import Batches, OnProgress, Progress, train
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.codes.code_presets import QRLMPreset
from rlm_core.training.codes.hierarchy import merge_order, merged_codes
from rlm_core.training.codes.network import EmbeddingNetwork
from rlm_core.training.codes.pairs_of_views import Pairs, Shape
from rlm_core.training.codes.self_labels import self_labelled
from rlm_core.training.codes.self_votes import Scores
from rlm_core.training.crlm.nt_xent import nt_xent
from rlm_core.types import FloatArray, IntArray

JOINT_ROWS = 50_000  # pairs of views from which the joint distribution of codes is measured
BLOCK = 4_096
NEXT_START = 100  # between the seeds of two k-means


@dataclass(frozen=True, kw_only=True, eq=False)
class Codes:
    """What training gives: scores for the fine codes, and the order of merges."""

    encoder: MLPEncoder = field(repr=False)
    order: list[tuple[int, int]] = field(repr=False)
    history: list[Progress] = field(repr=False)

    @property
    def seconds(self) -> float:
        """Of all trainings together; each counts its own."""
        return sum(each.seconds for each in self.history if each.epoch == each.epochs)


def train_codes(
    preset: QRLMPreset,
    pairs: Pairs,
    inputs: Tensor,
    *,
    seed: int,
    picture: Shape | None = None,
    device: torch.device | str = "cpu",
    checkpoint: Path | None = None,
    progress: OnProgress | None = None,
) -> Codes:
    """Learn codes from the records of D₁, ``inputs`` (n, p). No label comes near this function.

    ``picture`` is height and width where records are grey pictures.
    The network trains on ``device``; views stay where they are stored and follow batch by batch.
    k-means and the order of merges are the processor's.
    """
    with torch.random.fork_rng(devices=[]):  # layers draw their first weights from the global source
        torch.manual_seed(seed)
        network = EmbeddingNetwork((inputs.shape[1], *preset.hidden, preset.embedding))
    generator = torch.Generator(device=device).manual_seed(seed)
    numbers = torch.arange(len(inputs))
    history = train(
        network,
        contrastive(pairs, temperature=preset.temperature),
        Batches(train=numbers, valid=numbers[: 4 * preset.batch_size], batch_size=preset.batch_size),
        epochs=preset.epochs,
        learning_rate=preset.learning_rate,
        schedule="cosine",
        generator=generator,
        checkpoint=checkpoint,
        stems_from=asdict(preset) | {"seed": seed, "data": inputs},
        progress=progress,
        device=device,
    )
    network.eval()
    embedded = in_blocks(network, inputs, device=device, block=BLOCK)  # (n, d)
    network.cpu()
    chosen = torch.randperm(len(inputs), generator=generator, device=device)[:JOINT_ROWS]

    def coding(start: int) -> tuple[MLPEncoder, list[tuple[int, int]]]:
        clusters = KMeans(preset.codes, n_init=1, max_iter=50, random_state=seed + NEXT_START * start)
        centres = clusters.fit(embedded.numpy()).cluster_centers_
        encoder = network.with_centres(torch.from_numpy(centres))
        return encoder, merge_order(joint_of_views(encoder, pairs, chosen, generator, preset.codes))

    if not preset.rounds:
        encoder, order = coding(0)
        return Codes(encoder=encoder, order=order, history=history)
    codings = [coding(start) for start in range(preset.starts)]
    again = self_labelled(
        network,
        [_names(encoder, merged_codes(order, preset.groups)) for encoder, order in codings],
        pairs,
        inputs,
        groups=preset.groups,
        rounds=preset.rounds,
        equal=preset.equal,
        fine_codes=preset.codes,
        temperature=preset.temperature,
        seed=seed,
        picture=picture,
        progress=progress,
    )
    joint = joint_of_views(again.encoder, pairs, chosen, generator, len(again.groups))
    return Codes(encoder=again.encoder, order=merge_order(joint, again.groups), history=history + again.history)


def contrastive(pairs: Pairs, *, temperature: float) -> Callable[[EmbeddingNetwork, Tensor, torch.Generator], Tensor]:
    """The objective for the loop: NT-Xent (Chen et al. 2020) of the embeddings of two views, one value per record."""

    def objective(network: EmbeddingNetwork, rows: Tensor, generator: torch.Generator) -> Tensor:
        embedded = network(torch.cat(pairs(rows, generator)))  # (2n, d)
        return nt_xent(embedded[: len(rows)], embedded[len(rows) :], temperature=temperature)

    return objective


def _names(encoder: MLPEncoder, merge: IntArray) -> Scores:
    """What merged codes say of inputs: 1 for the code of each, (n, p) to (n, k)."""
    into = torch.from_numpy(merge)

    def names(inputs: Tensor) -> Tensor:
        return functional.one_hot(into[encoder(inputs).argmax(1)], int(into.max()) + 1).float()

    return names


@torch.no_grad()
def joint_of_views(
    encoder: MLPEncoder, pairs: Pairs, rows: Tensor, generator: torch.Generator, codes: int
) -> FloatArray:
    """P(c, c′) of the codes of two views, symmetric: (k, k)."""
    counts = np.zeros((codes, codes))
    for block in torch.split(rows, BLOCK):
        first, second = (encoder(view.cpu()).argmax(1).numpy() for view in pairs(block, generator))
        np.add.at(counts, (first, second), 1.0)
    joint: FloatArray = (counts + counts.T) / (2.0 * counts.sum())
    return joint
