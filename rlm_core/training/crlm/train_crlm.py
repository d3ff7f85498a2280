"""Build and train a C-RLM as its preset says, and afterwards a decoder for its pictures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor

from rlm_core.collector.decoder import ImageDecoder
from rlm_core.learning.batches import Batches, as_stored
from rlm_core.learning.device import in_blocks
from rlm_core.learning.loop import Objective, OnProgress, Progress, train
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.encoder import MLPEncoder, TrunkEncoder
from rlm_core.training.crlm.neighbours import nearest_neighbours, neighbouring_views
from rlm_core.training.crlm.nt_xent import ContrastiveRLM, Views, contrastive
from rlm_core.training.crlm.picture_source import PictureData
from rlm_core.training.crlm.views import augmented_views, cached_views
from rlm_core.training.noise import standard_laplace_like
from rlm_core.training.presets import CRLMPreset
from rlm_core.training.rows import unit_interval
from rlm_core.vision import FEATURES, resnet18_trunk

DECODER_BATCH = 128
DECODER_EPSILONS = (1.0, 70.0)  # 70 is the weakest noise that the paper trains with
CLEAN_SHARE = 0.25


def build_crlm(preset: CRLMPreset, *, seed: int, trunk_weights: Path | None) -> ContrastiveRLM:
    """The untrained model. Its encoder takes features, or pictures when it is to be fine-tuned."""
    if preset.epsilon_pretraining == "learnt":
        raise ValueError("Expected epsilon_pretraining to be a number or 'none' for a C-RLM, got 'learnt'.")
    with torch.random.fork_rng(devices=[]):  # layers draw their first weights from the global source
        torch.manual_seed(seed)
        adapter = MLPEncoder((FEATURES, *preset.adapter_hidden, preset.latent_dim))
        encoder: MLPEncoder | TrunkEncoder = adapter
        if preset.finetune:
            encoder = TrunkEncoder(resnet18_trunk(trunk_weights), adapter, side=preset.side, frozen=False)
        return ContrastiveRLM(
            encoder=encoder,
            clip=L1Clip(radius=preset.radius),
            epsilon_pretraining=None if preset.epsilon_pretraining == "none" else preset.epsilon_pretraining,
            latent_dim=preset.latent_dim,
            projection_hidden=preset.projection_hidden,
            projection_dim=preset.projection_dim,
        )


def train_crlm(
    preset: CRLMPreset,
    data: PictureData,
    *,
    seed: int,
    device: torch.device,
    trunk_weights: Path | None = None,
    checkpoint: Path | None = None,
    progress: OnProgress | None = None,
) -> tuple[ContrastiveRLM, list[Progress]]:
    """The trained model and its losses, epoch by epoch."""
    model = build_crlm(preset, seed=seed, trunk_weights=trunk_weights)
    views, rows, rows_valid = pairs_of(preset, data)
    history = train(
        model,
        contrastive(views, temperature=preset.temperature),
        Batches(
            train=rows,
            valid=rows_valid,
            batch_size=preset.batch_size,
            prepare=unit_interval if preset.finetune else as_stored,
        ),
        epochs=preset.epochs,
        learning_rate=preset.learning_rate,
        schedule=preset.schedule,
        generator=torch.Generator(device=device).manual_seed(seed),
        progress=progress,
        checkpoint=checkpoint,
        stems_from=asdict(preset) | {"seed": seed, "data": data.views},
        device=device,
    )
    return model, history


def pairs_of(preset: CRLMPreset, data: PictureData) -> tuple[Views, Tensor, Tensor]:
    """How pairs are made, and from which training and validation rows."""
    if preset.finetune:
        return augmented_views(preset.side), data.views, data.views_valid
    if preset.neighbours == 0:
        return cached_views, data.views, data.views_valid
    count = len(data.views)
    near = nearest_neighbours(data.views[:, 0], preset.neighbours)
    near_valid = nearest_neighbours(data.views_valid[:, 0], preset.neighbours) + count  # among themselves
    numbers = torch.arange(count + len(data.views_valid))
    pairs = neighbouring_views(torch.cat([data.views, data.views_valid]), torch.cat([near, near_valid]))
    return pairs, numbers[:count], numbers[count:]


def squared_error(sensitivity: float) -> Objective[ImageDecoder]:
    """The decoder's objective: mean squared error of a pixel, per picture, after noise of any strength.

    A visitor may ask for any ε, so each picture gets one of its own, log-uniform in
    :data:`DECODER_EPSILONS`, and some get none. The minimum is the mean picture given z̃: where
    the noise hides a detail, that detail is blurred, and where it hides everything, all pictures are.
    """
    low, high = DECODER_EPSILONS

    def objective(decoder: ImageDecoder, batch: tuple[Tensor, Tensor], generator: torch.Generator) -> Tensor:
        z, pictures = batch  # (n, d), (n, 3, 32, 32)
        where, noisy = torch.rand((2, len(z), 1), generator=generator, device=z.device)
        scale = sensitivity / (low * (high / low) ** where) * (noisy > CLEAN_SHARE)  # (n, 1)
        z_noisy = z + scale * standard_laplace_like(z, generator)
        difference: Tensor = decoder(z_noisy) - pictures
        return difference.square().mean(dim=(1, 2, 3))  # (n,)

    return objective


def representations(model: ContrastiveRLM, inputs: Tensor, device: torch.device) -> Tensor:
    """z of every picture, in float32: (n, d)."""
    model.to(device).eval()
    return in_blocks(lambda rows: model.represent(unit_interval(rows)), inputs, device=device, block=256)


def train_picture_decoder(
    preset: CRLMPreset,
    model: ContrastiveRLM,
    data: PictureData,
    *,
    seed: int,
    device: torch.device,
    checkpoint: Path | None = None,
    progress: OnProgress | None = None,
) -> tuple[ImageDecoder, list[Progress]]:
    """A decoder for z̃ at any ε, trained on the mechanism's pictures only."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        decoder = ImageDecoder(preset.latent_dim)
    history = train(
        decoder,
        squared_error(model.clip.l1_sensitivity),
        Batches(
            train=(representations(model, data.inputs, device), data.pictures),
            valid=(representations(model, data.inputs_valid, device), data.pictures_valid),
            batch_size=DECODER_BATCH,
            prepare=lambda z, pictures: (z, unit_interval(pictures)),
        ),
        epochs=preset.decoder_epochs,
        learning_rate=preset.decoder_learning_rate,
        schedule="cosine",
        generator=torch.Generator(device=device).manual_seed(seed),
        progress=progress,
        checkpoint=checkpoint,
        stems_from=asdict(preset) | {"seed": seed, "data": data.pictures},
        device=device,
    )
    return decoder, history
