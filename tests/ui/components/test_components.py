"""What comes from a browser is checked."""

from __future__ import annotations

import pytest

from ui.components import lanes


@pytest.mark.parametrize("sent", [None, "x", {}, -1, 20, True, 1.0, [3]])
def test_nonsense_from_the_stage_is_no_position(sent: object) -> None:
    assert lanes.checked_position(sent, 20) is None
