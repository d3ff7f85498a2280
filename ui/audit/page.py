"""Is it really private? A live dial of claimed against measured ε, and switches that break the mechanism."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.app.errors import guarded
from ui.app.shell import heading, require_app


def show() -> None:
    """Title and question first, so that they are on screen while the library is being imported."""
    require_app()
    from ui.audit import text

    heading("Is it really private?", text.LEDE)
    st.html(Path(__file__).with_name("style.css"))
    bench()
    with st.expander(
        "Is the claim true, and how do we know? What is proved, what is measured, what neither covers", expanded=True
    ):
        st.markdown(text.PROVED)
    with st.expander("How does the audit work, and what can it not show?"):
        st.markdown(text.HOW)
    with st.expander("Every mechanism, audited"):
        from ui.audit.view import committed_table

        st.caption(text.TABLE)
        st.html(committed_table())


@st.fragment
@guarded
def bench() -> None:
    """Controls, dial, and the two records; all that changes with a control."""
    from ui.audit import text
    from ui.audit.view import dial_view, history_view, pair_view, question_controls
    from ui.kit.promise import delta_note

    left, right = st.columns([2, 3], gap="large")
    with left:
        question = question_controls()
        broken = text.BREAKS.get(question.name)
        st.caption(f"{broken[2] if broken else question.entry.summary} {delta_note(question.delta)}")
        whose = text.OUTPUTS_BROKEN if broken else text.OUTPUTS
        st.caption(whose + text.RESULT_STAYS)
    with right:
        dial_view(question)
    st.warning(text.NO_PROOF, icon=":material/balance:")
    history_view()
    st.header("Two records, side by side", anchor=False)
    pair_view(question)
