"""Own data: tables and pictures through the door of ``LocalPrivatiser``, against baselines and without LDP.

Each table is split at random into rows to fit on, people, and test rows; Lending Club and MNIST as for the paper's
data collection, so that their rows can be compared with ``data_collection.csv``. Every kind and size is by the rule
(``rlm_core.privatiser.plan``), which was fixed on other tables than Adult. Where the rule takes a network (pictures),
or one is asked for, it is trained once a split and kept among the runs; of the V-RLM, which Lending Club and MNIST
have, one for every setting that the rule takes. ``seconds`` are those of a collection and what is learnt from it: what
was fitted for an earlier cell is not fitted again. ``epsilon`` inf: logistic regression on clean rows ("clean"), and
always saying the commonest class ("majority").
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from benchmarks.experiments import data_collection
from benchmarks.experiments.protocol import Trial
from benchmarks.table import Row, renamed
from rlm_core import __version__
from rlm_core.data import Dataset, LoanTable, load, split_of
from rlm_core.privatiser.compare import NETWORK_CODES, RULE, Rehearsal
from rlm_core.privatiser.compare_baselines import FEATURES, LABEL_ALONE
from rlm_core.privatiser.labels import find_classes, label_numbers
from rlm_core.privatiser.network import CodesNetwork, NetworkEncoder, train_codes_network
from rlm_core.privatiser.plan import KINDS, VRLM
from rlm_core.privatiser.vrlm.rehearsal import VRLMRehearsal
from rlm_core.privatiser.vrlm.training import Trained, train_encoder
from rlm_core.training.preset_types import VRLMPreset
from rlm_core.types import IntArray

EXPERIMENT = "own_data"
TABLES = "RLM_TABLES"
"""The environment variable with the folder of the tables that scikit-learn does not bring."""

EPSILONS = (8.0, 4.0, 2.0, 1.0)
CLEAN, MAJORITY = "clean", "majority"
CENTRAL = {f"{VRLM} eps_cdp=5": 5.0}
"""The V-RLM, its encoder trained under central DP."""

DRAWS = 3
"""Simulated collections of a cell with the same split."""

MANY_DRAWS = 12
"""Of a V-RLM on MNIST at ε = 1, where one collection is 5 points off another (docs/own-data-results.md)."""

ASKED = f"{VRLM}, a group asked"
"""The V-RLM as the paper has it, with a validation group that says which classifier to keep."""

OF_THE_PAPER, NOBODY_ASKED = f"{VRLM} of data collection", f"{VRLM} of data collection, nobody asked"
"""Beside them, as many collections by the experiment's own encoders and classifier (``data_collection.csv`` has one a
split); and the same without its validation group."""


Parts = tuple[IntArray, ...]
"""The rows to fit on, those of the people, and those to test with; a validation group, where somebody asks one."""


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table with its labels, and who gets which rows with a seed."""

    load: Callable[[], tuple[pd.DataFrame | NDArray[np.generic], pd.Series]]
    parts: Callable[[int, int], Parts]


def _at_random(public: float, people: float) -> Callable[[int, int], Parts]:
    """So many rows to fit on and of people, or such shares of them; the others are for the test."""

    def deal(rows: int, seed: int) -> Parts:
        order = np.random.default_rng(seed).permutation(rows)
        first, second = (int(part * rows) if part < 1 else int(part) for part in (public, people))
        fit, asked, test = np.split(order, [first, first + second])
        return fit, asked, test

    return deal


def _parquet(
    name: str, label: str, drop: tuple[str, ...] = (), most: int | None = None
) -> tuple[pd.DataFrame, pd.Series]:
    folder = os.environ.get(TABLES)
    if folder is None:
        raise FileNotFoundError(f"Expected the folder of the tables in {TABLES}, got nothing.")
    frame = pd.read_parquet(Path(folder) / name).drop(columns=list(drop))
    if most is not None:
        frame = frame.sample(most, random_state=0).reset_index(drop=True)
    return frame.drop(columns=label), frame[label]


def _bundled(name: str) -> tuple[pd.DataFrame, pd.Series]:
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{name}")(as_frame=True)
    return loaded.data, loaded.target


@lru_cache(maxsize=1)
def _loans() -> LoanTable:
    return load("lending_club")


def _loan_parts(rows: int, seed: int) -> Parts:
    split = split_of(_loans(), seed=seed)
    return split.mechanism_train, split.classifier_train, split.classifier_test, split.classifier_valid


