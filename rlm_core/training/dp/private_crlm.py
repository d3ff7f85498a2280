"""A C-RLM whose trained layers are trained under central differential privacy.

"For the C-RLM model, we have only an encoder and this can be trained relatively easily using a
private optimisation algorithm" (paper, appendix on CDP). Easily, but for one thing: an example's
NT-Xent depends on the whole batch, and so does everybody's gradient; clipping them one by one
bounds nobody's influence. So the loss compares within random groups, and groups are clipped
(``dp_adam.py``). The paper has no settings for this; those of the presets are ours.

The guarantee has no condition here: the trunk was trained on other, public pictures. The picture
decoder is trained afterwards without noise, stays with the collector and is not covered.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import torch

from rlm_core.learning.batches import PoissonBatches
from rlm_core.learning.loop import OnProgress, Progress, train
from rlm_core.training.crlm.nt_xent import ContrastiveRLM, grouped_contrastive
from rlm_core.training.crlm.picture_source import PictureData
from rlm_core.training.crlm.train_crlm import build_crlm
from rlm_core.training.crlm.views import cached_views
from rlm_core.training.dp.accountant import plan
from rlm_core.training.dp.dp_adam import DPStep, secret_generator
from rlm_core.training.presets import CRLMPreset

COVERS = "the encoder's trained layers"
NOT_COVERED = (
    "the picture decoder (it stays with the collector)",
    "the validation loss and the choice of hyper-parameters",
)


def train_private_crlm(
    preset: CRLMPreset,
    data: PictureData,
    *,
    seed: int,
    device: torch.device,
    generator: torch.Generator | None = None,
    checkpoint: Path | None = None,
    progress: OnProgress | None = None,
) -> tuple[ContrastiveRLM, list[Progress], dict[str, Any]]:
    """The trained model, its losses, and what it spent. Sampling and noise are secret, as in ``private_vrlm``."""
    if preset.central is None or preset.finetune or not preset.groups > 0:
        raise ValueError(
            "Expected a preset with central DP, groups > 0 and a frozen trunk, got "
            f"central={preset.central}, groups={preset.groups}, finetune={preset.finetune}."
        )
    model = build_crlm(preset, seed=seed, trunk_weights=None)
    batches = PoissonBatches(train=data.views, valid=data.views_valid, batch_size=preset.batch_size, steps_per_epoch=1)
    schedule = plan(
        preset.central,
        rows=batches.rows,
        batch_size=preset.batch_size,
        sample_rate=batches.sample_rate,
        most_epochs=preset.epochs,
    )
    source = secret_generator(device) if generator is None else generator
    step = DPStep(
        model,
        max_grad_norm=preset.central.max_grad_norm,
        noise_multiplier=preset.central.noise_multiplier,
        expected_batch_size=preset.groups,
        generator=source,
    )
    history = train(
        model,
        grouped_contrastive(cached_views, temperature=preset.temperature, groups=preset.groups, on_groups=step.group),
        replace(batches, steps_per_epoch=schedule.steps_per_epoch),
        epochs=schedule.epochs,
        learning_rate=preset.learning_rate,
        schedule=preset.schedule,
        generator=source,
        step=step,
        progress=progress,
        checkpoint=checkpoint,
        stems_from=asdict(preset) | {"seed": seed, "data": data.views},
        device=device,
    )
    return model, history, schedule.statement(COVERS, NOT_COVERED)
