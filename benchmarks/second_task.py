"""What a coarse code loses: reconstruction, and a task that nobody thought of when the codes were learnt.

    python -m benchmarks.second_task          needs MNIST; writes results/second_task.json

For shipped MNIST mechanisms: the mean squared error of a pixel after decoding (clean and private), and two
questions about the test digits, answered from clean representations by a small network:
which digit it is, and whether it is drawn with more ink than the median digit of the mechanism's data. Every
mechanism gets the same labelled representations of the classifier's training rows, without noise.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import torch

from rlm_core import zoo
from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.data import as_features, data_collection, load
from rlm_core.types import FloatArray, IntArray

RESULT = Path(__file__).resolve().parent / "results" / "second_task.json"
EPSILONS = (math.inf, 10.0, 4.0, 2.0)
SEED = 10
"""Of the shipped mechanisms: their own split, so that nobody in the test was in D₁."""


def accuracy(train: tuple[FloatArray, IntArray], test: tuple[FloatArray, IntArray], classes: int) -> float:
    """Percent right on clean test representations."""
    classifier = NoiseAwareClassifier(classes=classes, objective="naive", epochs=15, learning_rate=5e-3, seed=SEED)
    return round(100 * classifier.fit(*train, transition=np.eye(classes)).score(*test), 1)


def measure(name: str, pixels: dict[str, FloatArray], labels: dict[str, IntArray], ink: float) -> dict[str, Any]:
    """One mechanism."""
    model = zoo.load(name, device="cpu")
    clean = model.mechanism(math.inf)
    z = {part: clean.represent(x) for part, x in pixels.items()}
    heavy = {part: (x.sum(axis=1) > ink).astype(np.int64) for part, x in pixels.items()}
    errors = {}
    for epsilon in EPSILONS:
        noise = model.mechanism(epsilon).noise
        released = noise.simulate(z["test"], generator=np.random.default_rng(SEED))
        errors[f"{epsilon:g}"] = round(float(((model.decode(released) - pixels["test"]) ** 2).mean()), 4)
    return {
        "mechanism": name,
        "numbers": model.card.latent_dim,
        "digit_percent": accuracy((z["train"], labels["train"]), (z["test"], labels["test"]), 10),
        "ink_percent": accuracy((z["train"], heavy["train"]), (z["test"], heavy["test"]), 2),
        "squared_error_by_epsilon": errors,
    }


def main() -> None:
    """Measure, print, keep."""
    torch.set_num_threads(1)
    dataset = load("mnist")
    split = data_collection(len(dataset.train_x), len(dataset.test_x), seed=SEED)
    parts = {"train": "classifier_train", "test": "classifier_test"}
    selected = {name: dataset.select(split, part) for name, part in parts.items()}  # type: ignore[arg-type]
    pixels = {name: as_features(x).astype(np.float64) for name, (x, _) in selected.items()}
    labels = {name: np.asarray(y).astype(np.int64) for name, (_, y) in selected.items()}
    ink = float(np.median(as_features(dataset.select(split, "mechanism_train")[0]).sum(axis=1)))
    names = ["mnist-vrlm-l10-learnt", "mnist-vrlm-l10-eps33", "mnist-qrlm-k12", "mnist-qrlm-k96"]
    rows = [measure(name, pixels, labels, ink) for name in names]
    RESULT.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
