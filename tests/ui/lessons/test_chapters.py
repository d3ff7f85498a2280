"""The lessons' texts."""

from __future__ import annotations

from ui.lessons.book import CHAPTERS


def test_chapters_say_nothing_twice_in_a_quiz() -> None:
    for chapter in CHAPTERS:
        texts = [answer.text for answer in chapter.answers]
        assert len(set(texts)) == len(texts)
