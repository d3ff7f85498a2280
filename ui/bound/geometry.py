"""Two dimensions: classes on the board, placed by rule, by hand or by search, and how often they are told apart."""

from __future__ import annotations

import math
from contextlib import suppress

import numpy as np
import streamlit as st
from streamlit.errors import StreamlitAPIException

from rlm_core.theory import vertices
from rlm_core.types import FloatArray
from ui.app.errors import guarded
from ui.bound import text
from ui.bound.figures import POINTS, board_data, climb_chart
from ui.bound.points import PlaceError, as_text, from_browser, parse
from ui.bound.search import Search, accuracy_figures, run_search, search_words, thrown_words
from ui.bound.theory import simulate, spread, throw
from ui.components.board import board
from ui.components.drawing import drawing
from ui.kit.address import in_address
from ui.kit.kept import count_up

ON_VERTICES, FIGURE, MINE = "on vertices", "the paper’s figure", "my own"
PAPERS_FIGURE = np.array([[1.0, 0.0], [0.0, 1.0]])
"""Two classes on neighbouring vertices, as in the paper's figure of equidistant regions."""


@st.fragment
@guarded
def plane_section(epsilon: float) -> None:
    """Controls and numbers beside the board."""
    left, right = st.columns([1, 1], gap="medium")
    with right:
        places, placement = _placement()
        ties = placement == FIGURE or _ties()
        numbers = st.container()
        throws = _throws()
        search = _search(places, epsilon)
    with left:
        thrown = throw(places, epsilon, count=POINTS, seed=throws)
        path, run = _path(search, places, epsilon)
        accuracy = simulate(places, epsilon, seed=throws).accuracy
        data = board_data(places, epsilon, thrown, accuracy=accuracy, ties=ties, path=path, run=run)
        board("board", data, on_move=guarded(_moved))
        st.html(f'<p class="rlm-note">{thrown_words(thrown)}</p>')
        st.caption(text.BOARD)
        if ties:
            st.caption(text.TIES)
    with numbers:
        st.html(accuracy_figures(places, epsilon, placement == ON_VERTICES, throws))


def _ties() -> bool:
    return st.toggle("Show where two classes are equally near", **in_address("ties"))


def _placement() -> tuple[FloatArray, str]:
    """Where the classes are: by rule, or as typed or dragged."""
    placement = (
        st.segmented_control(
            "Where are the classes?",
            [ON_VERTICES, FIGURE, MINE],
            default=ON_VERTICES,
            required=True,
            **in_address("place"),
        )
        or ON_VERTICES
    )
    if placement == FIGURE:
        return PAPERS_FIGURE, placement
    if placement == ON_VERTICES:
        count = st.segmented_control(
            "How many?",
            [2, 3, 4],
            default=4,
            required=True,
            **in_address("n"),
            help="In two dimensions there are four corners. For more classes: place them yourself, or go below.",
        )
        return vertices(int(count or 4), 2), placement
    return _typed(), placement


def _typed() -> FloatArray:
    text = st.text_input(
        "Coordinates, a point for each class",
        value=as_text(vertices(4, 2)),
        **in_address("at"),
        max_chars=200,
        help="x, y; x, y; … for 2 to 6 classes, inside the diamond: |x| + |y| ≤ 1. Dragging a disc fills this in.",
    )
    try:
        places, moved = parse(text or "")
    except PlaceError as error:
        st.warning(f"{error} Shown are the four vertices.", icon=":material/edit:")
        return vertices(4, 2)
    if moved:
        st.caption("A point outside the diamond was pulled to its edge.")
    with st.container(horizontal=True):
        st.button("Add a class", key="add_class", on_click=_change_count, args=(places, 1), disabled=len(places) >= 6)
        st.button(
            "Remove one", key="remove_class", on_click=_change_count, args=(places, -1), disabled=len(places) <= 2
        )
    return places


def _change_count(places: FloatArray, change: int) -> None:
    """One class more, at the roomiest place, or the last one less."""
    if change < 0:
        _put(places[:-1])
        return
    grid = spread(60, 2)
    gap = np.abs(grid[:, None] - places).sum(axis=2).min(axis=1)  # (60,)
    _put(np.concatenate([places, grid[[int(np.argmax(gap.round(9)))]]]))


def _moved(value: object) -> None:
    """A class was dragged, if what the browser sent makes sense."""
    positions = from_browser(value)
    if positions is not None:
        _put(positions)


def _put(positions: FloatArray) -> None:
    """Before the rerun: these are now the visitor's own places."""
    if st.session_state.get("place") == FIGURE:
        st.session_state["ties"] = True  # what that figure shows stays in sight
    if st.session_state.get("place") != MINE:
        with suppress(StreamlitAPIException):  # raised if the field is on the page, which then writes its own address
            st.query_params["at"] = as_text(positions)
    st.session_state["at"] = as_text(positions)
    st.session_state["place"] = MINE


def _throws() -> int:
    """How often the points were thrown: the seed of what is shown."""
    if st.button("New noise", key="throw_again", icon=":material/casino:"):
        count_up("bound_throws")
    return int(st.session_state.get("bound_throws", 0))


def _search(places: FloatArray, epsilon: float) -> Search | None:
    """The button, and what the last search for this K and ε found."""
    st.markdown(f"**Is there a better placement?** {text.SEARCH}")
    st.button(
        f"Search for the best places for {len(places)} classes",
        key="search_plane",
        type="primary",
        disabled=math.isinf(epsilon),
        help="Without noise every placement is right: choose a finite ε." if math.isinf(epsilon) else None,
        on_click=_run_search,
        args=(places, epsilon),
    )
    search: Search | None = st.session_state.get("bound_search")
    if search is None or (search.classes, search.epsilon) != (len(places), epsilon):
        return None
    st.html(search_words(search, dimension=2))
    drawing(
        climb_chart(search.found.history_accuracy, epsilon, search.classes, has_vertices=search.classes <= 4),
        key="climb_plane",
    )
    st.caption(
        "The best run, step by step: its own estimate of the accuracy"
        + (", and the vertices’ formula as the dashed line." if search.classes <= 4 else ".")
    )
    return search


def _run_search(places: FloatArray, epsilon: float) -> None:
    """Before the rerun: search, and put what was found on the board."""
    before = simulate(places, epsilon, seed=0)
    count = count_up("bound_searches")
    found = run_search(len(places), 2, epsilon, seed=count)
    st.session_state["bound_search"] = Search(
        classes=len(places), epsilon=epsilon, number=count, found=found, before=before
    )
    _put(found.positions)


def _path(search: Search | None, places: FloatArray, epsilon: float) -> tuple[FloatArray | None, str]:
    """The steps of the search, as long as the board shows where it ended."""
    if search is None or as_text(search.found.positions) != as_text(places):
        return None, ""
    return search.found.history, f"search {search.number}"
