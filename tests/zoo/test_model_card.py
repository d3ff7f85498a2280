"""The card as a page: a header of one JSON value a line, and nothing on it that the card does not say."""

from __future__ import annotations

import json

import pytest

from rlm_core import zoo
from rlm_core.__main__ import main
from rlm_core.zoo.model_card import model_card


@pytest.mark.parametrize("name", [*zoo.names(), "mnist-qrlm-k23"])
def test_header_and_text(name: str) -> None:
    about = zoo.card(name)
    _, header, text = model_card(about).split("---\n", 2)
    fields = {key: json.loads(value) for key, value in (line.split(": ", 1) for line in header.splitlines())}
    assert fields["model_name"] == name and fields["license_name"] == about.licence
    assert "local-differential-privacy" in fields["tags"]
    assert about.limits in text and about.digest in text and f"zoo.load({name!r})" in text


def test_the_command_prints_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["models", "card", "mnist-qrlm-k23"]) == 0
    assert capsys.readouterr().out == model_card(zoo.card("mnist-qrlm-k23"))
