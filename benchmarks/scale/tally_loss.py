"""What learning from a tally costs against learning from the reports themselves: Census Income, and digits' codes."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.scale.people import LABEL, PUBLIC, fit_model, typed_sample
from rlm_core import zoo
from rlm_core.collector.codes import PairCounts, PairSets, expectation_maximisation
from rlm_core.owner.pairs import PairSelection
from rlm_core.privatiser import KINDS, UtilityWarning
from rlm_core.report_tally import ReportTally

EPSILONS = (1.0, 2.0, 4.0)
TEST = 2_000
DIGITS = ("mnist-qrlm-k12", "mnist-qrlm-k96")
Loss = dict[str, float | int | str]


def tally_loss(folder: Path, *, draws: int) -> list[Loss]:
    """Of tables and of digits."""
    return table_loss(folder, draws=draws) + digits_loss(draws=draws)


def table_loss(folder: Path, *, draws: int) -> list[Loss]:
    """For each kind and ε: accuracy from reports and from their tally, the same reports, means of some draws."""
    sample = typed_sample()
    people, test = sample[PUBLIC:-TEST], sample[-TEST:]
    found: list[Loss] = []
    for kind in KINDS:
        for epsilon in EPSILONS:
            slug = f"loss-{kind.replace(' ', '-')}-{epsilon:g}"
            privatiser = fit_model(folder / slug, epsilon=epsilon, reports=len(people), kind=kind)
            scores = []
            for _ in range(draws):
                sent = privatiser.privatise(people, LABEL)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", UtilityWarning)
                    full = privatiser.learn(sent).score(test, LABEL)
                    scores.append((full, privatiser.learn(ReportTally.of(sent)).score(test, LABEL)))
            found.append(_line(kind, epsilon, len(people), scores))
    return found


def digits_loss(*, draws: int) -> list[Loss]:
    """Pairs (code, digit) of the shipped codes' people, in sets of many: where a tally forgets most. Simulated."""
    found: list[Loss] = []
    for name in DIGITS:
        bundle = zoo.load(name).bundle
        k, classes = bundle.train_z.shape[1], len(np.unique(bundle.test_y))
        codes, frequencies = bundle.train_z.argmax(axis=1), bundle.prior_z.sum(axis=0) + 0.5
        for epsilon in EPSILONS:
            pairs, scores = PairSelection(epsilon=epsilon, codes=k, classes=classes), []
            for draw in range(draws):
                members = pairs.simulate(codes, bundle.train_y, generator=np.random.default_rng(draw))
                sets = PairSets(members=members, epsilon=epsilon, codes=k, classes=classes)
                counts = PairCounts(outside=pairs.channel.outside / pairs.channel.inside, codes=k, classes=classes)
                weights = members.sum(axis=0) / pairs.channel.size
                fits = (
                    expectation_maximisation(sets, frequencies, pseudo_count=1.0),
                    expectation_maximisation(counts, frequencies, weights=weights, pseudo_count=1.0),
                )
                scores.append(tuple(fit.score(bundle.test_z.argmax(axis=1), bundle.test_y) for fit in fits))
            found.append(_line(f"{name}, sets of {pairs.channel.size}", epsilon, len(codes), scores))
    return found


def _line(kind: str, epsilon: float, reports: int, scores: Sequence[tuple[float, ...]]) -> Loss:
    full, tallied = np.mean(scores, axis=0)
    return {
        "kind": kind,
        "epsilon": epsilon,
        "reports": reports,
        "draws": len(scores),
        "accuracy_reports": round(100 * float(full), 2),
        "accuracy_tally": round(100 * float(tallied), 2),
        "points_lost": round(100 * float(full - tallied), 2),
    }
