"""From a preset and a seed to a run folder: the codes that the zoo and the benchmarks read.

<out>/<name>-seed<S>/
    encoder.safetensors    scores of the fine codes, batch normalisation folded in
    preprocessor.json      loans only
    codes.json             order of merges, losses, preset, seed, seconds, versions
"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import nn

import rlm_core
from rlm_core.data.splits import Part
from rlm_core.learning.device import in_blocks, pick_device
from rlm_core.learning.loop import OnProgress
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.codes.code_presets import QRLM_PRESETS, QRLMPreset
from rlm_core.training.codes.code_rows import CodeData, code_data
from rlm_core.training.codes.hierarchy import merged_codes
from rlm_core.training.codes.pairs_of_views import DIGIT
from rlm_core.training.codes.train_codes import train_codes
from rlm_core.types import FloatArray, IntArray

BLOCK = 4_096


def train_code_run(
    name: str,
    *,
    seed: int,
    out: Path,
    device: str = "auto",
    epochs: int | None = None,
    progress: OnProgress | None = None,
) -> Path:
    """Learn the codes of the preset called ``name``; return the run folder. A finished run is left alone."""
    if name not in QRLM_PRESETS:
        raise ValueError(f"Expected one of {', '.join(QRLM_PRESETS)}, got name={name!r}.")
    preset = QRLM_PRESETS[name] if epochs is None else replace(QRLM_PRESETS[name], epochs=epochs)
    folder = out / f"{name}-seed{seed}"
    if (folder / "codes.json").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    data = code_data(preset, seed)
    pairs, inputs = data.pairs(preset)
    codes = train_codes(
        preset,
        pairs,
        inputs,
        seed=seed,
        picture=DIGIT if preset.dataset == "mnist" else None,
        device=pick_device(device),
        checkpoint=folder / "codes.checkpoint",
        progress=progress,
    )
    save_file(
        {key: value.contiguous() for key, value in codes.encoder.state_dict().items()}, folder / "encoder.safetensors"
    )
    if data.preprocessor is not None:
        (folder / "preprocessor.json").write_text(data.preprocessor.to_json() + "\n", encoding="utf-8")
    record = {
        "name": name,
        "seed": seed,
        "preset": asdict(preset),
        "sizes": list(codes.encoder.sizes),
        "order": [list(pair) for pair in codes.order],
        "train_rows": len(inputs),
        "losses": [[each.train_loss, each.valid_loss] for each in codes.history],
        "seconds": round(codes.seconds, 1),
        "split": data.split.note,
        "source": data.dataset.source,
        "versions": {
            "rlm-ldp": rlm_core.__version__,
            "torch": torch.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
    }
    (folder / "codes.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    (folder / "codes.checkpoint").unlink(missing_ok=True)
    return folder


@dataclass(frozen=True, kw_only=True, eq=False)
class CodeRun:
    """A finished run: from any part of its split to codes."""

    record: dict[str, Any] = field(repr=False)
    encoder: MLPEncoder = field(repr=False)
    data: CodeData = field(repr=False)

    @classmethod
    def read(cls, folder: Path) -> CodeRun:
        """The run in a folder, with its dataset."""
        record = json.loads((folder / "codes.json").read_text(encoding="utf-8"))
        encoder = MLPEncoder(record["sizes"])
        encoder.load_state_dict(load_file(folder / "encoder.safetensors"))
        preset = QRLM_PRESETS[record["name"]]
        return cls(record=record, encoder=encoder.eval(), data=code_data(preset, record["seed"]))

    @property
    def preset(self) -> QRLMPreset:
        """The settings it was trained with."""
        return QRLM_PRESETS[str(self.record["name"])]

    @property
    def finest(self) -> int:
        """The number of fine codes."""
        return len(self.record["order"]) + 1

    def merge(self, codes: int) -> IntArray:
        """The merged code of every fine code, with ``codes`` left: (fine,)."""
        return merged_codes([(kept, gone) for kept, gone in self.record["order"]], codes)

    def encode(self, part: Part) -> tuple[IntArray, FloatArray]:
        """The fine code of every record of a part (n,), and the features it was told from (n, p). NOT private."""
        *layers, last = self.encoder
        hidden = in_blocks(nn.Sequential(*layers), self.data.inputs(part), block=BLOCK)  # (n, p)
        return in_blocks(last, hidden, block=BLOCK).argmax(1).numpy(), hidden.double().numpy()

    def fine_codes(self, part: Part) -> IntArray:
        """The fine code of every record of a part: (n,). NOT private."""
        return self.encode(part)[0]
