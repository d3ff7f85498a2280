"""The verdict in words stands under the control that chooses ε."""

from __future__ import annotations

import math

import pytest
from streamlit.testing.v1 import AppTest

from rlm_core.theory.verdict import verdict


def controlled(default: float) -> None:
    from ui.app.controls import epsilon_control

    epsilon_control(default)


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0, math.inf])
def test_the_control_of_epsilon_says_its_verdict(epsilon: float) -> None:
    app = AppTest.from_function(controlled, kwargs={"default": epsilon}).run(timeout=60)
    assert not app.exception
    (line,) = [each.value for each in app.main.get("html")]
    assert verdict(epsilon).sentence in line and f"Protection: {verdict(epsilon).strength}." in line
