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
