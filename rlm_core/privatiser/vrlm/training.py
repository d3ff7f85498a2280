"""The encoder of a V-RLM from public records: by the ELBO, with the noise of its posterior; or under central DP.

The paper's training (``rlm_core.training.vrlm``) on anybody's records, with settings for MNIST or Lending Club, and
epochs that follow from the number of records: about as many steps for few as for many. No label comes near it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rlm_core.privatiser.network import FEWEST_ROWS, MOST_ROWS, NetworkEncoder
from rlm_core.privatiser.vrlm.columns import Columns
from rlm_core.privatiser.vrlm.rules import DELTA, EXPERIMENT, line_for

if TYPE_CHECKING:
    from rlm_core.learning.loop import Progress
    from rlm_core.training.preset_types import VRLMPreset
    from rlm_core.training.rows import RowData

PRESET_ROWS = {"mnist": 45_000, "lending_club": 20_294}
"""Public records of the presets on their own data, over which they have their epochs."""

FEWEST_STEPS = 8
"""Batches of an epoch, at least."""

MOST_EPOCHS, FEWEST_EPOCHS = 200, 4

COVERS = "the encoder's weights, given the decoder that it was trained through (which is thrown away)"
NOT_COVERED = (
    "the two stages together: the encoder is trained through a decoder that saw the same records without noise",
    "how a record becomes numbers (means, spreads and levels of a table; size and white of pictures), which goes to "
    "every device",
    "the representations of public records in prior.safetensors and the classifier that is learnt with them, which "
    "are for the collector alone",
    "the losses that a progress bar may show",
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Trained:
    """An encoder, the settings that made it, and under central DP what its training spent."""

    encoder: NetworkEncoder = field(repr=False)
    settings: dict[str, Any]
    central: dict[str, Any] | None = None


def preset_for(epsilon: float, size: int, columns: Columns, rows: int) -> VRLMPreset:
    """Settings by the rule, with batches and epochs for so many records."""
    from rlm_core.training.preset_types import VRLMPreset
    from rlm_core.training.presets import PRESETS, preset_name

    dataset = columns.settings_of
    found = PRESETS[preset_name(EXPERIMENT, dataset, line_for(dataset, epsilon).epsilon)]
    assert isinstance(found, VRLMPreset)
    steps = found.epochs * (PRESET_ROWS[dataset] // found.batch_size)
    batch = _batch(found.batch_size, rows)
    epochs = round(steps / max(1, rows // batch))
    return replace(found, latent_dim=size, batch_size=batch, epochs=min(MOST_EPOCHS, max(FEWEST_EPOCHS, epochs)))


def private_preset(preset: VRLMPreset, central_epsilon: float, rows: int) -> VRLMPreset:
    """Of the second stage: DP-Adam with our settings for that data, and the noise that its steps need for ε."""
    from rlm_core.learning.batches import sample_rate
    from rlm_core.training.dp.accountant import CentralDP, noise_within
    from rlm_core.training.dp.dp_settings import MOST_EPOCHS as DP_EPOCHS
    from rlm_core.training.dp.dp_settings import OUR_DP_ADAM

    learning_rate, batch_size, _ = OUR_DP_ADAM[preset.dataset, 5.0]  # the same at ε = 1 but for the noise
    batch, epochs = _batch(batch_size, rows), DP_EPOCHS[preset.dataset]
    noise = noise_within(
        central_epsilon, sample_rate=sample_rate(batch, rows), steps=epochs * max(1, rows // batch), delta=DELTA
    )
    return replace(
        preset,
        learning_rate=learning_rate,
        batch_size=batch,
        epochs=epochs,
        warm_up=0.0,
        central=CentralDP(epsilon=central_epsilon, noise_multiplier=noise, delta=DELTA),
    )


def train_encoder(
    preset: VRLMPreset,
    x: NDArray[np.float32],
    columns: Columns,
    *,
    seed: int,
    central_epsilon: float | None = None,
    device: str = "auto",
    checkpoint: Path | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Trained:
    """Learn an encoder from public records x (n, p).

    Args:
        preset: of :func:`preset_for`.
        x: encoded records.
        columns: what their numbers are.
        seed: of weights, batches and training noise; under central DP of the first weights only.
        central_epsilon: (ε, δ = 1e-5) of the encoder, given the decoder; see ``docs/central_dp.md``.
        device: "auto", "cpu", "cuda", "cuda:1" or "mps".
        checkpoint: a file; a training that was interrupted goes on from it, and it is gone at the end.
        progress: is told how far the loop is, in each of the two stages under central DP.
    """
    from rlm_core.learning.device import pick_device
    from rlm_core.training.dp.private_vrlm import FirstStage, train_second_stage
    from rlm_core.training.vrlm.train_vrlm import train_vrlm

    if len(x) < FEWEST_ROWS:
        raise ValueError(f"Expected at least {FEWEST_ROWS} public records for a V-RLM, got {len(x)}.")
    if len(x) > MOST_ROWS:
        x = x[np.sort(np.random.default_rng(seed).permutation(len(x))[:MOST_ROWS])]
    where, data = pick_device(device), _row_data(x, columns, preset.batch_size)
    given: dict[str, Any] = {"seed": seed, "device": where, "progress": progress}
    if central_epsilon is None:
        model, _ = train_vrlm(preset, data, checkpoint=checkpoint, **given)
        used, central = preset, None
    else:
        used = private_preset(preset, central_epsilon, len(x))  # raises where no noise is enough
        # Only the decoder and b are taken over, so half of the epochs will do.
        first = replace(preset, epochs=max(1, preset.epochs // 2))
        model, _ = train_vrlm(first, data, checkpoint=_first(checkpoint), **given)
        stage = FirstStage(decoder=model.decoder.state_dict(), scale=model.scale.item())
        model, _, spent = train_second_stage(used, data, stage, checkpoint=checkpoint, **given)
        central = spent | {"covers": COVERS, "not_covered": _not_covered(preset), "decoder_epochs": first.epochs}
    for file in (checkpoint, _first(checkpoint)):
        if file is not None:
            file.unlink(missing_ok=True)  # under central DP it holds the state of the secret generator
    weights = {name: tensor.numpy() for name, tensor in model.encoder.cpu().state_dict().items()}
    settings = {
        "radius": used.radius,
        "epsilon_pretraining": used.epsilon_pretraining,
        "epochs": used.epochs,
        "batch_size": used.batch_size,
        "learning_rate": used.learning_rate,
    }
    return Trained(encoder=NetworkEncoder.of_tensors(weights), settings=settings, central=central)


def _batch(batch_size: int, rows: int) -> int:
    return max(2, min(batch_size, rows // FEWEST_STEPS))


def _first(checkpoint: Path | None) -> Path | None:
    """The first stage's file."""
    return None if checkpoint is None else checkpoint.with_name(f"{checkpoint.name}.first")


def _not_covered(preset: VRLMPreset) -> list[str]:
    learnt = ["the scale b of the training noise, which was learnt"] if preset.epsilon_pretraining == "learnt" else []
    return [*NOT_COVERED, *learnt]


def _row_data(x: NDArray[np.float32], columns: Columns, batch_size: int) -> RowData:
    """All records to train on. The loss that is shown as validation is of some of them: nothing is chosen by it."""
    import torch

    from rlm_core.training.rows import RowData

    records = torch.from_numpy(np.ascontiguousarray(x))
    return RowData(
        train=records,
        valid=records[:batch_size],
        facts={},
        numeric=columns.numeric,
        categorical=columns.categorical,
    )
