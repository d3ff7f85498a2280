"""From a preset and a seed to a run folder, whatever the kind: the files that the zoo and the benchmarks read.

    <out>/<name>-seed<S>/      (of a V-RLM or C-RLM; those of codes are described in ``codes.run_codes``)
        encoder.safetensors    h(x), without ν
        decoder.safetensors
        preprocessor.json      tables only: from a row to numbers and back
        run.json               preset, seed, seconds, losses per epoch, facts of the data, versions

A preset with central DP takes its decoder from the run of the preset without, in the same
``out``, which is trained first if it is not there. Its checkpoint holds the state of the
secret generator, and is deleted at the end like every other.

A run that was interrupted is resumed from its checkpoint; a finished one is left alone.
"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

import rlm_core
from rlm_core.learning.device import pick_device
from rlm_core.learning.loop import OnProgress, Progress
from rlm_core.training.codes.code_presets import QRLM_PRESETS
from rlm_core.training.codes.run_codes import train_code_run
from rlm_core.training.crlm.features import TRUNK_WEIGHTS
from rlm_core.training.crlm.picture_source import cifar10_pictures
from rlm_core.training.crlm.train_crlm import train_crlm, train_picture_decoder
from rlm_core.training.dp.dp_settings import FIRST_STAGE_EPOCHS
from rlm_core.training.dp.private_crlm import train_private_crlm
from rlm_core.training.dp.private_vrlm import FirstStage, train_second_stage
from rlm_core.training.presets import PRESETS, CRLMPreset, Preset, VRLMPreset, public_name
from rlm_core.training.rows import RowData, loan_rows, mnist_rows
from rlm_core.training.vrlm.train_vrlm import train_vrlm


def train_mechanism(
    name: str,
    *,
    seed: int,
    out: Path,
    device: str = "auto",
    epochs: int | None = None,
    encoder_only: bool = False,
    trunk_weights: Path = TRUNK_WEIGHTS,
    progress: OnProgress | None = None,
) -> Path:
    """Train the preset called ``name``; return the run folder.

    Args:
        name: a key of ``PRESETS`` or, for codes, of ``QRLM_PRESETS``.
        seed: of the split, the first weights, the order of rows and the noise. Under central DP
            order and noise are secret instead: no seed repeats such a run.
        out: where run folders go.
        device: "auto", "cpu", "cuda", "cuda:1" or "mps".
        epochs: instead of the preset's number (a picture decoder keeps its own).
        encoder_only: leave out the C-RLM's picture decoder, which takes longer than the encoder
            and no experiment needs.
        trunk_weights: file of the ResNet's weights, for fine-tuning.
        progress: is told how far the loop is.
    """
    if name in QRLM_PRESETS:
        return train_code_run(name, seed=seed, out=out, device=device, epochs=epochs, progress=progress)
    if name not in PRESETS:
        raise ValueError(f"Expected the name of a preset (see --list), got name={name!r}.")
    preset = PRESETS[name] if epochs is None else replace(PRESETS[name], epochs=epochs)
    folder = out / f"{name}-seed{seed}"
    if (folder / "run.json").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    where = pick_device(device)
    if isinstance(preset, VRLMPreset) and preset.central is not None:
        first = _first_stage(public_name(name), seed=seed, out=out, device=device, epochs=epochs, progress=progress)
        outcome = _run_second_stage(preset, folder, first, seed=seed, device=where, progress=progress)
    elif isinstance(preset, VRLMPreset):
        outcome = _run_vrlm(preset, folder, seed=seed, device=where, progress=progress)
    else:
        outcome = _run_crlm(
            preset,
            folder,
            seed=seed,
            device=where,
            encoder_only=encoder_only,
            trunk_weights=trunk_weights,
            progress=progress,
        )
    for module_name, module in outcome.modules.items():
        _save_module(module, folder / f"{module_name}.safetensors")
    write_record(folder, name, preset, seed, where, outcome)
    for leftover in folder.glob("*.checkpoint"):
        leftover.unlink()
    return folder


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What a training hands over to the run folder."""

    modules: dict[str, nn.Module]
    stages: dict[str, list[Progress]]
    facts: dict[str, Any]
    scale: float
    central: dict[str, Any] | None = None


def _first_stage(
    name: str, *, seed: int, out: Path, device: str, epochs: int | None, progress: OnProgress | None
) -> Path:
    """The run whose decoder stage 2 goes through: the mechanism itself if it has been trained, else a shorter one.

    Only the decoder is taken over, so fewer epochs will do.
    """
    whole = out / f"{name}-seed{seed}"
    if (whole / "run.json").exists():
        return whole
    shorter = min(PRESETS[name].epochs, FIRST_STAGE_EPOCHS[PRESETS[name].dataset])
    return train_mechanism(
        name, seed=seed, out=out / "first_stage", device=device, epochs=epochs or shorter, progress=progress
    )


