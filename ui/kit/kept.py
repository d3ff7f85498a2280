"""Values that stay while a visit lasts, each under a key of its own in the session."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

T = TypeVar("T")
Key = TypeVar("Key")
Value = TypeVar("Value")


def session_value(key: str, make: Callable[[], T]) -> T:
    """The visit's value under this key, made when it is first asked for."""
    if key not in st.session_state:  # not isinstance: an edited module would make another class of the same name
        st.session_state[key] = make()
    found: T = st.session_state[key]
    return found


def count_up(key: str) -> int:
    """One more than the last time in this visit; 1 at first."""
    st.session_state[key] = int(st.session_state.get(key, 0)) + 1
    return int(st.session_state[key])


def keep_newest(store: dict[Key, Value], key: Key, value: Value, *, most: int) -> None:
    """Put a value in as the newest, and let the oldest beyond ``most`` go.

    >>> store = {"a": 1, "b": 2}
    >>> keep_newest(store, "a", 3, most=2)
    >>> keep_newest(store, "c", 4, most=2)
    >>> store
    {'a': 3, 'c': 4}
    """
    store.pop(key, None)
    store[key] = value
    while len(store) > most:
        store.pop(next(iter(store)))
