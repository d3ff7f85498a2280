"""From a training run to a shipped mechanism: float16 weights, public representations, and the card.

    rlm models ship runs/mnist-vrlm-l10-eps33-seed0

The bundle holds clean representations of the classifier's split and of a sample of the
auxiliary data, so that the app can collect and learn without any dataset. They are
representations of public datasets; nobody's privacy hangs on them.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from rlm_core import catalogue
from rlm_core.data import (
    IMAGE_SETS,
    Dataset,
    LoanPreprocessor,
    LoanTable,
    Split,
    as_features,
    join_columns,
    load,
)
from rlm_core.data.splits import PARTS, TEST_SET_PARTS, Part
from rlm_core.owner.clip import L1Clip
from rlm_core.training.crlm.features import FOLDER
from rlm_core.training.crlm.picture_source import read_view
from rlm_core.training.dp.accountant import shown
from rlm_core.training.presets import PRESETS, CRLMPreset, Preset, VRLMPreset
from rlm_core.training.rows import preset_split
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo.cards import ENCODER, MODELS, PREPROCESSOR, Card, sha256
from rlm_core.zoo.metrics import clean_accuracy
from rlm_core.zoo.model import Bundle, ZooModel, build, trained_part
from rlm_core.zoo.model import load as load_model
from rlm_core.zoo.pack import halved, packed

PRIOR_ROWS = {"mnist": 4_000, "cifar10": 3_000, "lending_club": 4_000}
"""How many auxiliary records the bundle keeps, drawn at random: the file stays small."""

JOIN_ROWS = 6_000
"""How many people of a data join the bundle keeps, with the collector's own columns."""

JOIN_PARTS: dict[str, Part] = {
    "train_clean": "classifier_train",
    "valid_clean": "classifier_valid",
    "test_clean": "classifier_test",
}

_KIND = {VRLMPreset: "V-RLM", CRLMPreset: "C-RLM"}
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


def ship(run: Path, models: Path = MODELS) -> Card:
    """Write ``models/<name>`` from a run folder; return its card."""
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    name, preset = record["name"], PRESETS[record["name"]]
    target = models / name
    target.mkdir(parents=True, exist_ok=True)
    # A C-RLM's layers between trunk and z lose nothing that we could measure in 8 bits, and there are eight of them.
    encoder_form = packed if isinstance(preset, CRLMPreset) else halved
    for file, smaller in (("encoder", encoder_form), ("decoder", packed)):
        save_file(smaller(load_file(run / f"{file}.safetensors")), target / f"{file}.safetensors")
        (target / f"{file}.safetensors").chmod(0o644)
    if (run / "preprocessor.json").exists():
        shutil.copyfile(run / "preprocessor.json", target / "preprocessor.json")
    card = _card(record, preset, target)
    model = _read_back(card, target)
    bundle = make_bundle(model, load(preset.dataset), preset, record["seed"])
    arrays = {key: value for key, value in vars(bundle).items() if value is not None}
    save_file(
        {
            key: torch.from_numpy(value).to(torch.uint8 if key.endswith("_y") else torch.float16).contiguous()
            for key, value in arrays.items()
        },
        target / "bundle.safetensors",
    )
    (target / "bundle.safetensors").chmod(0o644)
    files = sorted(path.name for path in target.iterdir() if path.name != "card.json")
    card = replace(
        card,
        metrics=card.metrics | {"clean_accuracy_percent": clean_accuracy(bundle, len(card.classes), preset)},
        bundle={key: list(np.shape(value)) for key, value in arrays.items()},
        files={file: sha256(target / file) for file in files},
    )
    (target / "card.json").write_text(card.to_json(), encoding="utf-8")
    return card


