"""Build and train a V-RLM as its preset says."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import torch

from rlm_core.collector.decoder import MLPDecoder, TableDecoder
from rlm_core.learning.batches import Batches
from rlm_core.learning.loop import Objective, OnProgress, Progress, train
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.presets import VRLMPreset
from rlm_core.training.rows import RowData, unit_interval
from rlm_core.training.vrlm.elbo import VariationalRLM, bernoulli, mixed, negative_elbo

GROWTH = (0.3, 0.7)  # the part of training in which the noise of a preset with ``first_epsilon`` grows


def build_vrlm(preset: VRLMPreset, data: RowData, *, seed: int) -> VariationalRLM:
    """The untrained model: encoder p → hidden → d, decoder the other way round."""
    if preset.epsilon_pretraining == "none":
        raise ValueError("Expected epsilon_pretraining to be a number or 'learnt' for a V-RLM, got 'none'.")
    sizes = (data.train.shape[1], *preset.hidden, preset.latent_dim)
    with torch.random.fork_rng(devices=[]):  # layers draw their first weights from the global source
        torch.manual_seed(seed)
        encoder = MLPEncoder(sizes)
        if preset.dataset == "lending_club":
            decoder: MLPDecoder | TableDecoder = TableDecoder(
                sizes[::-1], numeric=data.numeric, categorical=data.categorical
            )
        else:
            decoder = MLPDecoder(sizes[::-1])
    steps = preset.epochs * (len(data.train) // preset.batch_size)
    start = round(GROWTH[0] * steps)
    return VariationalRLM(
        encoder=encoder,
        decoder=decoder,
        clip=L1Clip(radius=preset.radius),
        epsilon_pretraining=None if preset.epsilon_pretraining == "learnt" else preset.epsilon_pretraining,
        warm_up_steps=round(preset.warm_up * steps),
        first_epsilon=preset.first_epsilon,
        growth_steps=(start, max(start + 1, round(GROWTH[1] * steps))),
    )


def objective_of(preset: VRLMPreset) -> Objective[VariationalRLM]:
    """−ELBO with the likelihood of the preset's data."""
    return negative_elbo(mixed if preset.dataset == "lending_club" else bernoulli)


def train_vrlm(
    preset: VRLMPreset,
    data: RowData,
    *,
    seed: int,
    device: torch.device,
    checkpoint: Path | None = None,
    progress: OnProgress | None = None,
) -> tuple[VariationalRLM, list[Progress]]:
    """The trained model and its losses, epoch by epoch."""
    model = build_vrlm(preset, data, seed=seed)
    history = train(
        model,
        objective_of(preset),
        Batches(train=data.train, valid=data.valid, batch_size=preset.batch_size, prepare=unit_interval),
        epochs=preset.epochs,
        learning_rate=preset.learning_rate,
        schedule=preset.schedule,
        generator=torch.Generator(device=device).manual_seed(seed),
        progress=progress,
        checkpoint=checkpoint,
        stems_from=asdict(preset) | {"seed": seed, "data": data.train},
        device=device,
    )
    return model, history
