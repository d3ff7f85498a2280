"""The glossary of the app is that of the documentation, and says what the pages' words mean."""

from __future__ import annotations

import re

from ui.glossary.terms import SOURCE, parse, terms


def test_every_term_of_the_file_is_there_in_plain_words() -> None:
    text = SOURCE.read_text(encoding="utf-8")
    assert len(terms()) == len(re.findall(r"^: ", text, re.MULTILINE)) > 30
    for term in terms():
        assert term.meaning.endswith(".") and not re.search(r"[\[\]*`]|\]\(", term.meaning), term.name


def test_terms_are_in_order_and_said_once() -> None:
    names = [term.name for term in terms()]
    assert len(set(names)) == len(names)


def test_a_paragraph_is_no_term() -> None:
    assert parse("# Title\n\nSome words: and more.\n") == ()
