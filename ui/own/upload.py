"""Where the table comes from: an example, or a file, which says where it goes before one can be chosen."""

from __future__ import annotations

import streamlit as st

from ui.app.decoding import decode_once, forget_decoded
from ui.app.errors import guarded
from ui.app.public_demo import REFUSED, raw_data_allowed
from ui.kit.address import in_address
from ui.kit.formats import without_markup
from ui.own import text
from ui.own.kit import commands
from ui.own.tables import EXAMPLES, LIMITS, Table, example, read_upload
from ui.own.visit import visit

YOURS = "Your file"


def chosen_table() -> Table | None:
    """The example, or what was uploaded; None while there is nothing."""
    source = st.segmented_control(
        "Table", [*EXAMPLES, YOURS], default=next(iter(EXAMPLES)), required=True, **in_address("table")
    )
    if source in EXAMPLES:
        table = example(source)
        st.caption(table.note)
        return table
    if not raw_data_allowed():
        st.info(REFUSED, icon=":material/public_off:")
        return None
    return upload()


def upload() -> Table | None:
    """The promise, the field for a file, and what was read, in a process with limits."""
    promised = st.container()
    file = st.file_uploader(
        f"CSV or parquet, up to {LIMITS.rows:,} rows, {LIMITS.columns} columns and {LIMITS.bytes // 2**20} MB unpacked",
        type=["csv", "tsv", "txt", "gz", "parquet"],
        key="own_upload",
        max_upload_size=LIMITS.bytes // 2**20,
        on_change=guarded(other_file),
    )
    table = visit().upload if file is None else read(file.getvalue(), file.name)
    visit().upload = table
    with promised:
        promise(is_there=table is not None)
    if table is None:
        return None
    rows, columns = text.counted(len(table.frame), "row"), text.counted(len(table.frame.columns), "column")
    if file is not None:
        st.caption(f"{rows}, {columns}. {table.note}".strip())
        return table
    with st.container(horizontal=True, vertical_alignment="center"):  # another page was looked at
        st.caption(f"Still here: {without_markup(table.name, most=80)}, {rows}, {columns}.", width="content")
        st.button("Take it away", key="own_take_away", type="tertiary", on_click=guarded(other_file))
    return table


def other_file() -> None:
    """What was there before is gone, whatever comes."""
    visit().upload = None
    forget_decoded(read_upload)


def promise(*, is_there: bool) -> None:
    """Where a file goes, in full before there is one."""
    if is_there:
        st.caption(text.TRAVELLED)
        return
    st.html(f'<div class="rlm-promise">{text.TRAVELS}</div>')
    with st.expander(text.LOCALLY):
        st.code(commands("income"), language="bash")


def read(data: bytes, name: str) -> Table | None:
    """The table in a file; None after saying what is wrong with it."""
    try:
        with st.spinner("Reading the file …"):
            return decode_once(read_upload, data, name)
    except ValueError as error:
        st.error(without_markup(str(error), most=500), icon=":material/table_chart:")
        return None