@lru_cache(maxsize=1)
def _digits() -> Dataset:
    return load("mnist")


def _digit_pictures() -> tuple[NDArray[np.generic], pd.Series]:
    """Training pictures, then test pictures."""
    digits = _digits()
    pictures = np.concatenate([digits.train_x, digits.test_x])
    return pictures, pd.Series(np.concatenate([digits.train_y, digits.test_y]))


def _small_digits() -> tuple[NDArray[np.generic], pd.Series]:
    frame, labels = _bundled("digits")
    return frame.to_numpy().reshape(-1, 8, 8), labels


def _digit_parts(rows: int, seed: int) -> Parts:
    split, test_rows = split_of(_digits(), seed=seed), len(_digits().train_y)
    return split.mechanism_train, split.classifier_train, split.classifier_test + test_rows, split.classifier_valid


CENSUS_ROWS = 60_000
"""Of Census Income's 199,523 training rows, a random sample: memory."""

DATASETS = {
    "adult": Table(load=lambda: _parquet("adult_train.parquet", "income-per-year"), parts=_at_random(12_000, 14_000)),
    "census_income": Table(
        load=lambda: _parquet("census_income_train.parquet", "income", ("instance_weight",), CENSUS_ROWS),
        parts=_at_random(16_000, 30_000),
    ),
    "breast_cancer": Table(load=lambda: _bundled("breast_cancer"), parts=_at_random(0.35, 0.45)),
    "digits": Table(load=_small_digits, parts=_at_random(0.35, 0.45)),
    "wine": Table(load=lambda: _bundled("wine"), parts=_at_random(0.35, 0.45)),
    "lending_club": Table(load=lambda: (_loans().frame, pd.Series(_loans().target)), parts=_loan_parts),
    "mnist": Table(load=_digit_pictures, parts=_digit_parts),
}


def trials(seeds: int) -> list[Trial]:
    """All cells."""
    return [
        Trial(experiment=EXPERIMENT, dataset=dataset, mechanism=mechanism, epsilon=epsilon, seed=seed, draw=draw)
        for dataset in DATASETS
        for seed in range(seeds)
        for mechanism, epsilons, draws in columns(dataset)
        for epsilon in epsilons
        for draw in range(draws)
    ]


def columns(dataset: str) -> tuple[tuple[str, tuple[float, ...], int], ...]:
    """What is measured of a table: mechanism, ε and draws of each."""
    sent: list[tuple[str, tuple[float, ...], int]] = [
        (name, EPSILONS, DRAWS) for name in (RULE, *_kinds(dataset), *FEATURES, LABEL_ALONE)
    ]
    if dataset == "mnist":
        at = sent.index((VRLM, EPSILONS, DRAWS))
        many = [(name, EPSILONS[-1:], MANY_DRAWS) for name in (VRLM, ASKED, OF_THE_PAPER, NOBODY_ASKED)]
        sent[at : at + 1] = [*((name, EPSILONS[:-1], DRAWS) for name in (VRLM, ASKED)), *many]
    return (CLEAN, (math.inf,), 1), (MAJORITY, (math.inf,), 1), *sent


