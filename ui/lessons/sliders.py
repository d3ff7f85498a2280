"""The lessons' controls. Each is in the address, under a name that starts with its chapter's."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from ui.kit.address import in_address
from ui.kit.formats import number


def epsilon(chapter: str, values: Sequence[float], *, value: float, words: str = "the privacy budget") -> float:
    """ε of this lesson. Lessons have their own: a budget for a picture would spoil a survey."""
    return float(
        st.select_slider(
            f"ε, {words}",
            values,
            value=value,
            format_func=number,
            **in_address(f"{chapter}_eps"),
        )
    )


def choice(chapter: str, name: str, label: str, values: Sequence[int], *, value: int) -> int:
    """One of a few whole numbers, for counts that grow in steps."""
    return int(
        st.select_slider(
            label,
            values,
            value=value,
            format_func=lambda each: f"{each:,}",
            **in_address(f"{chapter}_{name}"),
        )
    )


def place(chapter: str, name: str, label: str, *, low: float, high: float, value: float, step: float = 0.1) -> float:
    """A number on a line."""
    return float(
        st.slider(
            label,
            min_value=low,
            max_value=high,
            value=value,
            step=step,
            **in_address(f"{chapter}_{name}"),
        )
    )


def percent(chapter: str, name: str, label: str, *, value: int, low: int = 0, high: int = 100) -> float:
    """A share, in whole percent."""
    chosen = st.slider(
        label,
        min_value=low,
        max_value=high,
        value=value,
        format="%d %%",
        **in_address(f"{chapter}_{name}"),
    )
    return int(chosen) / 100
