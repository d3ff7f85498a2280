"""A loan in few words: its values in their units, six of them as a small list."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Any

import numpy as np

from rlm_core.data.loan_preprocessor import LoanPreprocessor
from rlm_core.data.schema import FEATURES, Feature
from rlm_core.tables.columns import RARE, CategoryColumn
from rlm_core.types import FloatArray

_GROUPS = {
    "The loan": "loan_amnt term int_rate installment purpose grade sub_grade initial_list_status application_type",
    "The borrower": "annual_inc dti verification_status emp_length home_ownership addr_state",
    "The credit file": "fico_range_low earliest_cr_line open_acc total_acc revol_bal revol_util mort_acc pub_rec "
    "pub_rec_bankruptcies delinq_2yrs inq_last_6mths",
}
GROUPS: dict[str, tuple[str, ...]] = {title: tuple(names.split()) for title, names in _GROUPS.items()}
"""Every feature of the schema, in an order for reading."""

EXAMPLES = (0, 2, 3, 5, 6, 9, 16, 20)
"""Rows of the sample loans that are offered: small and large, safe and risky, young and old."""

IN_SHORT = ("loan_amnt", "term", "int_rate", "grade", "purpose", "annual_inc")
"""The features that stand for a loan where there is little room."""

LABEL = "How it ended"
"""What the label of a loan is called."""


def short_loan(values: Mapping[str, Any], *, side: str, decoded: bool = False) -> str:
    """Six features of a loan as a small list, for stages and strips."""
    rows = "".join(
        f"<div><dt>{html.escape(FEATURES[name].title)}</dt>"
        f"<dd>{html.escape(format_value(FEATURES[name], values[name], decoded=decoded))}</dd></div>"
        for name in IN_SHORT
        if name in values
    )
    return f'<dl class="rlm-mini rlm-{side}">{rows}</dl>'


def decoded_loan(x: FloatArray, preprocessor: LoanPreprocessor) -> dict[str, Any]:
    """A decoded vector (p,) as one value a feature."""
    return dict(preprocessor.inverse(np.asarray(x)[None]).most_likely().iloc[0])


def level_of(category: CategoryColumn, value: Any) -> str | None:
    """The level that stands for a value: itself, ``RARE``, or none."""
    code = int(category.codes([value])[0])
    return category.levels[code] if code >= 0 else None


def format_value(feature: Feature, value: Any, *, decoded: bool = False) -> str:
    """A value in its unit. A decoded count keeps a decimal: nothing rounds it.

    >>> format_value(FEATURES["loan_amnt"], 12000.0), format_value(FEATURES["int_rate"], 9.82)
    ('$12,000', '9.82 %')
    >>> format_value(FEATURES["open_acc"], 9.3, decoded=True), format_value(FEATURES["purpose"], "credit_card")
    ('9.3', 'credit card')
    """
    if feature.is_category:
        return level_name(feature, str(value))
    number = float(value)
    digits = 2 if feature.unit in ("%", "year") else int(decoded and feature.kind == "integer")
    if feature.name == "installment":
        digits = 2
    text = f"{abs(number):,.{digits}f}"
    sign = "−" if number < 0 and text.strip("0.,") else ""
    return f"{sign}${text}" if feature.unit == "$" else f"{sign}{text}{' %' if feature.unit == '%' else ''}"


def level_name(feature: Feature, level: str) -> str:
    """A level for reading."""
    if level == RARE:
        return f"a rare {feature.title.lower()}"
    if feature.name == "purpose":
        return level.replace("_", " ")
    return level.capitalize() if feature.name == "home_ownership" else level
