"""Who takes part in a trial: the learnt mechanisms' representations, or raw records for the benchmarks."""

from __future__ import annotations

import math
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.experiments.protocol import LABELLED, People, Trial
from rlm_core.baselines import Bounds, Duchi, DuchiTable, LaplaceTable, PerFeatureLaplace, PrivUnit, Rescaled
from rlm_core.catalogue import DATASETS, NOVEL_CLASS, RAW
from rlm_core.data import LoanPreprocessor, LoanTable, as_features, join_columns, load
from rlm_core.data.splits import Part, Split
from rlm_core.mechanism import RLM, Mechanism
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.registry import identity
from rlm_core.training.presets import PRESETS, Preset
from rlm_core.training.rows import preset_split
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo.trained_run import model_from_run, picture_features, representations

RAW_HIDDEN: dict[str, tuple[int, ...]] = {"mnist": (400, 150, 50), "cifar10": (), "lending_club": (50,)}
"""Classifiers of raw records without LDP (paper, appendix "Benchmarks"); of CIFAR-10, of the ResNet's features."""

NOISY_HIDDEN: tuple[tuple[int, ...], ...] = ((), (50,))
"""Candidates for raw records under LDP; the private validation chooses."""

PRIOR_ROWS = 4_000  # auxiliary representations for the denoising objective
CLASSIFIER_PARTS: tuple[Part, ...] = ("classifier_train", "classifier_valid", "classifier_test")


class MissingRun(FileNotFoundError):
    """A trial needs a training run that is not there; the message is the command that makes it."""


@lru_cache(maxsize=2)
def learnt(name: str, seed: int, runs: Path) -> People:
    """The people of a preset's split, as clean representations of the run with the same seed."""
    run = runs / f"{name}-seed{seed}"
    if not (run / "run.json").is_file():
        raise MissingRun(f"rlm train {name} --seed {seed} --encoder-only --out {runs}")
    model, preset = model_from_run(run), PRESETS[name]
    dataset = load(preset.dataset)
    split = preset_split(dataset, preset, seed)
    train, valid, test = (
        _labels_of_experiment(preset, representations(model, dataset, split, part)) for part in CLASSIFIER_PARTS
    )
    prior = representations(model, dataset, split, "mechanism_train")[0]
    chosen = np.random.default_rng(seed).permutation(len(prior))[:PRIOR_ROWS]
    clip = L1Clip(radius=preset.radius)

    def make(epsilon_x: float) -> RLM:
        return RLM(
            name=model.card.kind,
            encoder=identity,
            noise=LaplaceNoise(epsilon=epsilon_x, clip=clip),
            input_dim=preset.latent_dim,
            output_dim=preset.latent_dim,
        )

    return People(
        make=make,
        train=train,
        valid=valid,
        test=test,
        prior=prior[chosen],
        classes=2 if preset.split == "novel_class" else len(model.card.classes),
        hidden=(DATASETS[preset.dataset].hidden,),
        facts={
            "latent_dim": preset.latent_dim,
            "radius": preset.radius,
            "epsilon_pretraining": _noise_in_training(preset),
        },
    )


@lru_cache(maxsize=2)
def raw(name: str, mechanism: str, seed: int, *, everyone: bool = False) -> People:
    """The people of a preset's split with their raw records, for one of the paper's benchmarks.

    Bounds (and PrivUnit's longest record) come from the mechanism's rows, as in the paper.
    ``everyone`` gives the classifier all training rows, these too (the paper's favourable setting
    for benchmarks).
    """
    preset = PRESETS[name]
    dataset = load(preset.dataset)
    split = preset_split(dataset, preset, seed)
    if isinstance(dataset, LoanTable):
        return _raw_loans(dataset, split, preset, mechanism)
    pixels = {part: dataset.select(split, part) for part in CLASSIFIER_PARTS}
    train, valid, test = (
        _labels_of_experiment(preset, (as_features(x).astype(np.float64), y)) for x, y in pixels.values()
    )
    others, their_labels = dataset.select(split, "mechanism_train")
    public = as_features(others)
    bounds = Bounds(low=tuple(public.min(0).tolist()), high=tuple(public.max(0).tolist()))
    longest = float(np.sqrt(np.vecdot(public, public)).max())
    if everyone:
        train = np.concatenate([train[0], public]), np.concatenate([train[1], their_labels])
    return People(
        make=lambda epsilon_x: _for_pictures(mechanism, epsilon_x, bounds, longest),
        train=train,
        valid=valid,
        test=test,
        classes=2 if preset.split == "novel_class" else len(dataset.classes),
        hidden=NOISY_HIDDEN,
    )


