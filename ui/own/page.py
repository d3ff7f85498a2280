"""Your own table: choose or bring a public sample, say what is to be learnt, train, and see what it takes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.kit.address import in_address
from ui.kit.formats import without_markup

if TYPE_CHECKING:
    from ui.own.tables import Table
    from ui.own.task import Task

YOURS = "Your file"
MOST_PEOPLE = 200_000
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
    from ui.own.view import row_and_kit, watch

    left, right = st.columns([2, 3], gap="large")
    with left:
        controls()
    with right:
        watch()
    row_and_kit()


@guarded
def controls() -> None:
    """What to train on, and the buttons."""
    buttons(chosen_task())


def chosen_task() -> Task | None:
    """The table, its label and columns, how many people, which ε; None while something is missing."""
    from ui.own.queue import training_queue
    from ui.own.schema_editor import edit_schema
    from ui.own.tables import EXAMPLES, check_width
    from ui.own.task import Task

    training_queue().warm()
    source = st.segmented_control(
        "Table", [*EXAMPLES, YOURS], default=next(iter(EXAMPLES)), required=True, **in_address("table")
    )
    table = chosen_table(source)
    if table is None:
        return None
    columns = [str(each) for each in table.frame.columns]
    label = st.selectbox(
        "What is to be learnt (the label)", columns, index=columns.index(table.label), key=f"own_label_{table.name}"
    )
    schema = edit_schema(table, label, key=f"own_schema_{table.name}_{label}")
    with st.container(horizontal=True):
        people = st.number_input(
            "People who will report", 100, MOST_PEOPLE, 10_000, step=1_000, key="own_people", width=NUMBER
        )
        epsilon = st.number_input(
            "ε of one report", 0.1, 20.0, 4.0, step=0.5, format="%.2f", key="own_epsilon", width=NUMBER
        )
    if schema is None:
        return None
    try:
        check_width(schema, len(table.frame))
    except ValueError as error:
        st.error(without_markup(str(error), most=500), icon=":material/table_chart:")
        return None
    return Task(
        name=table.name,
        frame=table.frame,
        label=label,
        schema=schema.to_json(),
        epsilon=float(epsilon),
        people=int(people),
        wish=0.8,
    )


def buttons(task: Task | None) -> None:
    """Start, and while a training goes on how far it is and the way to stop: one below the other on a phone too."""
    from ui.own.view import progress
    from ui.own.visit import start, stop, visit

    current = visit().training
    active = current is not None and current.active
    if active:
        progress()
    with st.container(horizontal=True):
        if task is not None:
            st.button(
                "Train a mechanism",
                key="own_train",
                type="primary",
                icon=":material/model_training:",
                on_click=guarded(start),
                args=(task,),
                disabled=active,
                help="Up to two minutes, on this server. You can stop at any time.",
            )
        if active:
            st.button("Stop", key="own_stop", icon=":material/stop_circle:", on_click=guarded(stop))


def chosen_table(source: str | None) -> Table | None:
    """The example, or what was uploaded; None while there is nothing."""
    from ui.own.tables import EXAMPLES, example

    if source in EXAMPLES:
        table = example(source)
        st.caption(table.note)
        return table
    return upload()


def upload() -> Table | None:
    """Says where a file goes before one can be chosen, then reads it in a process with limits."""
    from ui.app.decoding import decode_once
    from ui.app.public_demo import REFUSED, raw_data_allowed
    from ui.own import text
    from ui.own.kit import commands
    from ui.own.tables import LIMITS, read_upload

    if not raw_data_allowed():
        st.info(REFUSED, icon=":material/public_off:")
        return None
    st.html(f'<div class="rlm-promise">{text.TRAVELS}</div>')
    with st.expander(text.LOCALLY):
        st.code(commands("income"), language="bash")
    file = st.file_uploader(
        f"CSV or parquet, up to {LIMITS.rows:,} rows, {LIMITS.columns} columns and {LIMITS.bytes // 2**20} MB unpacked",
        type=["csv", "tsv", "txt", "gz", "parquet"],
        key="own_upload",
        max_upload_size=LIMITS.bytes // 2**20,
    )
    if file is None:
        return None
    try:
        with st.spinner("Reading the file …"):
            table = decode_once(read_upload, file.getvalue(), file.name)
    except ValueError as error:
        st.error(without_markup(str(error), most=500), icon=":material/table_chart:")
        return None
    st.caption(f"{len(table.frame):,} rows, {len(table.frame.columns):,} columns.")
    return table