def make_bundle(model: ZooModel, dataset: Dataset | LoanTable, preset: Preset, seed: int) -> Bundle:
    """Clean representations of every part of the split that the run used."""
    split = preset_split(dataset, preset, seed)
    parts = {part: representations(model, dataset, split, part) for part in PARTS if part != "mechanism_valid"}
    if preset.split == "novel_class":  # the classifier's question is "is it the class that the mechanism never saw?"
        parts = {part: (z, (y == catalogue.NOVEL_CLASS).astype(np.int64)) for part, (z, y) in parts.items()}
    prior_z, prior_y = parts["mechanism_train"]
    keep = np.random.default_rng(seed).permutation(len(prior_y))[: PRIOR_ROWS[preset.dataset]]
    own = _own_columns(dataset, split) if isinstance(dataset, LoanTable) and preset.split == "data_join" else {}
    if own:  # the wide columns of everybody would weigh more than the mechanism
        few = np.sort(np.random.default_rng(seed).permutation(len(own["train_clean"]))[:JOIN_ROWS])
        z, y = parts["classifier_train"]
        parts["classifier_train"], own["train_clean"] = (z[few], y[few]), own["train_clean"][few]
    return Bundle(
        prior_z=prior_z[keep],
        prior_y=prior_y[keep],
        train_z=parts["classifier_train"][0],
        train_y=parts["classifier_train"][1],
        valid_z=parts["classifier_valid"][0],
        valid_y=parts["classifier_valid"][1],
        test_z=parts["classifier_test"][0],
        test_y=parts["classifier_test"][1],
        **own,
    )


def _own_columns(dataset: LoanTable, split: Split) -> dict[str, FloatArray]:
    """What the collector of a data join knows of everybody, encoded (paper, appendix "Data Join")."""
    frames = {name: dataset.select(split, part)[0] for name, part in JOIN_PARTS.items()}
    encoder = LoanPreprocessor.fit(frames["train_clean"], columns=join_columns(dataset.features).clean)
    return {
        name: encoder.transform(frame, allow_missing=True, unknown="ignore").astype(np.float64)
        for name, frame in frames.items()
    }


def representations(
    model: ZooModel, dataset: Dataset | LoanTable, split: Split, part: Part
) -> tuple[FloatArray, IntArray]:
    """Clean representations z and labels of one part of a split."""
    inputs, labels = inputs_of(model, dataset, split, part)
    network = trained_part(model.encoder)
    with torch.inference_mode():
        h = [network(rows.to(model.device)).cpu() for rows in torch.split(torch.from_numpy(inputs).float(), 1024)]
    return L1Clip(radius=model.card.radius)(torch.cat(h).numpy()), labels


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


def model_from_run(run: Path) -> ZooModel:
    """A mechanism straight from its run folder, in full precision, without shipping it."""
    record = json.loads((run / "run.json").read_text(encoding="utf-8"))
    card = replace(_card(record, PRESETS[record["name"]], run), location=run, files=_checksums(run))
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


def _read_back(card: Card, target: Path) -> ZooModel:
    """The shipped weights as a visitor will load them: metrics are measured on these."""
    draft = replace(card, files={path.name: sha256(path) for path in target.iterdir() if path.name != "card.json"})
    draft.files.pop("bundle.safetensors", None)
    (target / "card.json").write_text(draft.to_json(), encoding="utf-8")
    return load_model(card.name)


def central_limits(central: dict[str, Any]) -> str:
    """What a mechanism trained under central DP does and does not promise."""
    return (
        f"Trained under central differential privacy, ε = {shown(central['epsilon'])}, δ = {central['delta']:g}: this "
        f"covers {central['covers']}. Not covered: {'; '.join(central['not_covered'])}. {_LDP_LIMIT}"
    )


def _card(record: dict[str, Any], preset: Preset, target: Path) -> Card:
    kind = _KIND[type(preset)]
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
        summary += f" Encoder trained by DP-Adam: ε_CDP = {shown(central['epsilon'])}, δ = {central['delta']:g}."
    return Card(
        name=record["name"],
        kind=kind,
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