def features(name: str, seed: int) -> People:
    """Raw records for a classifier without LDP; a picture of CIFAR-10 as the ResNet-18's 512 features.

    The paper's benchmarks without LDP use a pretrained ResNet-18 for CIFAR-10.
    """
    preset = PRESETS[name]
    if preset.dataset != "cifar10":
        return raw(name, "Laplace", seed)
    dataset = load("cifar10")
    split = preset_split(dataset, preset, seed)
    train, valid, test = (
        _labels_of_experiment(preset, picture_features(dataset, split, part)) for part in CLASSIFIER_PARTS
    )
    return People(
        make=_nothing_to_release,
        train=train,
        valid=valid,
        test=test,
        classes=2 if preset.split == "novel_class" else len(dataset.classes),
        hidden=((),),
    )


def load_participants(trial: Trial, name: str, runs: Path) -> People:
    """The people of a cell: representations for a learnt mechanism, raw records or features for a benchmark."""
    if trial.mechanism not in RAW:
        return learnt(name, trial.seed, runs)
    return features(name, trial.seed) if math.isinf(trial.epsilon) else raw(name, trial.mechanism, trial.seed)


def own_columns(name: str, seed: int) -> tuple[LABELLED, LABELLED, LABELLED]:
    """The collector's own columns of the data join (paper, appendix "Data Join"), encoded, with labels."""
    table = load("lending_club")
    split = preset_split(table, PRESETS[name], seed)
    columns = join_columns(table.features).clean
    encoder = LoanPreprocessor.fit(table.select(split, "classifier_train")[0], columns=columns)
    train, valid, test = (_encoded(table, split, part, encoder) for part in CLASSIFIER_PARTS)
    return train, valid, test


def _noise_in_training(preset: Preset) -> float | str:
    """ε_pre for the table, with the first one where the noise grew."""
    first, last = getattr(preset, "first_epsilon", None), preset.epsilon_pretraining
    return last if first is None else f"{first:g} to {last:g}"


def _labels_of_experiment(preset: Preset, labelled: LABELLED) -> LABELLED:
    """Labels as the experiment asks for them: in the novel-class experiment, 9 or not."""
    x, y = labelled
    return (x, (y == NOVEL_CLASS).astype(np.int64)) if preset.split == "novel_class" else (x, y)


def _for_pictures(mechanism: str, epsilon_x: float, bounds: Bounds, longest: float) -> Mechanism:
    if mechanism == "Laplace":
        return PerFeatureLaplace(epsilon=epsilon_x, low=bounds.low, high=bounds.high)
    if mechanism == "Duchi":
        return Rescaled(mechanism=Duchi(epsilon=epsilon_x, dimension=bounds.dimension), bounds=bounds)
    if mechanism == "PrivUnit":
        return PrivUnit(epsilon=epsilon_x, dimension=bounds.dimension, radius=longest)
    raise ValueError(f"Expected mechanism in {RAW}, got {mechanism!r}.")


def _nothing_to_release(epsilon_x: float) -> Mechanism:
    raise ValueError(f"Expected no LDP for the ResNet's features, got epsilon_x={epsilon_x:g}.")


def _raw_loans(table: LoanTable, split: Split, preset: Preset, mechanism: str) -> People:
    columns = join_columns(table.features).private if preset.split == "data_join" else table.features
    auxiliary = table.select(split, "mechanism_train")[0]
    encoder = LoanPreprocessor.fit(auxiliary, columns=columns)
    train, valid, test = (_encoded(table, split, part, encoder) for part in CLASSIFIER_PARTS)
    kept = encoder.transform(auxiliary[encoder.inliers(auxiliary)], allow_missing=True, unknown="ignore")
    numbers = [block.start for block in encoder.blocks if block.kind == "number"]
    layout: dict[str, Any] = {
        "low": tuple(kept[:, numbers].min(0).tolist()),
        "high": tuple(kept[:, numbers].max(0).tolist()),
        "categories": tuple((block.start, block.stop) for block in encoder.blocks if block.kind == "category"),
    }
    kind = {"Laplace": LaplaceTable, "Duchi": DuchiTable}[mechanism]
    return People(
        make=lambda epsilon_x: kind(epsilon=epsilon_x, **layout),
        train=train,
        valid=valid,
        test=test,
        classes=len(table.classes),
        hidden=NOISY_HIDDEN,
    )


def _encoded(table: LoanTable, split: Split, part: Part, encoder: LoanPreprocessor) -> tuple[FloatArray, IntArray]:
    frame, labels = table.select(split, part)
    return encoder.transform(frame, allow_missing=True, unknown="ignore").astype(np.float64), labels
