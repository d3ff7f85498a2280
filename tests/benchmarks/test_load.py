"""The load client speaks Streamlit's protocol: it finds the slider, moves it, and notices an error."""

from __future__ import annotations

import json

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.__main__ import main
from benchmarks.app_speed.load import Session


def test_the_first_slider_is_taken_and_errors_are_counted() -> None:
    session = Session(port=0, page="image")
    for identity in ("first", "second"):
        message = ForwardMsg()
        message.delta.fragment_id = f"{identity} part"
        message.delta.new_element.slider.id = identity
        message.delta.new_element.slider.options.extend(["1", "2"])
        session.look(message)
    assert (session.slider, session.fragment, session.options) == ("first", "first part", ["1", "2"])
    broken = ForwardMsg()
    broken.delta.new_element.alert.format = broken.delta.new_element.alert.ERROR
    session.look(broken)
    assert session.errors == 1


@pytest.mark.slow
def test_two_sessions_move_their_sliders(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["load", "--sessions", "2", "--moves", "2"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert set(figures) == {"sessions_2_p50_ms", "sessions_2_p90_ms", "sessions_2_p99_ms", "errors"}
    assert figures["errors"] == 0 and figures["sessions_2_p90_ms"] > 0
