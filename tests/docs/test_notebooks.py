"""The notebooks: scripts that run, and executed copies that say the same."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

from tests.docs.page_text import ROOT

EXAMPLES = ROOT / "examples"
NOTEBOOKS = sorted(path.stem for path in EXAMPLES.glob("*.ipynb"))
NEEDS = {"audit_somebody_elses_mechanism": "opendp"}
SEEDED = {
    "table_1_in_five_minutes": r"\d+ .*%$|.* to test with|.* collections of ",
    "what_averaging_gives_away": r".*reports: total|.*diameter|asked |week ",
    "privatise_a_digit": r"a \d|spent|Expected",
    "your_own_table": r".*public rows",
    "audit_somebody_elses_mechanism": r"OpenDP says",
}
"""Lines of a script's output that are the same at every run: no draw of the system's random source is in them."""


def script_cells(name: str) -> list[str]:
    """The sources of a script's cells; markdown without its comment signs."""
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    cells = []
    for kind, source in re.findall(r"^# %%( \[markdown\])?\n(.*?)(?=^# %%|\Z)", text, re.DOTALL | re.MULTILINE):
        lines = source.strip().splitlines()
        cells.append("\n".join(re.sub(r"^# ?", "", line) for line in lines) if kind else "\n".join(lines))
    return cells


def test_there_are_five_and_the_list_names_them() -> None:
    assert len(NOTEBOOKS) == 5
    for listing in (EXAMPLES / "README.md", ROOT / "docs" / "notebooks.md"):
        assert all(f"{name}." in listing.read_text(encoding="utf-8") for name in NOTEBOOKS)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_notebook_is_its_script_executed(name: str) -> None:
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))
    assert ["".join(cell["source"]) for cell in notebook["cells"]] == script_cells(name), "python examples/execute.py"
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    outputs = [output for cell in code for output in cell["outputs"]]
    assert outputs and not any(output["output_type"] == "error" for output in outputs)
    assert not any(output.get("name") == "stderr" for output in outputs)
    assert (EXAMPLES / f"{name}.ipynb").stat().st_size < 200_000


@pytest.mark.slow
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_the_script_runs(name: str) -> None:
    """From the examples' folder, as a reader would; they assert what they claim."""
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    done = subprocess.run(
        [sys.executable, "-W", "error", f"{name}.py"],
        cwd=EXAMPLES,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    notebook = json.loads((EXAMPLES / f"{name}.ipynb").read_text(encoding="utf-8"))
    outputs = [output for cell in notebook["cells"] for output in cell.get("outputs", [])]
    kept = "".join("".join(output["text"]) for output in outputs if output.get("name") == "stdout")
    found, written = (seeded_lines(name, text) for text in (done.stdout, kept))
    assert found and len(found) == len(written), "python examples/execute.py"
    for line, old in zip(found, written, strict=True):
        assert same(line, old), f"the script says {line!r}, its notebook {old!r}: python examples/execute.py"


def seeded_lines(name: str, text: str) -> list[str]:
    return [line for line in text.splitlines() if re.match(SEEDED[name], line)]


def same(line: str, old: str) -> bool:
    """The same words, and numbers within a point: another processor rounds otherwise."""
    number = r"\d+(?:\.\d+)?"
    found, written = ([float(each) for each in re.findall(number, text)] for text in (line, old))
    return re.split(number, line) == re.split(number, old) and found == pytest.approx(written, abs=1.0)


def test_a_stale_figure_is_noticed() -> None:
    assert same("4      97.8 ± 0.0 %     63.6 %", "4      97.7 ± 0.1 %     63.9 %")
    assert not same("4      97.8 ± 0.0 %     63.6 %", "4      96.1 ± 0.2 %     63.6 %")
    assert not same("week 4: sent", "week 4: refused")