def _rows(preset: VRLMPreset, folder: Path, seed: int) -> RowData:
    data = loan_rows(preset, seed) if preset.dataset == "lending_club" else mnist_rows(preset, seed)
    if data.preprocessor is not None:
        (folder / "preprocessor.json").write_text(data.preprocessor.to_json() + "\n", encoding="utf-8")
    return data


def _run_second_stage(
    preset: VRLMPreset, folder: Path, first: Path, *, seed: int, device: torch.device, progress: OnProgress | None
) -> Outcome:
    """The decoder of the run ``first``, and a new encoder for it under central DP."""
    record = json.loads((first / "run.json").read_text(encoding="utf-8"))
    data = _rows(preset, folder, seed)
    model, history, spent = train_second_stage(
        preset,
        data,
        FirstStage(decoder=load_file(first / "decoder.safetensors"), scale=record["training_noise_scale"]),
        seed=seed,
        device=device,
        checkpoint=folder / "mechanism.checkpoint",
        progress=progress,
    )
    return Outcome(
        modules={"encoder": model.encoder, "decoder": model.decoder},
        stages={"mechanism": history},
        facts=data.facts,
        scale=model.scale.item(),
        central=spent | {"decoder_from": first.name, "decoder_epochs": record["stages"]["mechanism"]["epochs"]},
    )


def _run_vrlm(
    preset: VRLMPreset, folder: Path, *, seed: int, device: torch.device, progress: OnProgress | None
) -> Outcome:
    data = _rows(preset, folder, seed)
    model, history = train_vrlm(
        preset, data, seed=seed, device=device, checkpoint=folder / "mechanism.checkpoint", progress=progress
    )
    return Outcome(
        modules={"encoder": model.encoder, "decoder": model.decoder},
        stages={"mechanism": history},
        facts=data.facts,
        scale=model.scale.item(),
    )


def _run_crlm(
    preset: CRLMPreset,
    folder: Path,
    *,
    seed: int,
    device: torch.device,
    encoder_only: bool,
    trunk_weights: Path,
    progress: OnProgress | None,
) -> Outcome:
    data = cifar10_pictures(preset, seed)
    central = None
    checkpoint = folder / "mechanism.checkpoint"
    if preset.central is not None:
        model, history, central = train_private_crlm(
            preset, data, seed=seed, device=device, checkpoint=checkpoint, progress=progress
        )
    else:
        model, history = train_crlm(
            preset,
            data,
            seed=seed,
            device=device,
            trunk_weights=trunk_weights,
            checkpoint=checkpoint,
            progress=progress,
        )
    outcome = Outcome(
        modules={"encoder": model.encoder},
        stages={"mechanism": history},
        facts=data.facts,
        scale=model.scale,
        central=central,
    )
    if encoder_only:
        return outcome
    decoder, decoder_history = train_picture_decoder(
        preset,
        model,
        data,
        seed=seed,
        device=device,
        checkpoint=folder / "decoder.checkpoint",
        progress=progress,
    )
    return replace(
        outcome,
        modules=outcome.modules | {"decoder": decoder},
        stages=outcome.stages | {"decoder": decoder_history},
    )


def write_record(folder: Path, name: str, preset: Preset, seed: int, device: torch.device, outcome: Outcome) -> None:
    """Write ``run.json``, last of all files: a folder that has it is complete."""
    record = {
        "name": name,
        "preset": asdict(preset),
        "seed": seed,
        "device": str(device),
        "seconds": round(sum(history[-1].seconds for history in outcome.stages.values()), 1),
        "data": outcome.facts,
        "training_noise_scale": outcome.scale,  # b; where it was learnt, the last value
        "stages": {
            stage: {
                "epochs": len(history),
                "seconds": round(history[-1].seconds, 1),
                "train_loss": [round(record.train_loss, 4) for record in history],
                "valid_loss": [round(record.valid_loss, 4) for record in history if record.valid_loss is not None],
            }
            for stage, history in outcome.stages.items()
        },
        **({} if outcome.central is None else {"central_dp": outcome.central}),
        "versions": {
            "rlm_core": rlm_core.__version__,
            "torch": torch.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
    }
    partial = folder / "run.json.partial"
    partial.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    partial.replace(folder / "run.json")


def _save_module(module: nn.Module, path: Path) -> None:
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in module.state_dict().items()}
    partial = path.with_suffix(".partial")
    save_file(tensors, partial)
    partial.chmod(0o644)  # save_file leaves it readable for its owner only
    partial.replace(path)
