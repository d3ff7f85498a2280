"""``python -m benchmarks speed``: that it measures and prints; how fast things are is its own business."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from benchmarks import peers, speed
from benchmarks.__main__ import COMMANDS, main

PEERS = [key for key in speed.MEANING if key.startswith(("peer_", "multi_freq_ldpy_", "ldp_toolbox_", "pure_ldp_"))]
KEYS = [
    "laplace_release_over_numpy",
    "opendp_over_laplace_release",
    "report_ms",
    "code_report_ms",
    "code_fit_seconds",
    "krr_ms",
    "subset_selection_us",
    *PEERS[:3],
    "krr_us",
    *PEERS[3:],
    *(f"vrlm_{part}_us" for part in ("encoder", "clip", "noise", "label", "report", "rest", "release", "block")),
    "privunit_seconds",
    "privunit_second_moment",
    "duchi_seconds",
    "import_seconds_over_numpy",
    "import_mb",
]
SMALL = ["--repeats", "1", "--rows", "2000", "--images", "50"]


@pytest.fixture(autouse=True)
def without_peers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Whether they are installed or not: to import numba takes longer than all of this."""
    monkeypatch.setattr(peers, "FOLDER", tmp_path)


def test_json_has_the_agreed_keys(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["speed", "--json", "--out", str(tmp_path / "speed.json"), *SMALL]) == 0
    said = capsys.readouterr()
    figures = json.loads(said.out)
    assert json.loads((tmp_path / "speed.json").read_text(encoding="utf-8")) == figures
    assert list(figures) == KEYS and all(value >= 0 for key, value in figures.items() if key not in PEERS)
    assert "multi_freq_ldpy is not compared" in said.err and all(figures[key] is None for key in PEERS)
    assert figures["privunit_second_moment"] <= 345  # does not depend on the machine


def test_the_table_explains_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed", *SMALL]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == KEYS == list(speed.MEANING)


def test_without_opendp_its_figure_is_null_and_a_note_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "opendp.prelude", None)  # makes the import fail
    figures = speed.laplace(repeats=1, rows=100)
    assert figures["opendp_over_laplace_release"] is None and figures["laplace_release_over_numpy"]
    assert "OpenDP is not installed" in capsys.readouterr().err


def test_medians_are_taken_in_turns_after_a_warm_up(monkeypatch: pytest.MonkeyPatch) -> None:
    now, order = [0.0], []
    durations = {"a": iter([100.0, 1.0, 9.0, 2.0]), "b": iter([100.0, 5.0, 5.0, 6.0])}

    def take(name: str) -> None:
        order.append(name)
        now[0] += next(durations[name])

    monkeypatch.setattr(speed.time, "process_time", lambda: now[0])
    assert speed.in_turns(3, lambda: take("a"), lambda: take("b")) == [2.0, 5.0]
    assert order == ["a", "b"] * 4


@pytest.mark.parametrize("change", [{"repeats": 0}, {"rows": 0}, {"images": -1}])
def test_bad_sizes_are_refused(change: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="Expected positive numbers"):
        speed.measure(**({"repeats": 1, "rows": 10, "images": 10} | change))


def test_unknown_commands_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["nonsense"])
    message = capsys.readouterr().err
    assert stopped.value.code == 2 and all(name in message for name in COMMANDS)
