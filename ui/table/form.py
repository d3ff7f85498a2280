"""One loan: examples that fill a form, and the form. Gives the loan's values and its Subject.

The example is in the address; what a visitor types is not, since an address gets copied and logged.
A form, because every new value would be a new release: nothing is released while somebody types.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from rlm_core.data.loan_preprocessor import LoanPreprocessor
from rlm_core.data.schema import FEATURES, Feature
from ui.app import cache
from ui.app.errors import guarded
from ui.kit.address import in_address
from ui.record.loan import level_name
from ui.record.release import Subject
from ui.table import text
from ui.table.comparison import GROUPS

EXAMPLES = (0, 2, 3, 5, 6, 9, 16, 20)
"""Rows of the sample loans that are offered: small and large, safe and risky, young and old."""

LABEL = "loan_label"
_FILLED = "loan_filled"  # the example that the fields were filled from
_OWN = "(own values)"


def loan_form(preprocessor: LoanPreprocessor, classes: Sequence[str]) -> tuple[dict[str, Any], Subject]:
    """Examples and form; the loan as it was last submitted."""
    names = [cache.loans().descriptions[row] for row in EXAMPLES]
    chosen = st.pills(
        "Examples",
        names,
        default=None if st.session_state.get(_FILLED) == _OWN else names[0],
        **in_address("loan"),
        help=text.EXAMPLES,
    )
    wanted = [_key(name) for name in preprocessor.columns] + [LABEL]
    if chosen in names and chosen != st.session_state.get(_FILLED):
        fill(chosen, classes)
    elif any(key not in st.session_state for key in wanted):
        fill(names[0], classes)
    with st.form("loan_form", border=True):
        _fields(preprocessor, classes)
        st.form_submit_button(
            "Use these values",
            key="loan_submit",
            type="primary",
            on_click=guarded(_submitted),
            args=(preprocessor, classes),
            help="Another loan is another record: it is released once when you press this.",
        )
    loan = {name: st.session_state[_key(name)] for name in preprocessor.columns}
    own = st.session_state[_FILLED] == _OWN
    if note := mismatch(loan):
        st.caption(f":material/info: {note}")
    st.caption(
        text.OWN_VALUES if own else f"**{st.session_state[_FILLED]}**, an invented loan: no borrower is behind it."
    )
    return loan, subject_of(
        loan,
        label=list(classes).index(st.session_state[LABEL]),
        title="your loan" if own else str(st.session_state[_FILLED]),
        preprocessor=preprocessor,
        classes=classes,
    )


def subject_of(
    loan: Mapping[str, Any], *, label: int, title: str, preprocessor: LoanPreprocessor, classes: Sequence[str]
) -> Subject:
    """The loan as a record. Its name is a digest of the values as entered, whatever their encoding."""
    content = json.dumps({name: loan[name] for name in sorted(loan)}, default=float)
    return Subject(
        title=title,
        x=preprocessor.transform(loan)[0],
        label=label,
        classes=tuple(classes),
        record=hashlib.sha256(content.encode()).hexdigest()[:16],
    )


def mismatch(loan: Mapping[str, Any]) -> str | None:
    """A hint if two values contradict each other; the mechanism takes them all the same.

    >>> mismatch({"grade": "B", "sub_grade": "C3"})
    'Sub-grade C3 belongs to grade C, not B. The mechanism takes both as they are.'
    """
    grade, sub_grade = loan.get("grade"), loan.get("sub_grade")
    if grade and sub_grade and not sub_grade.startswith(grade):
        return (
            f"Sub-grade {sub_grade} belongs to grade {sub_grade[0]}, not {grade}. The mechanism takes both as they are."
        )
    return None


def fill(name: str, classes: Sequence[str]) -> None:
    """Put an example's values into the fields; before they are drawn."""
    examples = cache.loans()
    row = examples.descriptions.index(name)
    for feature in FEATURES.values():
        value = examples.frame[feature.name].iloc[row]
        st.session_state[_key(feature.name)] = _typed(feature, value)
    st.session_state[LABEL] = classes[int(examples.target[row])]
    st.session_state[_FILLED] = name


def _submitted(preprocessor: LoanPreprocessor, classes: Sequence[str]) -> None:
    """If the values are no longer the example's, let go of it, so that the address does not claim it."""
    filled, examples = st.session_state.get(_FILLED), cache.loans()
    if filled in examples.descriptions:
        row = examples.descriptions.index(filled)
        same = classes[int(examples.target[row])] == st.session_state[LABEL] and all(
            st.session_state[_key(name)] == _typed(FEATURES[name], examples.frame[name].iloc[row])
            for name in preprocessor.columns
        )
        if same:
            return
    st.session_state[_FILLED] = _OWN
    st.session_state["loan"] = None


def _fields(preprocessor: LoanPreprocessor, classes: Sequence[str]) -> None:
    for number, (title, names) in enumerate(GROUPS.items()):
        present = [name for name in names if name in preprocessor.columns]
        if not present:
            continue
        st.html(f'<h4 class="rlm-group">{title}</h4>')
        with st.container(key=f"loan_group_{number}", gap="small"):
            for name in present:
                _field(FEATURES[name], preprocessor)
            if number == 0:
                st.selectbox(
                    "How it ended (label)",
                    classes,
                    key=LABEL,
                    persist_state="session",
                    help="Only you know it. It is privatised by randomised response, with its own share of ε.",
                )


def _field(feature: Feature, preprocessor: LoanPreprocessor) -> None:
    if feature.is_category:
        st.selectbox(
            feature.title,
            preprocessor.choices(feature.name),
            key=_key(feature.name),
            format_func=lambda level: level_name(feature, level),
            help=feature.help,
            persist_state="session",
        )
        return
    assert feature.low is not None and feature.high is not None and feature.step is not None
    kind = int if feature.kind == "integer" else float
    st.number_input(
        f"{feature.title} ({feature.unit})" if feature.unit else feature.title,
        min_value=kind(feature.low),
        max_value=kind(feature.high),
        step=kind(feature.step),
        format="%d" if kind is int else ("%.2f" if feature.step < 1 else "%.0f"),
        key=_key(feature.name),
        help=f"{feature.help} From {feature.low:,g} to {feature.high:,g}.",
        persist_state="session",
    )


def _typed(feature: Feature, value: Any) -> Any:
    if feature.is_category:
        return str(value)
    return int(value) if feature.kind == "integer" else float(value)


def _key(name: str) -> str:
    return f"loan_{name}"
