"""Vectors of whole mechanisms: records to h, to the bytes of a report, and to what a collector makes of it."""

from __future__ import annotations

import base64
import math
from functools import lru_cache
from typing import Any

import numpy as np

from rlm_core import zoo
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.catalogue import DATASETS
from rlm_core.collector.inference import infer, label_log_likelihood
from rlm_core.data.samples import cifar10_samples, loan_examples, mnist_samples
from rlm_core.device.description import PIXELS, description, offered
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.release import release
from ui.record.offer import lanes

from .tape import forged

RECORDS = 4
"""Public records for each data set, of different classes."""


def cuts() -> list[str]:
    """Codes that are cut from finer ones: as many as the page gives at each position of ε, for every data set."""
    named = dict.fromkeys(each["name"] for dataset in DATASETS for each in lanes(dataset)["codes"])
    return [name for name in named if name not in offered()]


@lru_cache(maxsize=1)
def load(name: str) -> zoo.ZooModel:
    """One mechanism at a time."""
    return zoo.load(name, "cpu")


def vectors() -> dict[str, Any]:
    """Records of every data set, and every mechanism that the device offers on them."""
    return {
        "records": {"mnist": _pictures(mnist_samples()), "cifar10": _pictures(cifar10_samples()), "loans": _loans()},
        "mechanisms": [_mechanism(name) for name in (*offered(), *cuts())],
    }


def _pictures(samples: Any) -> list[str]:
    """Pixels, 0 to 255, in base64."""
    return [base64.b64encode(samples.images[row].tobytes()).decode() for row in _rows(len(samples.images))]


def _loans() -> list[dict[str, Any]]:
    frame = loan_examples().frame
    return [frame.iloc[row].to_dict() for row in _rows(len(frame))]


def _rows(count: int) -> list[int]:
    return [count * record // RECORDS for record in range(RECORDS)]


def records(about: dict[str, Any]) -> np.ndarray[Any, Any]:
    """x of the records, as the library reads them: (RECORDS, input_dim)."""
    if about["dataset"] == "lending_club":
        preprocessor = load(about["name"]).preprocessor
        assert preprocessor is not None
        frame = loan_examples().frame
        return preprocessor.transform(frame.iloc[_rows(len(frame))]).astype(np.float64)
    images = (mnist_samples() if about["dataset"] == "mnist" else cifar10_samples()).images
    return images[_rows(len(images))].reshape(RECORDS, -1) / 255.0


def _mechanism(name: str) -> dict[str, Any]:
    found: dict[str, Any] = {"description": description(name), "reports": reports(name)}
    if name.endswith(PIXELS):
        return found
    h = representations(name)
    rounded = np.round(h, 6)
    return found | {"h": rounded.tolist(), "codes": h.argmax(axis=1).tolist()} | _beliefs(name, description(name))


def representations(name: str) -> np.ndarray[Any, Any]:
    """h of the records: (RECORDS, latent_dim)."""
    return load(name).encode(records(description(name)))


def reports(name: str) -> list[dict[str, Any]]:
    """One report for each of the settings."""
    about = description(name)
    x = records(about)
    return [_report(name, about, x, case) for case in _cases(about)]


def _cases(about: dict[str, Any]) -> list[dict[str, Any]]:
    """Settings: the record alone, with its label by λ, and, for codes, as a pair; once without privacy."""
    high = 2_000.0 if about["release"] == "features" else 4.0
    cases = [{"epsilon": high, "lam": None, "label": None}, {"epsilon": high, "lam": 0.75, "label": 1}]
    if about["release"] == "codes":
        cases += [{"epsilon": e, "lam": None, "label": 1} for e in (1.0, 4.0, "inf")]
    return [case | {"record": number % RECORDS} for number, case in enumerate(cases)]


def _report(name: str, about: dict[str, Any], x: Any, case: dict[str, Any]) -> dict[str, Any]:
    epsilon, lam, y = math.inf if case["epsilon"] == "inf" else case["epsilon"], case["lam"], case["label"]
    tape = f"report {name} {case['record']}"
    classes = len(about["classes"])
    labels = pairs = None
    if y is not None and lam is None:
        pairs = PairSelection(epsilon=epsilon, codes=about["latent_dim"], classes=classes)
    elif y is not None:
        budget = Budget(epsilon=epsilon, lam=lam)
        epsilon, labels = budget.epsilon_x, RandomisedResponse(epsilon=budget.epsilon_y, classes=classes)
    with forged(tape):
        mechanism = _library(name, about, epsilon)
        report = release(x[case["record"]], y, mechanism=mechanism, labels=labels, pairs=pairs)
    return case | {"tape": tape, "report": report.to_json()}


def _library(name: str, about: dict[str, Any], epsilon: float) -> Any:
    if name.endswith(PIXELS):
        return PerFeatureLaplace(epsilon=epsilon, low=tuple(about["low"]), high=tuple(about["high"]))
    return load(name).mechanism(epsilon)


def _beliefs(name: str, about: dict[str, Any]) -> dict[str, Any]:
    """One report's z̃ (or set), what the decoder makes of it and the collector's belief, for rehearsals."""
    model = load(name)
    epsilon, classes = 2.0, len(about["classes"])
    noise = model.noise(epsilon)
    generator = np.random.default_rng(9)
    z_private = noise.simulate(model.bundle.prior_z[:1], generator=generator)
    labels = RandomisedResponse(epsilon=1.0, classes=classes)
    log_likelihood = noise.log_density_pairs(z_private, model.bundle.prior_z)[0]
    belief = infer(
        log_likelihood,
        model.bundle.prior_y,
        classes=classes,
        log_label_likelihood=label_log_likelihood([1], labels.transition_matrix),
    )
    sent = (z_private[0] > 0).astype(int) if isinstance(noise, SubsetSelection) else z_private[0]
    decoded = model.decode(z_private)[0]
    return {
        "belief": {
            "epsilon": epsilon,
            "sent": sent.tolist(),
            "epsilon_label": 1.0,
            "label": 1,
            "classes": belief.classes.round(9).tolist(),
            "decoded": decoded[:: max(1, len(decoded) // 64)].round(5).tolist(),
        }
    }
