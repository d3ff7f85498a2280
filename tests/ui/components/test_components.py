"""What comes from a browser is checked."""

from __future__ import annotations

import pytest

from ui.components import canvas, lanes


@pytest.mark.parametrize("sent", [None, "x", {}, -1, 20, True, 1.0, [3]])
def test_nonsense_from_the_stage_is_no_position(sent: object) -> None:
    assert lanes.checked_position(sent, 20) is None


def test_a_drawing_of_any_size_is_refused() -> None:
    assert canvas.decode("A" * (2**20 + 4)) is None
