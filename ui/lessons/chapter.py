"""What a chapter is, and how its frame is drawn: idea, play, what to notice, quiz, the paper's sections."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from rlm_core import paper
from ui.app.errors import guarded
from ui.components.drawing import drawing
from ui.components.glance import glance
from ui.kit.html import figures_html, legend_html


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One choice of a quiz, and what to say to whoever picks it."""

    text: str
    feedback: str
    correct: bool = False


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """One chapter: an idea, something to play with, a question.

    Args:
        key: in the address, and before the names of its controls.
        short: for the row of chapters.
        title: the idea as a sentence.
        idea: HTML, two or three sentences.
        play: draws the controls and the picture; run again alone when one of its controls moves.
        notice: what to try and what to see, as short Markdown items.
        question: of the quiz, with its answers.
        sections: keys of ``rlm_core.paper.SECTIONS``.
    """

    key: str
    short: str
    title: str
    idea: str
    play: Callable[[], None]
    notice: tuple[str, ...]
    question: str
    answers: tuple[Answer, ...]
    sections: tuple[str, ...]


def show(chapter: Chapter, number: int, on_answer: Callable[[], None]) -> None:
    """The whole chapter; ``on_answer`` draws what depends on the answer to its question."""
    st.header(f"{number}. {chapter.title}", anchor=False)
    st.html(f'<p class="rlm-lede">{chapter.idea}</p>')
    _play(chapter)
    st.markdown("**Try this**\n\n" + "\n".join(f"- {each}" for each in chapter.notice))
    _quiz(chapter, on_answer)
    links = " · ".join(
        f'<a href="{paper.ADDRESS}" target="_blank" rel="noopener noreferrer">{name}</a>' for name in _names(chapter)
    )
    st.html(f'<p class="rlm-note">In the paper: {links}. (These links leave the app.)</p>')


def _names(chapter: Chapter) -> list[str]:
    return [f"“{html.escape(paper.SECTIONS[key])}”" for key in chapter.sections]


@st.fragment
def _play(chapter: Chapter) -> None:
    guarded(chapter.play)()


@st.fragment
@guarded
def _quiz(chapter: Chapter, on_answer: Callable[[], None]) -> None:
    """One question. The answer is kept for this visit and is not in the address: a link must not answer for others."""
    with st.container(border=True):
        st.html('<p class="rlm-group">Check yourself</p>')
        picked = st.radio(
            chapter.question,
            [each.text for each in chapter.answers],
            index=None,
            key=f"quiz_{chapter.key}",
            persist_state="session",
        )
        answer = next((each for each in chapter.answers if each.text == picked), None)
        if answer is None:
            st.caption("Pick one. Every answer comes with an explanation.")
        elif answer.correct:
            st.success(f"**Right.** {answer.feedback}", icon=":material/check_circle:")
        else:
            st.warning(f"**Not quite.** {answer.feedback} Try another one.", icon=":material/replay:")
        on_answer()


def is_done(chapter: Chapter) -> bool:
    """Whether the question of a chapter has been answered rightly in this visit."""
    picked = st.session_state.get(f"quiz_{chapter.key}")
    return any(each.correct and each.text == picked for each in chapter.answers)


def picture(svg: str, *, key: str, caption: str, legend: Sequence[tuple[str, str]] = ()) -> None:
    """A drawing with its legend and its caption in plain words."""
    drawing(svg, key=key)
    if legend:
        st.html(legend_html(legend))
    st.caption(caption)


def figures(*pairs: tuple[str, str]) -> None:
    """Large numbers with what they are, once in a chapter: where its picture begins."""
    glance(*((plain_text(value), plain_text(words)) for value, words in pairs), key="chapter_glance")
    st.html(figures_html(*pairs))


def plain_text(words: str) -> str:
    """Words of HTML without their tags.

    >>> plain_text("<b>e<sup>ε</sup></b> &lt; 3")
    'e^ε < 3'
    """
    return html.unescape(re.sub(r"<[^>]*>", "", words.replace("<sup>", "^")))


def exact_note() -> None:
    """For chapters that compute instead of sampling."""
    st.html('<p class="rlm-note">Computed exactly: nothing here is random, and nothing is released.</p>')
