"""From a run of codes to a shipped Q-RLM: the finest codes with the order of their merges.

    rlm models ship runs/mnist-qrlm-seed10

One folder for a dataset, ``<name>-k<finest>``; any smaller number of codes is cut from it (``rlm_core.zoo.code_tree``).
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file

from rlm_core.collector.code_decoder import CodeDecoder
from rlm_core.data import LoanTable
from rlm_core.data.splits import Part
from rlm_core.training.codes.run_codes import CodeRun
from rlm_core.types import IntArray
from rlm_core.zoo.cards import DECODER, ENCODER, MODELS, PREPROCESSOR, Card
from rlm_core.zoo.checksums import sha256
from rlm_core.zoo.model import CODES
from rlm_core.zoo.trained_run import LICENCE, LIMITS

PARTS: dict[str, Part] = {
    "prior": "mechanism_train",
    "train": "classifier_train",
    "valid": "classifier_valid",
    "test": "classifier_test",
}
PRIOR_ROWS = 10_000  # of D₁ in the bundle: a code and a label are two bytes
BUNDLE = "bundle.safetensors"
SHIPPED_AS = {f"{name}-equal": name for name in ("cifar10-qrlm", "lending-qrlm")}
"""Presets that take another's place in ``models``."""
TRUNK_SIDE = 160  # pixels, as the cached features


def ship_codes(run: Path, models: Path = MODELS) -> Card:
    """Write ``models/<name>-k<finest>``; return its card."""
    found = CodeRun.read(run)
    halved = {name: tensor.half().contiguous() for name, tensor in load_file(run / ENCODER).items()}
    found.encoder.load_state_dict({name: tensor.float() for name, tensor in halved.items()})  # as a visitor gets it
    target = models / folder_name(found.record["name"], found.finest)
    target.mkdir(parents=True, exist_ok=True)
    _save(halved, target / ENCODER)
    if (run / PREPROCESSOR).exists():
        shutil.copyfile(run / PREPROCESSOR, target / PREPROCESSOR)
    codes = {name: found.fine_codes(part) for name, part in PARTS.items()}
    labels = {name: found.data.labels(part) for name, part in PARTS.items()}
    shape = _save_decoder(found, codes["prior"], target)
    kept, named = _bundle_rows(found, codes), _bundle_rows(found, labels)
    tensors = {f"{name}_z": torch.from_numpy(values).to(torch.uint8) for name, values in kept.items()}
    tensors |= {f"{name}_y": torch.from_numpy(values).to(torch.uint8) for name, values in named.items()}
    _save(tensors, target / BUNDLE)
    accuracy = {str(k): counted_accuracy(found.merge(k), codes, labels) for k in range(2, found.finest + 1)}
    files = sorted(path.name for path in target.iterdir() if path.name != "card.json")
    card = _card(found, target.name, shape)
    card = replace(
        card,
        metrics=card.metrics
        | {"clean_accuracy_percent": accuracy[str(found.finest)], "clean_accuracy_by_codes": accuracy},
        bundle={
            f"{name}_{column}": [len(values), found.finest] if column == "z" else [len(values)]
            for name, values in kept.items()
            for column in ("z", "y")
        },
        files={file: sha256(target / file) for file in files},
    )
    (target / "card.json").write_text(card.to_json(), encoding="utf-8")
    return card


def folder_name(preset: str, finest: int) -> str:
    """Of the shipped codes of a preset: whoever asks for a dataset's codes need not know which preset taught them.

    >>> folder_name("mnist-qrlm", 96), folder_name("cifar10-qrlm-equal", 96)
    ('mnist-qrlm-k96', 'cifar10-qrlm-k96')
    """
    return f"{SHIPPED_AS.get(preset, preset)}-k{finest}"


def counted_accuracy(merge: IntArray, codes: dict[str, IntArray], labels: dict[str, IntArray]) -> float:
    """Percent of the test rows right, with the most frequent label of each merged code among clean training rows."""
    counts = np.zeros((int(merge.max()) + 1, int(labels["train"].max()) + 1))
    np.add.at(counts, (merge[codes["train"]], labels["train"]), 1)
    correct = counts.argmax(axis=1)[merge[codes["test"]]] == labels["test"]
    return round(100 * float(correct.mean()), 2)


def _bundle_rows(found: CodeRun, values: dict[str, IntArray]) -> dict[str, IntArray]:
    """The same with a sample of D₁ instead of all of it."""
    keep = np.random.default_rng(int(found.record["seed"])).permutation(len(values["prior"]))[:PRIOR_ROWS]
    return values | {"prior": values["prior"][keep]}


def _save_decoder(found: CodeRun, codes: IntArray, target: Path) -> list[int]:
    """Mean records of D₁'s codes; returns the shape of a record."""
    records = torch.from_numpy(found.data.records("mechanism_train"))
    if found.preset.dataset == "cifar10":
        records = records.view(-1, 32, 32, 3).permute(0, 3, 1, 2)  # (n, 3, 32, 32)
    decoder = CodeDecoder.fit(torch.from_numpy(codes), records, found.finest)
    _save({name: value.half().contiguous() for name, value in decoder.state_dict().items()}, target / DECODER)
    return list(records.shape[1:])


def _save(tensors: dict[str, torch.Tensor], path: Path) -> None:
    save_file(tensors, path)
    path.chmod(0o644)


def _card(found: CodeRun, name: str, shape: list[int]) -> Card:
    record, preset, dataset = found.record, found.preset, found.data.dataset
    architecture: dict[str, Any] = {
        "sizes": record["sizes"],
        "merge": list(range(found.finest)),
        "order": record["order"],
        "record": shape,
        "side": TRUNK_SIDE,
        "mirrored": True,
    }
    input_dim = int(np.prod(shape))
    return Card(
        name=name,
        kind=CODES,
        dataset=preset.dataset,
        classes=tuple(dataset.classes),
        input_dim=input_dim,
        latent_dim=found.finest,
        radius=1.0,
        epsilon_pretraining="none",
        training_noise_scale=0.0,
        architecture=architecture,
        preset=record["preset"],
        data={
            "source": record["source"],
            "split": record["split"],
            "split_seed": record["seed"],
            "mechanism_train_rows": record["train_rows"],
        }
        | ({"columns": list(dataset.features)} if isinstance(dataset, LoanTable) else {}),
        seed=record["seed"],
        seconds=record["seconds"],
        epochs={"mechanism": len(record["losses"])},
        versions=record["versions"],
        metrics={"mechanism_valid_loss": round(record["losses"][-1][1], 4)},
        bundle={},
        summary=f"Q-RLM for {preset.dataset}: {found.finest} codes learnt without labels, sent as a random set.",
        limits=LIMITS + " A code says little beyond its group: see docs/q-rlm.md for what it loses.",
        licence=LICENCE[preset.dataset],
    )
