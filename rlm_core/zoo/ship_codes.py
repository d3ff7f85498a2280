"""From a run of codes to shipped Q-RLMs, one for each number of codes asked for.

    rlm models ship runs/mnist-qrlm-seed0 --codes 64 16

The finest comes first and holds the encoder; the others share it and add their own grouping
of its codes, mean records and bundle.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
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
from rlm_core.zoo.cards import MODELS, Card, sha256
from rlm_core.zoo.model import CODES
from rlm_core.zoo.ship import PRIOR_ROWS
from rlm_core.zoo.trained_run import LICENCE, LIMITS

PARTS: dict[str, Part] = {
    "prior": "mechanism_train",
    "train": "classifier_train",
    "valid": "classifier_valid",
    "test": "classifier_test",
}
SHIPPED = {"mnist": (96, 12), "cifar10": (48, 10), "lending_club": (16, 4)}
"""Numbers of codes that are shipped: many to learn from, few to tell one report from another."""

TRUNK_SIDE = 160  # pixels, as the cached features


def ship_codes(run: Path, codes: Sequence[int] | None = None, models: Path = MODELS) -> list[Card]:
    """Write ``models/<name>-k<codes>`` for each number of codes; return their cards."""
    found = CodeRun.read(run)
    codes = SHIPPED[found.preset.dataset] if codes is None else codes
    halved = {name: tensor.half().contiguous() for name, tensor in load_file(run / "encoder.safetensors").items()}
    found.encoder.load_state_dict({name: tensor.float() for name, tensor in halved.items()})  # as a visitor gets it
    fine = {name: found.fine_codes(part) for name, part in PARTS.items()}
    labels = {name: found.data.labels(part) for name, part in PARTS.items()}
    cards: list[Card] = []
    for k in sorted(codes, reverse=True):
        target = models / f"{found.record['name']}-k{k}"
        target.mkdir(parents=True, exist_ok=True)
        if not cards:
            _save(halved, target / "encoder.safetensors")
        if (run / "preprocessor.json").exists():
            shutil.copyfile(run / "preprocessor.json", target / "preprocessor.json")
        shape = _ship_one(found, fine, labels, k, target)
        card = _card(found, k, target.name, shape, cards[0].name if cards else None)
        files = sorted(path.name for path in target.iterdir() if path.name != "card.json")
        merged = {name: found.merge(k)[values] for name, values in fine.items()}
        card = replace(
            card,
            metrics=card.metrics | {"clean_accuracy_percent": counted_accuracy(merged, labels, k)},
            bundle={
                f"{name}_{what}": [len(values), k] if what == "z" else [len(values)]
                for name, values in _bundle_rows(found, merged).items()
                for what in ("z", "y")
            },
            files={file: sha256(target / file) for file in files},
        )
        (target / "card.json").write_text(card.to_json(), encoding="utf-8")
        cards.append(card)
    return cards


def counted_accuracy(codes: dict[str, IntArray], labels: dict[str, IntArray], k: int) -> float:
    """Percent of the test rows right, with the most frequent label of each code among the clean training rows."""
    counts = np.zeros((k, int(labels["train"].max()) + 1))
    np.add.at(counts, (codes["train"], labels["train"]), 1)
    right = counts.argmax(axis=1)[codes["test"]] == labels["test"]
    return round(100 * float(right.mean()), 2)


def _bundle_rows(found: CodeRun, values: dict[str, IntArray]) -> dict[str, IntArray]:
    """The same with a sample of D₁ instead of all of it, the sample of every other mechanism of this seed."""
    seed, dataset = int(found.record["seed"]), found.preset.dataset
    keep = np.random.default_rng(seed).permutation(len(values["prior"]))[: PRIOR_ROWS[dataset]]
    return values | {"prior": values["prior"][keep]}


def _ship_one(
    found: CodeRun, fine: dict[str, IntArray], labels: dict[str, IntArray], k: int, target: Path
) -> list[int]:
    merge = found.merge(k)
    records = torch.from_numpy(found.data.records("mechanism_train"))
    if found.preset.dataset == "cifar10":
        records = records.view(-1, 32, 32, 3).permute(0, 3, 1, 2)  # (n, 3, 32, 32)
    decoder = CodeDecoder.fit(torch.from_numpy(merge[fine["prior"]]), records, k)
    _save(
        {name: value.half().contiguous() for name, value in decoder.state_dict().items()},
        target / "decoder.safetensors",
    )
    merged = _bundle_rows(found, {name: merge[values] for name, values in fine.items()})
    kept = _bundle_rows(found, labels)
    tensors = {f"{name}_z": torch.from_numpy(values).to(torch.uint8) for name, values in merged.items()}
    tensors |= {f"{name}_y": torch.from_numpy(values).to(torch.uint8) for name, values in kept.items()}
    _save(tensors, target / "bundle.safetensors")
    return list(records.shape[1:])


def _save(tensors: dict[str, torch.Tensor], path: Path) -> None:
    save_file(tensors, path)
    path.chmod(0o644)


def _card(found: CodeRun, k: int, name: str, shape: list[int], encoder_of: str | None) -> Card:
    record, preset, dataset = found.record, found.preset, found.data.dataset
    architecture: dict[str, Any] = {
        "sizes": record["sizes"],
        "merge": found.merge(k).tolist(),
        "record": shape,
        "side": TRUNK_SIDE,
        "mirrored": True,
    }
    if encoder_of is not None:
        architecture["encoder_of"] = encoder_of
    input_dim = int(np.prod(shape))
    return Card(
        name=name,
        kind=CODES,
        dataset=preset.dataset,
        classes=tuple(dataset.classes),
        input_dim=input_dim,
        latent_dim=k,
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
        summary=f"Q-RLM for {preset.dataset}: {k} codes learnt without labels, sent as a random set of codes.",
        limits=LIMITS + " A code says little beyond its group: see docs/q-rlm.md for what it loses.",
        licence=LICENCE[preset.dataset],
    )
