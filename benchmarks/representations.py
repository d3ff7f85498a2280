"""How much do the representations themselves lose? No LDP: the paper's classifier on clean z.

For every dataset, the mechanism that the paper uses without LDP, trained with each seed, and
beside it the same classifier on what the mechanism started from: pixels, the frozen trunk's
512 features, encoded loans. Paper, table "data collection", column "No LDP".

    rlm train mnist-vrlm-l10-learnt --seed 0 --out runs     (and seeds 1, 2)
    python -m benchmarks representations --runs runs
"""

from __future__ import annotations

import argparse
import math
import time
from pathlib import Path

import torch

import rlm_core
from benchmarks import table
from benchmarks.experiments.participants import RAW_HIDDEN
from benchmarks.table import Row
from rlm_core.catalogue import DATASETS
from rlm_core.data import load
from rlm_core.data.splits import Part
from rlm_core.training.presets import PRESETS, preset_name
from rlm_core.training.rows import preset_split
from rlm_core.zoo.metrics import clean_classifier, fit_clean
from rlm_core.zoo.trained_run import inputs_of, model_from_run, representations

EXPERIMENT = "representations"
CLASSIFIER_PARTS: tuple[Part, ...] = ("classifier_train", "classifier_valid", "classifier_test")


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
                print(f"missing: rlm train {name} --seed {seed} --out {options.runs}")
                continue
            for row in measure(dataset, name, seed, run, finished):
                table.append(row)
                print(f"{row.dataset:13} {row.mechanism:14} seed {row.seed}: {row.accuracy:.2f} %", flush=True)
    return 0


def measure(dataset: str, name: str, seed: int, run: Path, finished: set[table.Key]) -> list[Row]:
    """The trials of one run that are not measured yet: the representation, and what it started from."""
    model, preset, data = model_from_run(run), PRESETS[name], load(dataset)
    classes = len(model.card.classes)
    rows = []
    for mechanism in (model.card.kind, "raw features"):
        if (dataset, mechanism, math.inf, seed, 0, 1) in finished:
            continue
        start = time.perf_counter()
        split = preset_split(data, preset, seed)
        if mechanism == "raw features":
            train, valid, test = (inputs_of(model, data, split, part) for part in CLASSIFIER_PARTS)
            classifier = clean_classifier(preset, classes, seed, RAW_HIDDEN[dataset], raw=True)
        else:
            train, valid, test = (representations(model, data, split, part) for part in CLASSIFIER_PARTS)
            classifier = clean_classifier(preset, classes, seed)
        fit_clean(classifier, train, valid)
        rows.append(
            Row(
                experiment=EXPERIMENT,
                dataset=dataset,
                mechanism=mechanism,
                epsilon=math.inf,
                seed=seed,
                accuracy=round(100 * classifier.score(*test), 2),
                latent_dim=train[0].shape[1],
                radius="" if mechanism == "raw features" else preset.radius,
                train_rows=len(train[1]),
                test_rows=len(test[1]),
                seconds=round(time.perf_counter() - start, 1),
                version=rlm_core.__version__,
            )
        )
    return rows
