"""The glossary page: all words, one word, no word; and a way to it from every page."""

from __future__ import annotations

from page_driver import Open, healthy, words

from ui.glossary.terms import terms


def test_it_shows_every_word(open_page: Open) -> None:
    text = words(healthy(open_page("glossary")))
    assert all(term.name in text for term in terms() if "&" not in term.name)


def test_a_word_is_found_from_the_field_and_from_the_address(open_page: Open) -> None:
    app = healthy(open_page("glossary"))
    text = words(app.text_input[0].set_value("rehearsal").run())
    assert "never leaves" in text and "Clopper" not in text and "<dt>zoo</dt>" not in text
    assert "<dt>ledger</dt>" in words(healthy(open_page("glossary", word="ledger")))


def test_a_word_that_is_not_there_is_answered_kindly(open_page: Open) -> None:
    app = open_page("glossary")
    app.text_input[0].set_value("<script>").run()
    assert "No word here" in app.info[0].value and not app.exception


def test_every_page_leads_to_it(open_page: Open) -> None:
    links = open_page("audit").main.get("page_link")
    assert any("words mean" in link.proto.label for link in links)
