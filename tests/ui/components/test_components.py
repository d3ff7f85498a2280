"""What comes from a browser is checked."""

from __future__ import annotations

import pytest

from ui.components import canvas, live_digit


@pytest.mark.parametrize(
    "sent", [None, "x", {}, {"position": -1}, {"position": 21}, {"position": True}, {"position": 1.0}]
)
def test_nonsense_from_the_live_digit_is_no_question(sent: object) -> None:
    assert live_digit.question(sent, 21) is None


def test_a_drawing_of_any_size_is_refused() -> None:
    assert canvas.decode("A" * (2**20 + 4)) is None
