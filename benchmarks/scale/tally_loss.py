"""What learning from a tally costs against learning from the reports themselves, on Census Income."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np

from benchmarks.scale.people import LABEL, PUBLIC, fit_model, typed_sample
from rlm_core.privatiser import KINDS, UtilityWarning
from rlm_core.report_tally import ReportTally

EPSILONS = (1.0, 2.0, 4.0)
TEST = 2_000


def tally_loss(folder: Path, *, draws: int) -> list[dict[str, float | int | str]]:
    """For each kind and ε: accuracy from reports and from their tally, the same reports, means of some draws."""
    sample = typed_sample()
    people, test = sample[PUBLIC:-TEST], sample[-TEST:]
    found: list[dict[str, float | int | str]] = []
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
            full, tallied = np.mean(scores, axis=0)
            found.append(
                {
                    "kind": kind,
                    "epsilon": epsilon,
                    "reports": len(people),
                    "draws": draws,
                    "accuracy_reports": round(100 * float(full), 2),
                    "accuracy_tally": round(100 * float(tallied), 2),
                    "points_lost": round(100 * float(full - tallied), 2),
                }
            )
    return found
