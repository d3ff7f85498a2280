"""What is the network for? MNIST data collection with PCA to 8 dimensions instead of the V-RLM.

Paper, appendix "Comparison with Simpler Dimensionality-Reduction Approaches". The radius is the
median l1 norm of the auxiliary data's components: half of the records are not clipped at all.
"""

from __future__ import annotations

import math
import time
from functools import lru_cache
from pathlib import Path

import numpy as np

from benchmarks.experiments import data_collection, participants
from benchmarks.experiments.protocol import EPSILONS, People, Trial, row
from benchmarks.table import Row
from rlm_core.baselines import fit_pca_mechanism
from rlm_core.catalogue import DATASETS
from rlm_core.data import load
from rlm_core.mechanism import RLM
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.registry import identity
from rlm_core.training.presets import PRESETS, preset_name
from rlm_core.training.rows import preset_split
from rlm_core.zoo.trained_run import picture_features

EXPERIMENT = "pca"
DIMENSION = 8


def trials(seeds: int) -> list[Trial]:
    """All cells of the table."""
    return [
        Trial(experiment=EXPERIMENT, dataset="mnist", mechanism="PCA", epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for epsilon in EPSILONS
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one seed; needs no training run."""
    start = time.perf_counter()
    people = components(trial.seed)
    if math.isinf(trial.epsilon):
        return row(trial, people, data_collection.without_ldp(trial, people), start)
    return row(trial, people, data_collection.collect(trial, people), start, budget=data_collection.split_budget(trial))


@lru_cache(maxsize=1)
def components(seed: int) -> People:
    """The people of the data collection split as clipped principal components."""
    dataset = load("mnist")
    split = preset_split(dataset, PRESETS[preset_name(data_collection.EXPERIMENT, "mnist", math.inf)], seed)
    auxiliary = picture_features(dataset, split, "mechanism_train")[0]
    projection = fit_pca_mechanism(auxiliary, dimension=DIMENSION, radius=1.0, epsilon=1.0)
    prior = projection.encode(auxiliary)
    clip = L1Clip(radius=float(np.median(np.abs(prior).sum(1))))

    def make(epsilon_x: float) -> RLM:
        noise = LaplaceNoise(epsilon=epsilon_x, clip=clip)
        return RLM(name="PCA", encoder=identity, noise=noise, input_dim=DIMENSION, output_dim=DIMENSION)

    parts = (picture_features(dataset, split, part) for part in participants.CLASSIFIER_PARTS)
    train, valid, test = ((clip(projection.encode(x)), y) for x, y in parts)
    chosen = np.random.default_rng(seed).permutation(len(prior))[: participants.PRIOR_ROWS]
    return People(
        make=make,
        train=train,
        valid=valid,
        test=test,
        prior=clip(prior[chosen]),
        classes=len(dataset.classes),
        hidden=(DATASETS["mnist"].hidden,),
        facts={"latent_dim": DIMENSION, "radius": round(clip.radius, 4)},
    )
