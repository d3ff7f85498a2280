"""The novel class by joint bits of what the codes' encoder sees, with "none of these" among it.

Codes that were learnt without nines have no code for a nine: to count nines' codes says little (table 2, Q-RLM). But
the encoder knows more than the nearest code: where the record lies (its hidden features), and how well the nearest code
fits (its score, which is low for what is none of the known). A nine's device sends random bits of these with all of ε
(``rlm_core.owner.joint_bits``; no label is collected, so everybody's is the same); the collector learns their averages,
and how the others' are distributed from D₁ (``rlm_core.collector.new_class``). The others' reports are not needed.

docs/protocol-4.md says what was chosen how.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import torch

from benchmarks.experiments import codes
from benchmarks.experiments.protocol import Answers, Trial
from benchmarks.table import Row
from rlm_core.collector.moments import signed_bits
from rlm_core.collector.new_class import NewClassDetector
from rlm_core.owner.joint_bits import JointBits, best_bits
from rlm_core.privatiser.encoder import principal_components
from rlm_core.privatiser.plan import RANGE, bearable_numbers
from rlm_core.types import FloatArray

MECHANISM = "joint Q-RLM"
MOST_NUMBERS = 64
MORE_NUMBERS = 4.0
"""Times the rule of own tables (``bearable_numbers``): a new class shows where the known ones vary little."""


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one seed and draw."""
    start = time.perf_counter()
    everybody = codes.coded(trial.experiment, trial.dataset, trial.seed, runs, trial.protocol)
    is_new, asked = everybody.test[1], everybody.train[1] == 1
    numbers = numbers_for(trial.epsilon, int(asked.sum()))
    public, train, test = representations(everybody, numbers, np.random.default_rng(trial.seed))
    report = JointBits(epsilon=trial.epsilon, low=(-RANGE,) * train.shape[1], high=(RANGE,) * train.shape[1])
    sent = report.simulate(train[asked], np.ones(int(asked.sum()), dtype=np.int64), generator=trial.generator())
    assert sent.coordinates is not None and sent.symbols is not None
    mean, variance = signed_bits(
        sent.coordinates, sent.symbols, bits=report.width, keep=report.keep, features=report.coordinates
    )
    fitted = NewClassDetector.fit(mean[:-1], variance[:-1], scaled(public))  # the last coordinate is constant
    correct = fitted.predict(scaled(test)) == is_new
    answers: Answers = codes.answers_of(trial, everybody, correct, train.shape[1])
    return answers.row(trial, start)


def numbers_for(epsilon: float, reports: int) -> int:
    """How many principal components, by the rule: known before anything is sent."""
    return int(min(MOST_NUMBERS, max(4, round(MORE_NUMBERS * bearable_numbers(epsilon, reports, best_bits(epsilon))))))


def representations(
    everybody: codes.Coded, numbers: int, generator: np.random.Generator
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Of D₁, the people and the test records: components of the hidden features and the best code's score, all of
    variance 1 in D₁. (n, numbers + 1) each. NOT private.
    """
    hidden = [everybody.features[part] for part in ("mechanism_train", "classifier_train", "classifier_test")]
    components = principal_components(hidden[0], numbers, generator=generator)
    last = everybody.run.encoder[-1]
    with torch.inference_mode():
        best = [last(torch.from_numpy(part).float()).amax(dim=1).double().numpy() for part in hidden]
    centre, spread = best[0].mean(), best[0].std()
    public, train, test = (
        np.column_stack([components(part), (score - centre) / spread]) for part, score in zip(hidden, best, strict=True)
    )
    return public, train, test


def scaled(h: FloatArray) -> FloatArray:
    """φ: each number cut to the range of the bits, in [−1, 1]."""
    return np.clip(h, -RANGE, RANGE) / RANGE
