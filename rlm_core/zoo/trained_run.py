"""A training run as a mechanism, straight from its folder: for the experiments, and for shipping.

model = model_from_run(Path("runs/mnist-vrlm-l10-eps33-seed0"))
z, y = representations(model, dataset, split, "classifier_train")
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file

from rlm_core import catalogue
from rlm_core.data import IMAGE_SETS, Dataset, LoanPreprocessor, LoanTable, Split, as_features
from rlm_core.data.splits import TEST_SET_PARTS, Part
from rlm_core.learning.device import in_blocks
from rlm_core.owner.clip import L1Clip
from rlm_core.training.crlm.features import FOLDER
from rlm_core.training.crlm.picture_source import read_view
from rlm_core.training.dp.accountant import format_epsilon_up
from rlm_core.training.presets import PRESETS, CRLMPreset, Preset
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo.cards import ENCODER, PREPROCESSOR, Card
from rlm_core.zoo.checksums import sha256
from rlm_core.zoo.model import ZooModel, build, trained_part

LICENCE = {
    "mnist": "Code and weights MIT. MNIST: Y. LeCun and C. Cortes, CC BY-SA 3.0.",
    "cifar10": "Code and weights MIT. CIFAR-10: A. Krizhevsky, for research and teaching. "
    "Trunk: torchvision's ImageNet ResNet-18 (BSD-3-Clause).",
    "lending_club": "Code and weights MIT. Lending Club loans 2007-2018: CC0.",
}
_LDP_LIMIT = (
    "The LDP guarantee is the release's and holds for any weights; the noise used in training gives none. "
    "Representations in the bundle are of public data and are clean."
)
LIMITS = (
    "Not trained under central differential privacy: the weights may reveal something about the auxiliary "
    f"(public) data. {_LDP_LIMIT}"
)


def model_from_run(run: Path) -> ZooModel:
    """A mechanism straight from its run folder, in full precision, without shipping it."""
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    card = replace(draft_card(record, PRESETS[record["name"]], run), location=run, files=_checksums(run))
    encoder, decoder = build(card)
    trained_part(encoder).load_state_dict(load_file(run / "encoder.safetensors"))
    if (run / "decoder.safetensors").is_file():  # a run with --encoder-only has none
        decoder.load_state_dict(load_file(run / "decoder.safetensors"))
    table = run / "preprocessor.json"
    return ZooModel(
        card=card,
        device="cpu",
        encoder=encoder.eval(),
        decoder=decoder.eval(),
        preprocessor=LoanPreprocessor.from_json(table.read_text(encoding="utf-8")) if table.is_file() else None,
    )


def _checksums(run: Path) -> dict[str, str]:
    """Of the files that define what a mechanism releases."""
    return {file: sha256(run / file) for file in (ENCODER, PREPROCESSOR) if (run / file).is_file()}


def representations(
    model: ZooModel, dataset: Dataset | LoanTable, split: Split, part: Part
) -> tuple[FloatArray, IntArray]:
    """Clean representations z and labels of one part of a split."""
    inputs, labels = inputs_of(model, dataset, split, part)
    h = in_blocks(trained_part(model.encoder), torch.from_numpy(inputs).float(), device=model.device)
    return L1Clip(radius=model.card.radius)(h.numpy()), labels


def inputs_of(model: ZooModel, dataset: Dataset | LoanTable, split: Split, part: Part) -> tuple[FloatArray, IntArray]:
    """What the trained part of the encoder sees: pixels, cached trunk features, or encoded loans; and labels."""
    if isinstance(dataset, LoanTable):
        assert model.preprocessor is not None
        frame, labels = dataset.select(split, part)
        return model.preprocessor.transform(frame, allow_missing=True, unknown="ignore").astype(np.float64), labels
    return picture_features(dataset, split, part)


def picture_features(dataset: Dataset, split: Split, part: Part) -> tuple[FloatArray, IntArray]:
    """Pixels of MNIST, cached features of the frozen trunk for CIFAR-10, and labels."""
    images, labels = dataset.select(split, part)
    if dataset.name == "cifar10":  # the trunk's features are cached: seconds instead of half an hour
        side = "test" if part in TEST_SET_PARTS else "train"
        features = read_view(IMAGE_SETS["cifar10"].folder() / FOLDER, side, 0)[split.rows(part)]
        return features.astype(np.float64), labels
    return as_features(images).astype(np.float64), labels


def draft_card(record: dict[str, Any], preset: Preset, target: Path) -> Card:
    """The card of a run: all that is known before it is shipped and measured."""
    facts = catalogue.dataset(preset.dataset)
    pre = preset.epsilon_pretraining
    central = record.get("central_dp")
    noise = f"trained with noise of ε_pre = {pre:g}" if not isinstance(pre, str) else f"training noise: {pre}"
    if isinstance(preset, CRLMPreset):
        architecture: dict[str, Any] = {
            "adapter_hidden": list(preset.adapter_hidden),
            "side": preset.side,
            "mirrored": not preset.finetune,
        }
        how = "whole ResNet-18 fine-tuned" if preset.finetune else "ResNet-18 frozen, adapter trained on its features"
        input_dim, summary = 3072, f"C-RLM for CIFAR-10 pictures ({how}), d = {preset.latent_dim}, {noise}."
    else:
        architecture, input_dim = {"hidden": list(preset.hidden)}, 784
        if preset.dataset == "lending_club":
            table = LoanPreprocessor.from_json((target / "preprocessor.json").read_text(encoding="utf-8"))
            architecture["numeric"] = [block.start for block in table.blocks if block.kind == "number"]
            architecture["categorical"] = [[b.start, b.stop] for b in table.blocks if b.kind == "category"]
            input_dim = table.output_dim
        summary = f"V-RLM for {preset.dataset}, d = {preset.latent_dim}, l = {preset.radius:g}, {noise}."
    if central is not None:
        summary += (
            f" Encoder trained by DP-Adam: ε_CDP = {format_epsilon_up(central['epsilon'])}, δ = {central['delta']:g}."
        )
    return Card(
        name=record["name"],
        kind=facts.kind,
        dataset=preset.dataset,
        classes=facts.novel_classes if preset.split == "novel_class" else facts.classes,
        input_dim=input_dim,
        latent_dim=preset.latent_dim,
        radius=preset.radius,
        epsilon_pretraining=pre,
        training_noise_scale=record["training_noise_scale"],
        architecture=architecture,
        preset=record["preset"],
        data=record["data"],
        seed=record["seed"],
        seconds=record["seconds"],
        epochs={stage: facts["epochs"] for stage, facts in record["stages"].items()},
        versions=record["versions"],
        metrics={f"{stage}_valid_loss": facts["valid_loss"][-1] for stage, facts in record["stages"].items()},
        bundle={},
        summary=summary,
        limits=LIMITS if central is None else central_limits(central),
        central_dp=central,
        licence=LICENCE[preset.dataset],
    )


def central_limits(central: dict[str, Any]) -> str:
    """What a mechanism trained under central DP does and does not promise."""
    spent = format_epsilon_up(central["epsilon"])
    return (
        f"Trained under central differential privacy, ε = {spent}, δ = {central['delta']:g}: this covers "
        f"{central['covers']}. Not covered: {'; '.join(central['not_covered'])}. {_LDP_LIMIT}"
    )
