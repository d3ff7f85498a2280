"""Three dimensions: up to six classes on the vertices of an octahedron, or where a search puts them."""

from __future__ import annotations

import math

import streamlit as st

from rlm_core.theory import vertices
from ui.app.errors import guarded
from ui.bound import text
from ui.bound.figures import POINTS, climb_chart, octahedron_data
from ui.bound.search import Search, accuracy_figures, run_search, search_words, thrown_words
from ui.bound.theory import simulate, throw
from ui.components.drawing import drawing
from ui.components.octahedron import octahedron
from ui.kit.address import in_address
from ui.kit.kept import count_up


@st.fragment
@guarded
def space_section(epsilon: float) -> None:
    """The octahedron and its numbers."""
    left, right = st.columns([1, 1], gap="medium")
    with right:
        classes = int(
            st.segmented_control(
                "How many classes?",
                [2, 3, 4, 5, 6],
                default=6,
                required=True,
                **in_address("k3"),
            )
            or 6
        )
        search = _last_search(classes, epsilon)
        places = vertices(classes, 3) if search is None else search.found.positions
        seed = _throws()
        st.html(accuracy_figures(places, epsilon, search is None, seed))
        _search_controls(classes, epsilon, search)
    with left:
        thrown = throw(places, epsilon, count=POINTS, seed=seed)
        path = None if search is None else search.found.history
        run = "" if search is None else f"search {search.number}"
        octahedron("octahedron", octahedron_data(places, thrown, path=path, run=run))
        st.html(f'<p class="rlm-note">{thrown_words(thrown)}</p>')
        st.caption(text.SPACE)


def _throws() -> int:
    if st.button("New noise", key="throw_again_3", icon=":material/casino:"):
        count_up("space_throws")
    return int(st.session_state.get("space_throws", 0))


def _last_search(classes: int, epsilon: float) -> Search | None:
    search: Search | None = st.session_state.get("space_search")
    return search if search is not None and (search.classes, search.epsilon) == (classes, epsilon) else None


def _search_controls(classes: int, epsilon: float, search: Search | None) -> None:
    with st.container(horizontal=True):
        st.button(
            f"Search for the best places for {classes} classes",
            key="search_space",
            type="primary",
            disabled=math.isinf(epsilon),
            help="Without noise every placement is right: choose a finite ε." if math.isinf(epsilon) else None,
            on_click=_run,
            args=(classes, epsilon),
        )
        if search is not None:
            st.button("Back to the corners", key="forget_space", on_click=_forget)
    if search is None:
        st.caption(text.SEARCH)
        return
    st.html(search_words(search, dimension=3))
    drawing(climb_chart(search.found.history_accuracy, epsilon, classes, has_vertices=True), key="climb_space")
    st.caption("The best run, step by step: its own estimate of the accuracy; dashed: the vertices’ formula.")


def _run(classes: int, epsilon: float) -> None:
    """Before the rerun: search from random places."""
    count = count_up("space_searches")
    st.session_state["space_search"] = Search(
        classes=classes,
        epsilon=epsilon,
        number=count,
        found=run_search(classes, 3, epsilon, seed=count),
        before=simulate(vertices(classes, 3), epsilon, seed=0),
    )


def _forget() -> None:
    st.session_state.pop("space_search", None)
