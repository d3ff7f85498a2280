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

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from rlm_core import catalogue
from rlm_core.data import Dataset, LoanPreprocessor, LoanTable, Split, join_columns, load
from rlm_core.data.splits import PARTS, Part
from rlm_core.training.presets import PRESETS, CRLMPreset, Preset
from rlm_core.training.rows import preset_split
from rlm_core.types import FloatArray
from rlm_core.zoo.cards import MODELS, Card
from rlm_core.zoo.checksums import sha256
from rlm_core.zoo.metrics import clean_accuracy
from rlm_core.zoo.model import Bundle, ZooModel
from rlm_core.zoo.model import load as load_model
from rlm_core.zoo.pack import halved, packed
from rlm_core.zoo.trained_run import draft_card, representations

PRIOR_ROWS = {"mnist": 4_000, "cifar10": 3_000, "lending_club": 4_000}
"""How many auxiliary records the bundle keeps, drawn at random: the file stays small."""

JOIN_ROWS = 6_000
"""How many people of a data join the bundle keeps, with the collector's own columns."""

JOIN_PARTS: dict[str, Part] = {
    "train_clean": "classifier_train",
    "valid_clean": "classifier_valid",
    "test_clean": "classifier_test",
}


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
    card = draft_card(record, preset, target)
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


def _read_back(card: Card, target: Path) -> ZooModel:
    """The shipped weights as a visitor will load them: metrics are measured on these."""
    draft = replace(card, files={path.name: sha256(path) for path in target.iterdir() if path.name != "card.json"})
    draft.files.pop("bundle.safetensors", None)
    (target / "card.json").write_text(draft.to_json(), encoding="utf-8")
    return load_model(card.name)
