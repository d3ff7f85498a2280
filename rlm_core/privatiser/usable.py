"""Whether what a folder says can be used: what could only fail later, when somebody's row is to leave, fails at once.

A folder may come from a stranger, with checksums that fit. So nothing is taken for granted that ``fit`` would have seen
to; at the end a made-up row is encoded, and predicted if something was learnt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rlm_core.collector.codes import CodeClassifier
from rlm_core.collector.kernel_classifier import KernelClassifier
from rlm_core.collector.moments import MomentClassifier
from rlm_core.privatiser.arguments import check_arguments
from rlm_core.privatiser.labels import check_classes
from rlm_core.privatiser.learning import AnyClassifier, AnyMethod, probabilities
from rlm_core.privatiser.network import NetworkEncoder
from rlm_core.privatiser.plan import BITS, CODES, LAPLACE
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.tables.feature import Feature
from rlm_core.tables.preprocessor import TablePreprocessor
from rlm_core.tables.schema import TableSchema
from rlm_core.tables.values import date_text
from rlm_core.types import FloatArray, finite, positive, quote

if TYPE_CHECKING:  # which imports this file
    from rlm_core.privatiser.estimator import LocalPrivatiser

YEAR = 2000.0
"""A number of a made-up row where the schema knows none; of a date it is a year."""


def check_usable(result: LocalPrivatiser) -> None:
    """Raise unless arguments, label, reading, encoder, sending and what was learnt fit each other."""
    check_arguments(result)
    if result.classes is not None:
        check_classes(result.classes)
    if not (result.label_ is None or isinstance(result.label_, str)):
        raise TypeError(f"Expected the name of a column for the label, got {quote(result.label_)}.")
    _whole("public_rows", result.public_rows_)
    method, count = result.method_, len(result.classes_)
    if method.plan.kind in (BITS, LAPLACE) and count not in (0, 2):
        raise ValueError(f"Expected two classes for a {method.plan.kind} report, got {count}.")
    if result.pictures_ is None:
        _check_reading(result.schema_, result.preprocessor_)
    h = _encoded(result, method)
    method.sending(result.epsilon, lam=result.lam)
    if count:
        method.sending(result.epsilon, count, lam=result.lam)
    if hasattr(result, "classifier_"):
        _whole("reports", result.reports_)
        positive("the epsilon of reports", result.reports_epsilon_, allow_infinite=True)
        finite("predictions", probabilities(method, result.classifier_, h))


def classifier_of(part: dict[str, Any], method: AnyMethod, classes: int) -> AnyClassifier:
    """What was learnt, from its tensors; raise unless it is of this method and so many classes."""
    if isinstance(method, SplitMethod):
        kernel = KernelClassifier.of_tensors(part)
        _check_shape("kernel_weights", (kernel.centres.shape[1], *kernel.intercept.shape), (method.size, classes))
        return kernel
    is_table = method.plan.kind == CODES
    name, shape = ("table", (method.size, classes)) if is_table else ("weights", (classes, method.size + 1))
    if name not in part:
        raise ValueError(f"Expected {name} in a classifier of {method.plan.kind}, got {quote(sorted(part))}.")
    values = finite(name, part[name])
    _check_shape(name, values.shape, shape)
    return CodeClassifier(table=values) if is_table else MomentClassifier(weights=values)


def _whole(name: str, value: Any) -> None:
    """Raise unless it is a whole number >= 0."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"Expected {name} >= 0, a whole number, got {name}={quote(value)}.")


def _check_shape(name: str, found: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if found != expected:
        raise ValueError(f"Expected a classifier of shape {expected} in {name}, got {found}.")


def _check_reading(schema: TableSchema, preprocessor: TablePreprocessor) -> None:
    """Raise unless both are of the same columns, and of the same kinds."""
    _whole("rows", preprocessor.rows)
    _whole("outliers", preprocessor.outliers)
    strange = [name for name in preprocessor.columns if not isinstance(name, str)]
    if strange:
        raise TypeError(f"Expected the name of a column as text in the preprocessor, got {quote(strange[0])}.")
    expected = sorted((each.name, "category" if each.is_category else "number") for each in schema.features)
    found = sorted((block.name, block.kind) for block in preprocessor.blocks)
    if found != expected:
        differing = quote(sorted(set(found) ^ set(expected)) or found)
        raise ValueError(f"Expected the same columns in schema and preprocessor, got differing ones: {differing}.")


def _encoded(result: LocalPrivatiser, method: AnyMethod) -> FloatArray:
    """h of made-up records: one without a value, and of a table one with some."""
    encoder = method.encoder
    for name, tensor in encoder.tensors().items():
        finite(name, tensor)
    merge = encoder.merge if isinstance(encoder, NetworkEncoder) else ()
    if merge and set(merge) != set(range(method.size)):
        raise ValueError(f"Expected every code up to {method.size - 1} in merge, got {quote(merge)}.")
    if result.pictures_ is not None:
        x = np.zeros((1, result.pictures_.output_dim), dtype=np.float32)  # of colour, without the trunk
    else:
        values = {each.name: _made_up(each) for each in result.schema_.features}
        x = result.encode_table(pd.DataFrame([dict.fromkeys(values), values]))
    h = finite("the encoder's output", encoder(x))
    if h.shape != (len(x), method.size):
        raise ValueError(f"Expected an encoder to {method.size} numbers, got {h.shape[-1]}.")
    return h


def _made_up(feature: Feature) -> str | float:
    """A cell that the schema can read. A date is written out: a number below 1000 is no year to it."""
    if feature.is_category:
        return feature.choices[0]
    value = YEAR if feature.low is None else feature.low
    return date_text(value) if feature.kind == "date" else value