def _kinds(dataset: str) -> tuple[str, ...]:
    """Every kind for itself, beside the rule's choice: two classes have all of them, more have two.

    Loans have codes by a network too, to be compared with the Q-RLM's rows of ``data_collection.csv``; and digits, of
    which there are too few for it. Loans and MNIST have the V-RLM, to be compared with its rows there, also under
    central DP.
    """
    if dataset == "lending_club":
        return (*KINDS, NETWORK_CODES, VRLM, ASKED, *CENTRAL)
    if dataset == "mnist":
        return (*KINDS[2:], VRLM, *CENTRAL)
    if dataset == "digits":
        return (*KINDS[2:], NETWORK_CODES)
    return KINDS if dataset in ("adult", "census_income", "breast_cancer") else KINDS[2:]


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one split."""
    if trial.mechanism in (OF_THE_PAPER, NOBODY_ASKED):
        there = replace(trial, experiment=data_collection.EXPERIMENT, mechanism=VRLM)
        found = data_collection.measure(there, runs, ask=trial.mechanism == OF_THE_PAPER)
        return renamed(found, experiment=EXPERIMENT, mechanism=trial.mechanism)
    start = time.perf_counter()
    rehearsal = rehearse(trial.dataset, trial.seed, runs)
    reports, size = len(rehearsal.people), ""
    columns: dict[str, Any] = {}
    if trial.mechanism == CLEAN:
        accuracy = rehearsal.clean
    elif trial.mechanism == MAJORITY:
        accuracy = rehearsal.majority
    elif trial.mechanism in (VRLM, ASKED, *CENTRAL):
        split = vrlm(trial.dataset, trial.seed, runs, CENTRAL.get(trial.mechanism))
        asked = trial.mechanism == ASKED
        accuracy = split.accuracy(trial.epsilon, reports, trial.generator(), ask_group=asked)
        size, columns = str(split.method(trial.epsilon).size), _vrlm_columns(split, trial.epsilon)
    else:
        accuracy = rehearsal.accuracy(trial.mechanism, trial.epsilon, reports, trial.generator())
        if trial.mechanism in (RULE, NETWORK_CODES, *KINDS):
            size = str(rehearsal.plan(trial.mechanism, trial.epsilon, reports).size)
    return Row(
        experiment=EXPERIMENT,
        dataset=trial.dataset,
        mechanism=trial.mechanism,
        epsilon=trial.epsilon,
        seed=trial.seed,
        draw=trial.draw,
        protocol=trial.protocol,
        accuracy=round(100 * accuracy, 3),
        latent_dim=size,
        train_rows=reports,
        test_rows=len(rehearsal.test),
        seconds=round(time.perf_counter() - start, 2),
        version=__version__,
        **columns,
    )


def _vrlm_columns(split: VRLMRehearsal, epsilon: float) -> dict[str, Any]:
    budget, preset = split.budget(epsilon), split.preset(epsilon)
    return {
        "epsilon_x": budget.epsilon_x,
        "epsilon_y": budget.epsilon_y,
        "lam": budget.lam,
        "radius": preset.radius,
        "epsilon_pretraining": preset.epsilon_pretraining,
    }


@lru_cache(maxsize=1)
def vrlm(dataset: str, seed: int, runs: Path, central: float | None = None) -> VRLMRehearsal:
    """A split's rehearsal of the V-RLM; its encoders are kept among the runs."""
    promised = "" if central is None else f"-cdp{central:g}"
    rehearsal = rehearse(dataset, seed, runs)

    def trained(preset: VRLMPreset) -> Trained:
        file = runs / (
            f"own_data-{dataset}-vrlm-l{preset.radius:g}-eps{preset.epsilon_pretraining:g}{promised}-seed{seed}"
            ".safetensors"
        )
        if not file.is_file():
            torch.set_num_threads(1)
            file.parent.mkdir(parents=True, exist_ok=True)
            columns = VRLMRehearsal(of=rehearsal).columns
            checkpoint = file.with_suffix(".checkpoint")
            found = train_encoder(
                preset,
                rehearsal.public,
                columns,
                seed=seed,
                central_epsilon=central,
                device="cpu",
                checkpoint=checkpoint,
            )
            partial = file.with_suffix(".partial")
            save_file(found.encoder.tensors(), partial)
            partial.replace(file)
        settings = {"radius": preset.radius, "epsilon_pretraining": preset.epsilon_pretraining}
        return Trained(encoder=NetworkEncoder.of_tensors(load_file(file)), settings=settings)

    return VRLMRehearsal(of=rehearsal, trained=trained)


@lru_cache(maxsize=1)
def rehearse(dataset: str, seed: int, runs: Path) -> Rehearsal:
    """A table's or a set of pictures' three parts."""
    table = DATASETS[dataset]
    records, labels = table.load()
    classes = find_classes(labels)
    y: IntArray = label_numbers(labels, classes)
    parts = table.parts(len(y), seed)
    if isinstance(records, pd.DataFrame):
        rehearsal = Rehearsal.of(records, y, len(classes), parts, seed=seed)
    else:
        rehearsal = Rehearsal.of_pictures(records, y, len(classes), parts, seed=seed)
    file = runs / f"own_data-{dataset}-seed{seed}.safetensors"
    return replace(rehearsal, trained=lambda given: _network(given, file))


def _network(rehearsal: Rehearsal, file: Path) -> CodesNetwork:
    """The network of a split: from its file, or trained and kept."""
    if not file.is_file():
        assert rehearsal.views is not None
        torch.set_num_threads(1)
        file.parent.mkdir(parents=True, exist_ok=True)
        train_codes_network(rehearsal.public, rehearsal.views, classes=rehearsal.classes, seed=rehearsal.seed).write(
            file
        )
    return CodesNetwork.read(file)
