"""Your own table: choose or bring a public sample, say what is to be learnt, train, and see what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.kit.formats import without_markup

if TYPE_CHECKING:
    from ui.own.tables import Table
    from ui.own.task import Task

FEWEST_PEOPLE, MOST_PEOPLE = 100, 200_000
LEAST_EPSILON, MOST_EPSILON = 0.1, 20.0
NUMBER = 165
"""Pixels of a field for a number: two have room beside each other on a phone."""


def show() -> None:
    """Title first, so that it is on screen while the library is being imported."""
    require_app()
    from ui.own import text

    st.html(Path(__file__).with_name("style.css"))
    heading("Your own table", text.LEDE)
    workbench()


@guarded
def workbench() -> None:
    """Controls left, what came of them right; below, one row and the kit."""
    from ui.own.home import row_and_kit
    from ui.own.view import watch

    left, right = st.columns([2, 3], gap="large")
    with left:
        task = controls()
    with right:
        watch(task)
    row_and_kit()


@guarded
def controls() -> Task | None:
    """What to train on, and the buttons; None while something is missing or cannot be."""
    from ui.own.progress import buttons
    from ui.own.queue import training_queue
    from ui.own.upload import chosen_table

    training_queue().warm()
    table = chosen_table()
    task, problem = (None, "") if table is None else chosen_task(table)
    buttons(task, problem)
    return task


def chosen_task(table: Table) -> tuple[Task | None, str]:
    """The label and the columns, how many people, which ε; or what is wrong with them, which is said beside it."""
    from ui.own.label_check import problem_with
    from ui.own.schema_editor import edit_schema
    from ui.own.tables import check_width
    from ui.own.task import Task

    columns = [str(each) for each in table.frame.columns]
    label = st.selectbox(
        "What is to be learnt (the label)",
        columns,
        index=columns.index(table.label),
        key=f"own_label_{table.name}",
        persist_state="session",
    )
    problem = problem_with(table, label)
    if problem:
        complain(problem)
    schema = None if problem else edit_schema(table, label, key=f"own_schema_{table.name}_{table.digest[:8]}_{label}")
    with st.container(horizontal=True):
        people = st.number_input(  # no bounds: a browser keeps what is beyond them to itself, and the old one stays
            "People who will report",
            value=10_000,
            step=1_000,
            key="own_people",
            persist_state="session",
            width=NUMBER,
        )
        epsilon = st.number_input(
            "ε of one report",
            value=4.0,
            step=0.5,
            format="%.2f",
            key="own_epsilon",
            persist_state="session",
            width=NUMBER,
        )
    beyond = out_of_range(people, epsilon)
    if beyond:
        complain(beyond)
        problem = problem or beyond
    if schema is None or problem:
        return None, problem or "Expected columns to learn from, got none."
    try:
        check_width(schema, len(table.frame))
    except ValueError as error:
        complain(str(error))
        return None, str(error)
    task = Task(
        name=table.name,
        frame=table.frame,
        digest=table.digest,
        label=label,
        schema=schema.to_json(),
        epsilon=float(epsilon),
        people=int(people),
    )
    return task, ""


def out_of_range(people: float | None, epsilon: float | None) -> str:
    """What is wrong with these numbers; an empty field is None.

    >>> out_of_range(10_000, 4.0), out_of_range(50, 4.0)
    ('', 'Expected 100 to 200,000 people, got 50.')
    >>> out_of_range(10_000, None)
    'Expected an ε of 0.1 to 20, got none.'
    """
    if people is None or not FEWEST_PEOPLE <= people <= MOST_PEOPLE:
        got = "none" if people is None else f"{people:,}"
        return f"Expected {FEWEST_PEOPLE} to {MOST_PEOPLE:,} people, got {got}."
    if epsilon is None or not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
        got = "none" if epsilon is None else f"{epsilon:g}"
        return f"Expected an ε of {LEAST_EPSILON:g} to {MOST_EPSILON:g}, got {got}."
    return ""


def complain(problem: str) -> None:
    """What is wrong with a choice, beside it."""
    st.error(without_markup(problem, most=500), icon=":material/table_chart:")
