"""``python -m benchmarks scale``: that every stage measures and the file has the agreed keys, in small."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.__main__ import main
from benchmarks.scale.measure import MEANING, billion


def test_a_billion_is_arithmetic() -> None:
    figures = {"rows_per_second_per_core": 100_000, "digits_per_second_per_core": 10_000, "bytes_per_report": 2.0}
    figures |= {"tally_seconds": 1.0, "tally_reports": 10_000_000, "tally_bytes": 1_000}
    found = billion(figures, 65_536)
    assert found["core_hours"] == 2.8 and found["digits_core_hours"] == 27.8 and found["report_gigabytes"] == 2.0
    assert found["parts"] == 15_259 and found["tally_core_hours"] == 0.03


@pytest.mark.slow
def test_every_stage_in_small(tmp_path: Path) -> None:
    out = tmp_path / "scale.json"
    call = ["scale", "--rows", "6000", "--digits", "600", "--kill-rows", "12000", "--kill-runs", "1", "--draws", "1"]
    call += ["--block-rows", "1500", "--work", str(tmp_path / "work"), "--out", str(out)]
    assert main(call) == 0
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert set(MEANING) <= set(figures)
    assert (figures["rows"], figures["digits"], figures["lost"], figures["doubled"]) == (6_000, 600, 0, 0)
    assert figures["ledger_exact"] and figures["tally_reports"] == 6_000 and figures["tally_bytes"] < 10_000
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "work").glob("stage-*.json")}
    assert main(call) == 0  # finished stages are not measured again
    assert before == {path: path.stat().st_mtime_ns for path in before}
