"""The chart's script by itself: names are words, never markup, and an axis has an end whatever its numbers."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from ui.components.declare import FOLDER

STUBS = """
globalThis.document = { createElement: () => ({ getContext: () => ({}) }) };
"""


def run(expression: str) -> Any:
    """What an expression gives after the script's parts, as JSON."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("no node found")
    parts = [(FOLDER / "chart" / f"{name}.js").read_text(encoding="utf-8") for name in ("words", "scale", "chart")]
    script = f"{STUBS}{''.join(parts)}\nconsole.log(JSON.stringify({expression}));"
    command = [node, "--input-type=module", "-e", script]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=20).stdout)


def test_names_and_categories_are_escaped_before_they_are_told() -> None:
    name = "<img src=x onerror=alert(1)>"
    trace = {"x": [name], "y": [1.0], "name": name, "hovertemplate": "%{x}: %{y:.1f}<extra>%{fullData.name}</extra>"}
    told = run(f"told({json.dumps(trace)}, 0)")
    assert "<img" not in told and told.count("&#60;img") == 2 and "<br>" in told


@pytest.mark.parametrize("values", [[1e16, 1e16 + 2], [1e300, 1e300], [5.0, 5.0], [0.0, 1e-300]])
def test_an_axis_ends_where_a_step_is_lost_in_its_numbers(values: list[float]) -> None:
    assert len(run(f"scaleOf({{}}, {json.dumps(values)}, 6).ticks")) <= 200


def test_ticks_are_round() -> None:
    ticks = run("scaleOf({ range: [0, 1] }, [], 6).ticks")
    assert [words for _, words in ticks] == ["0", "0.2", "0.4", "0.6", "0.8", "1"]
