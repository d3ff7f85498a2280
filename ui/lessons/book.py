"""All chapters in order, the row to choose one from, and the way to the next."""

from __future__ import annotations

import streamlit as st

from ui.app.errors import guarded
from ui.components.to_top import to_top
from ui.kit.address import in_address
from ui.lessons import (
    afterwards,
    categories,
    chapter,
    codes,
    composition,
    device,
    dimensions,
    laplace,
    odds,
    trust,
    two_parts,
    warner,
)
from ui.lessons.chapter import Chapter

CHAPTERS: tuple[Chapter, ...] = (
    warner.CHAPTER,
    categories.CHAPTER,
    laplace.CHAPTER,
    composition.CHAPTER,
    afterwards.CHAPTER,
    dimensions.CHAPTER,
    two_parts.CHAPTER,
    codes.CHAPTER,
    trust.CHAPTER,
    device.CHAPTER,
    odds.CHAPTER,
)
STATE = "chapter"


def book() -> None:
    """The chosen chapter. Only one is drawn, so a slider moves one chapter's pictures and nothing else."""
    names = [each.short for each in CHAPTERS]
    chosen = st.segmented_control(
        "Chapters",
        names,
        default=names[0],
        required=True,
        **in_address(STATE),
        label_visibility="collapsed",
        width="stretch",
    )
    index = names.index(chosen) if chosen in names else 0
    chapter.show(CHAPTERS[index], index + 1, on_answer=ticks)
    with st.container(horizontal=True, horizontal_alignment="distribute"):
        if index > 0:
            _turn(index - 1, f"← {names[index - 1]}", "before")
        if index + 1 < len(names):
            _turn(index + 1, f"Next: {names[index + 1]} →", "next")
    if index + 1 == len(names):
        after_the_last()
    to_top(index)


def ticks() -> None:
    """A tick in the row at every chapter whose question was answered rightly in this visit, and how many they are."""
    done = [number for number, each in enumerate(CHAPTERS, start=1) if chapter.is_done(each)]
    places = ", ".join(f'.st-key-{STATE} [role="radiogroup"] button:nth-of-type({number})::after' for number in done)
    look = f'<style>{places} {{ content: "✓"; margin-left: auto; font-weight: 700; color: #00785A; }}</style>' * bool(
        done
    )
    st.html(f'{look}<p class="rlm-note" role="status">{len(done)} of {len(CHAPTERS)} chapters done.</p>')


def _turn(to: int, label: str, which: str) -> None:
    st.button(
        label,
        key=f"chapter_{which}",
        type="primary" if which == "next" else "secondary",
        on_click=guarded(_go),
        args=(CHAPTERS[to].short,),
    )


def _go(name: str) -> None:
    st.session_state[STATE] = name


def after_the_last() -> None:
    """Where to go from here: the pages that put all of it to use."""
    from ui.app import site

    st.html('<p class="rlm-note">That was all of it. See it at work:</p>')
    with st.container(horizontal=True, gap="large"):
        for spec in site.pages():
            if spec.file in ("image", "collect", "audit"):
                st.page_link(spec.path, label=spec.title, icon=spec.icon)
