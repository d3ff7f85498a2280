"""What a collector makes of reports alone: whose they can be, x̃, the best record, and a belief over the classes.

The Bayesian observer of :mod:`rlm_core.collector.inference`, for every kind of report that the two sides send:
numbers of a learnt mechanism, a set of codes or of pairs, and noisy pixels, for which the shipped pictures are the
public records. Nothing here has ever seen a record of the visitor's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from rlm_core import RandomisedResponse, Report
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.catalogue import DATASETS
from rlm_core.collector.inference import Posterior, infer, label_log_likelihood
from rlm_core.device.description import PIXELS, description
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo.model import CODES
from ui.app import cache
from ui.record.offer import is_offered

PICTURED = 800
"""Public records that the best record is the mean of."""


@dataclass(frozen=True, kw_only=True)
class Received:
    """A report that was checked, with the mechanism that made it and the bytes that crossed."""

    report: Report
    mechanism: str
    dataset: str
    text: str

    @property
    def size(self) -> int:
        """Bytes of the report."""
        return len(self.text.encode())

    @property
    def classes(self) -> tuple[str, ...]:
        """The dataset's classes."""
        return DATASETS[self.dataset].classes


def read(text: str, datasets: Sequence[str]) -> Received:
    """A report by one of the mechanisms offered for these datasets; a ValueError that says why not."""
    report = Report.from_json(text)
    if not math.isfinite(report.epsilon):
        raise ValueError("Expected a finite epsilon: at ∞ nothing is private, so nothing is taken.")
    for dataset in datasets:
        for name in (report.mechanism, dataset + PIXELS):
            if is_offered(name, dataset) and _was_made_by(report, name):
                found = Received(report=report, mechanism=name, dataset=dataset, text=text)
                belief([found])  # raises on a payload of another size, or a label that is none
                return found
    raise ValueError(f"Expected a report by a mechanism of this page, got {report.mechanism!r} ({report.digest}).")


def _was_made_by(report: Report, name: str) -> bool:
    if name.endswith(PIXELS):
        about = description(name)
        return (report.mechanism, report.digest) == (about["name"], about["digest"])
    return report.mechanism == name and report.digest == cache.model(name).digest


def belief(reports: Sequence[Received]) -> Posterior:
    """The belief over the classes after reports of one record, whatever mechanisms made them.

    Reports by one mechanism share its public records. Those of different mechanisms do not, so what each set of them
    says about the classes is multiplied, as if they were independent given the class.
    """
    by_mechanism: dict[str, list[Received]] = {}
    for each in reports:
        by_mechanism.setdefault(each.mechanism, []).append(each)
    parts = [_belief(of) for of in by_mechanism.values()]
    if len(parts) == 1:
        return parts[0]
    with np.errstate(invalid="ignore"):
        factors = np.sum([part.log_factors for part in parts], axis=0)
    prior = parts[0].prior
    weights = prior * np.exp(factors - factors.max())
    return Posterior(
        prior=prior, classes=weights / weights.sum(), records=parts[-1].records, log_factors=factors - factors.max()
    )


def is_pair(each: Received) -> bool:
    """Whether the report is about a code and a label as one symbol."""
    if each.mechanism.endswith(PIXELS) or each.report.of is None:
        return False
    return bool(each.report.of == cache.model(each.mechanism).card.latent_dim * len(each.classes))


def of_record(each: Received) -> Posterior:
    """What the report says about the class without its label."""
    return infer(_record_part(each), _prior_labels(each), classes=len(each.classes))


def of_label(each: Received) -> FloatArray | None:
    """What the reported label alone says: (K,), for a label that was sent by itself."""
    part = _label_part(each)
    if part is None:
        return None
    return np.asarray(softmax(part))


def decoded(each: Received) -> FloatArray | None:
    """x̃ (input_dim,), as the mechanism's decoder draws it; None where a set of pairs was sent."""
    if each.mechanism.endswith(PIXELS):
        return np.asarray(np.clip(np.asarray(each.report.numbers), 0.0, 1.0))
    model = cache.model(each.mechanism)
    if model.card.kind == CODES:
        return None
    found: FloatArray = model.decode(model.vector(each.report)[None])[0]
    return found


def best_record(each: Received, found: Posterior) -> FloatArray:
    """The mean record under the belief: a blur where nothing is known."""
    if each.mechanism.endswith(PIXELS):
        return np.asarray(found.records @ _public_pictures(each.dataset))
    model = cache.model(each.mechanism)
    if model.card.kind == CODES:
        return np.asarray((found.records @ model.bundle.prior_z) @ cache.code_records(each.mechanism))
    rows, records = cache.prior_records(each.mechanism, PICTURED)
    weights = found.records[rows]
    return np.asarray(weights @ records / weights.sum())


def _belief(reports: Sequence[Received]) -> Posterior:
    first = reports[0]
    labels = [part for each in reports if (part := _label_part(each)) is not None]
    return infer(
        np.sum([_record_part(each) for each in reports], axis=0),
        _prior_labels(first),
        classes=len(first.classes),
        log_label_likelihood=np.sum(labels, axis=0) if labels else None,
    )


def _record_part(each: Received) -> FloatArray:
    """log p(payload | record m) + constant, for every public record: (M,)."""
    report = each.report
    if each.mechanism.endswith(PIXELS):
        if report.numbers is None:
            raise ValueError("Expected numbers in a report of pixels.")
        pictures = _public_pictures(each.dataset)
        width = pictures.shape[1]
        noise = PerFeatureLaplace(epsilon=report.epsilon_x, low=(0.0,) * width, high=(1.0,) * width)
        return np.asarray(noise.log_density_pairs(np.asarray(report.numbers)[None], pictures)[0])
    model = cache.model(each.mechanism)
    prior_z, prior_y = model.bundle.prior_z, model.bundle.prior_y
    if is_pair(each):
        symbols = prior_z.argmax(axis=1) * len(each.classes) + prior_y
        return np.where(report.in_set()[symbols], 0.0, -report.epsilon_x)
    rlm = model.mechanism(report.epsilon_x)
    return np.asarray(rlm.log_density_pairs(model.vector(report)[None], prior_z)[0])


def _label_part(each: Received) -> FloatArray | None:
    if each.report.label is None:
        return None
    if each.report.label >= len(each.classes):
        raise ValueError(f"Expected a label below {len(each.classes)}, got {each.report.label}.")
    channel = RandomisedResponse(epsilon=each.report.epsilon_y, classes=len(each.classes))
    return label_log_likelihood(each.report.label, channel.transition_matrix)


def _prior_labels(each: Received) -> IntArray:
    if each.mechanism.endswith(PIXELS):
        return cache.samples(each.dataset).labels
    labels: IntArray = cache.model(each.mechanism).bundle.prior_y
    return labels


def _public_pictures(dataset: str) -> FloatArray:
    images = cache.samples(dataset).images
    return np.asarray(images.reshape(len(images), -1) / 255.0)
