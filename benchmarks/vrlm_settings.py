"""Which settings does a V-RLM of own data want? Shipped ones of seed 10, tried on the rows that they were fitted on.

    python -m benchmarks vrlm_settings      writes benchmarks/results/vrlm_settings.json; cells that are there stay

Nobody's row of a collection, a validation or a test is looked at: some of D₁'s rows play the people, others the test.
They have seen the encoder, so these accuracies are for comparing settings, not for quoting. What was taken is in
``rlm_core/privatiser/vrlm/rules.py``.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from benchmarks.result_file import write_result
from rlm_core import __version__, zoo
from rlm_core.data import load, split_of
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.privatiser.plan import NETWORK, VRLM, Plan
from rlm_core.privatiser.vrlm.classifier import learn_split
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.privatiser.vrlm.reports import SplitReports
from rlm_core.types import FloatArray, IntArray

RESULT = Path(__file__).parent / "results" / "vrlm_settings.json"
SEED = 10
EPSILONS = (1.0, 2.0, 4.0, 8.0)
SHARES = (0.5, 0.7)
MOST_SHARE = {("lending_club", 1.0): 0.95, ("lending_club", 2.0): 0.95}
"""λ of the paper where it has another one than 0.7."""

DRAWS = 3
PRIOR, TEST = 4_000, 7_500
PEOPLE = {"mnist": 13_500, "lending_club": 6_765}
MECHANISMS = {
    "mnist": ("mnist-vrlm-l5-eps7", "mnist-vrlm-l7.5-eps7", "mnist-vrlm-l7.5-eps13", "mnist-vrlm-l5-eps32"),
    "lending_club": ("lending-vrlm-l5-eps15", "lending-vrlm-l10-eps21", "lending-vrlm-l5-eps29"),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class Shipped:
    """A shipped encoder, as an own one is called."""

    encode: Callable[[Any], FloatArray]
    input_dim: int

    def __call__(self, x: Any) -> FloatArray:
        return self.encode(x)


@dataclass(frozen=True, kw_only=True, eq=False)
class Looked:
    """A mechanism, and clean h and labels of D₁'s rows in three parts."""

    method: SplitMethod
    people: FloatArray
    people_y: IntArray
    test: FloatArray
    test_y: IntArray
    classes: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line: nothing to choose."""


def main(options: argparse.Namespace) -> int:
    """Measure every cell, and write all of them."""
    known = json.loads(RESULT.read_text(encoding="utf-8"))["rows"] if RESULT.is_file() else []
    rows = {(each["dataset"], each["mechanism"], each["epsilon"], each["lam"]): each for each in known}
    cells = [
        (dataset, name, epsilon, share)
        for dataset, names in MECHANISMS.items()
        for name in names
        for epsilon in EPSILONS
        for share in (*SHARES, *filter(None, [MOST_SHARE.get((dataset, epsilon))]))
    ]
    for cell in tqdm([each for each in cells if each not in rows], unit="cell"):
        dataset, name, epsilon, share = cell
        found = measure(look(dataset, name), epsilon, share)
        rows[cell] = {"dataset": dataset, "mechanism": name} | found | {"version": __version__}
        measured = [rows[each] for each in cells if each in rows]
        write_result(RESULT, {"seed": SEED, "draws": DRAWS, "rows": measured})
    return 0


@lru_cache(maxsize=1)
def look(dataset: str, name: str) -> Looked:
    """D₁ of seed 10 in a random order: 4,000 rows that the collector knows, as many people as collected, test rows."""
    data: Any = load(dataset)
    order = np.random.default_rng(1_000 + SEED).permutation(split_of(data, seed=SEED).mechanism_train)
    order = order[: PRIOR + PEOPLE[dataset] + TEST]
    model: Any = zoo.load(name)
    mechanism = model.mechanism(1.0)
    if dataset == "mnist":
        x, y = (data.train_x[order].reshape(len(order), -1) / 255.0).astype(np.float32), data.train_y[order]
    else:
        rows = data.frame.iloc[order]
        x = model.preprocessor.transform(rows, unknown="ignore", allow_missing=True, outliers="clip")
        y = np.asarray(data.target)[order]
    encoder: Any = Shipped(encode=mechanism.encoder, input_dim=x.shape[1])
    h = encoder(x)
    prior, people, test = np.split(h, [PRIOR, PRIOR + PEOPLE[dataset]])
    _, people_y, test_y = np.split(y, [PRIOR, PRIOR + PEOPLE[dataset]])
    plan = Plan(kind=VRLM, size=h.shape[1], encoder=NETWORK)
    return Looked(
        method=SplitMethod(plan=plan, encoder=encoder, prior=prior, radius=float(mechanism.noise.clip.radius)),
        people=people,
        people_y=people_y,
        test=test,
        test_y=test_y,
        classes=int(y.max()) + 1,
    )


def measure(looked: Looked, epsilon: float, share: float) -> dict[str, Any]:
    """Simulated collections of one cell; ``told`` is how many times what is asked the reports tell."""
    start, accuracies = time.perf_counter(), []
    budget = Budget(epsilon=epsilon, lam=share)
    labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=looked.classes)
    mechanism = looked.method.mechanism(budget.epsilon_x)
    for draw in range(DRAWS):
        generator = np.random.default_rng([SEED, draw])
        sent = SplitReports(
            z=mechanism.noise.simulate(looked.people, generator=generator),
            y=labels.simulate(looked.people_y, generator=generator),
            epsilon_x=budget.epsilon_x,
            epsilon_y=budget.epsilon_y,
        )
        clip = mechanism.noise.clip
        learnt = learn_split(sent, mechanism, clip(looked.method.prior), looked.classes)
        accuracies.append(round(100 * float((learnt.predict(clip(looked.test)) == looked.test_y).mean()), 2))
    return {
        "epsilon": epsilon,
        "lam": share,
        "people": len(looked.people),
        "accuracies": accuracies,
        "mean": round(float(np.mean(accuracies)), 2),
        "told": round(looked.method.told(epsilon, looked.classes, share) * len(looked.people), 2),
        "seconds": round(time.perf_counter() - start, 1),
    }
