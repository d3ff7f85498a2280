"""A V-RLM whose encoder is trained under central differential privacy.

Paper, appendix "Data Collection with Mechanisms Trained Under CDP":

    stage 1   encoder and decoder, by Adam: the preset without central DP
    stage 2   the decoder fixed, the encoder re-initialised and trained by DP-Adam

What stage 2 reads of the auxiliary rows is within (ε, δ). What is *not* covered:

- the decoder, the training noise's scale b where it was learnt, and the preprocessing of
  loans (means, spreads, categories), all fitted to the same rows without noise. The decoder
  stays with the collector; the encoder and the preprocessing go to the data owners.
- the auxiliary records themselves, which the collector keeps as a prior when it denoises
  reports, and so the classifier that it learns.
- that stage 2 looks at the rows *through* that decoder. The guarantee holds for a given
  decoder; as the decoder itself depends on the rows, the two stages together have none. It
  holds without that condition when stage 1 is trained on rows that need no protection.
- the validation loss (of other auxiliary rows) and the search for hyper-parameters.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from rlm_core.learning.batches import PoissonBatches
from rlm_core.learning.loop import OnProgress, Progress, train
from rlm_core.training.dp.accountant import plan
from rlm_core.training.dp.dp_adam import DPStep, secret_generator
from rlm_core.training.presets import VRLMPreset
from rlm_core.training.rows import RowData, unit_interval
from rlm_core.training.vrlm.elbo import VariationalRLM
from rlm_core.training.vrlm.train_vrlm import build_vrlm, objective_of

COVERS = "the encoder's weights, given the decoder"
TOGETHER = "the two stages together: the encoder is trained through a decoder that saw the same rows without noise"
_SECOND_START = 1_000_003  # first weights other than stage 1's


@dataclass(frozen=True, kw_only=True, eq=False)
class FirstStage:
    """What stage 2 takes over: the decoder's weights and b."""

    decoder: dict[str, Tensor]
    scale: float

    @property
    def named(self) -> dict[str, Any]:
        """For a checkpoint: what stage 2 stems from."""
        return {"scale": self.scale} | {f"decoder.{name}": weights for name, weights in self.decoder.items()}


def build_second_stage(preset: VRLMPreset, data: RowData, first: FirstStage, *, seed: int) -> VariationalRLM:
    """A new encoder before the fixed decoder of stage 1."""
    fixed = replace(preset, epsilon_pretraining=2 * preset.radius / first.scale)
    model = build_vrlm(fixed, data, seed=seed + _SECOND_START)
    model.decoder.load_state_dict(first.decoder)
    model.decoder.requires_grad_(False)
    return model


def not_covered(preset: VRLMPreset) -> tuple[str, ...]:
    """What the guarantee of a preset's encoder does not extend to."""
    return (
        "the decoder, and the auxiliary records that the collector keeps as a prior for its own learning (they stay "
        "with the collector; this zoo ships both because its data are public)",
        *(("the training noise's scale b, which was learnt",) if preset.epsilon_pretraining == "learnt" else ()),
        *(("the preprocessing (means, spreads, categories)",) if preset.dataset == "lending_club" else ()),
        "the validation loss and the choice of hyper-parameters",
        TOGETHER,
    )


def train_second_stage(
    preset: VRLMPreset,
    data: RowData,
    first: FirstStage,
    *,
    seed: int,
    device: torch.device,
    generator: torch.Generator | None = None,
    checkpoint: Path | None = None,
    progress: OnProgress | None = None,
) -> tuple[VariationalRLM, list[Progress], dict[str, Any]]:
    """The trained model, its losses, and what it spent.

    ``seed`` fixes the split and the first weights only. Sampling and noise are secret: with a known
    ``generator`` (for tests) there is no privacy.
    """
    central = preset.central
    if central is None:
        raise ValueError("Expected a preset with central differential privacy, got central=None.")
    model = build_second_stage(preset, data, first, seed=seed)
    batches = PoissonBatches(
        train=data.train, valid=data.valid, batch_size=preset.batch_size, prepare=unit_interval, steps_per_epoch=1
    )
    schedule = plan(
        central,
        rows=batches.rows,
        batch_size=preset.batch_size,
        sample_rate=batches.sample_rate,
        most_epochs=preset.epochs,
    )
    source = secret_generator(device) if generator is None else generator
    history = train(
        model,
        objective_of(preset),
        replace(batches, steps_per_epoch=schedule.steps_per_epoch),
        epochs=schedule.epochs,
        learning_rate=preset.learning_rate,
        schedule=preset.schedule,
        generator=source,
        step=DPStep(
            model.encoder,
            max_grad_norm=central.max_grad_norm,
            noise_multiplier=central.noise_multiplier,
            expected_batch_size=preset.batch_size,
            generator=source,
        ),
        progress=progress,
        checkpoint=checkpoint,
        stems_from=asdict(preset) | {"seed": seed, "data": data.train} | first.named,
        device=device,
    )
    return model, history, schedule.statement(COVERS, not_covered(preset))
