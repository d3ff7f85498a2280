"""How much do the representations themselves lose? No LDP: the paper's classifier on clean z.

For every dataset, the mechanism that the paper uses without LDP, trained with each seed, and
beside it the same classifier on what the mechanism started from: pixels, the frozen trunk's
512 features, encoded loans. Paper, table "data collection", column "No LDP".

    python -m rlm_core.training mnist-vrlm-l10-learnt --seed 0 --out runs     (and seeds 1, 2)
    python -m benchmarks representations --runs runs
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import numpy as np
import torch

import rlm_core
from benchmarks import table
from benchmarks.table import Row
from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.data import load, split_of
from rlm_core.training.presets import PRESETS, preset_name
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo.metrics import clean_classifier
from rlm_core.zoo.ship import inputs_of, make_bundle, model_from_run

EXPERIMENT = "representations"
DATASETS = ("mnist", "cifar10", "lending_club")
RAW_HIDDEN: dict[str, tuple[int, ...]] = {"mnist": (400, 150, 50), "cifar10": (), "lending_club": (50,)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--runs", type=Path, required=True, help="folder of training runs")
    parser.add_argument("--seeds", type=int, default=3, help="trials, each with its own split (default: %(default)s)")


def main(options: argparse.Namespace) -> int:
    """Measure what is not in the CSV yet; runs that are not there are named and skipped."""
    torch.set_num_threads(1)
    finished = table.done(EXPERIMENT)
    for dataset in DATASETS:
        name = preset_name("data_collection", dataset, math.inf)
        for seed in range(options.seeds):
            run = options.runs / f"{name}-seed{seed}"
            if not (run / "run.json").is_file():
                print(f"missing: python -m rlm_core.training {name} --seed {seed} --out {options.runs}")
                continue
            for row in measure(dataset, name, seed, run, finished):
                table.append(row)
                print(f"{row.dataset:13} {row.mechanism:14} seed {row.seed}: {row.accuracy:.2f} %", flush=True)
    return 0


def measure(dataset: str, name: str, seed: int, run: Path, finished: set[tuple[str, str, float, int]]) -> list[Row]:
    """The trials of one run that are not measured yet: the representation, and what it started from."""
    model, preset = model_from_run(run), PRESETS[name]
    kind = model.card.kind
    rows = []
    for mechanism in (kind, "raw features"):
        if (dataset, mechanism, math.inf, seed) in finished:
            continue
        start = time.perf_counter()
        if mechanism == kind:
            bundle = make_bundle(model, load(dataset), preset, seed)
            classifier = clean_classifier(preset, len(model.card.classes), seed)
            parts = (bundle.train_z, bundle.train_y, bundle.test_z, bundle.test_y)
        else:
            classifier = clean_classifier(preset, len(model.card.classes), seed, hidden=RAW_HIDDEN[dataset])
            split = split_of(load(dataset), seed=seed)
            parts = tuple(  # type: ignore[assignment]
                array
                for part in ("classifier_train", "classifier_test")
                for array in inputs_of(model, load(dataset), split, part)  # type: ignore[arg-type]
            )
        rows.append(_trial(classifier, parts, dataset, mechanism, seed, start, model.card.latent_dim, preset.radius))
    return rows


def _trial(
    classifier: NoiseAwareClassifier,
    parts: tuple[FloatArray, IntArray, FloatArray, IntArray],
    dataset: str,
    mechanism: str,
    seed: int,
    start: float,
    latent_dim: int,
    radius: float,
) -> Row:
    train_x, train_y, test_x, test_y = parts
    classifier.fit(train_x, train_y, transition=np.eye(classifier.classes))
    learnt = mechanism != "raw features"
    return Row(
        experiment=EXPERIMENT,
        dataset=dataset,
        mechanism=mechanism,
        epsilon=math.inf,
        seed=seed,
        accuracy=round(100 * classifier.score(test_x, test_y), 2),
        latent_dim=latent_dim if learnt else train_x.shape[1],
        radius=radius if learnt else "",
        train_rows=len(train_y),
        test_rows=len(test_y),
        seconds=round(time.perf_counter() - start, 1),
        version=rlm_core.__version__,
    )
