"""Write the executed notebook of each script named, or of all: python examples/execute.py privatise_a_digit

Needs jupytext, nbclient and ipykernel, which the project does not install otherwise.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jupytext
import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent


def pairs() -> list[str]:
    """The scripts that are notebooks."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if "jupytext:" in path.read_text(encoding="utf-8")[:200])


def execute(name: str) -> None:
    """Run every cell in a new kernel; keep sources and outputs, nothing about when and where."""
    notebook = jupytext.read(FOLDER / f"{name}.py")
    NotebookClient(
        notebook, timeout=1200, kernel_name="python3", resources={"metadata": {"path": str(FOLDER)}}
    ).execute()
    notebook.metadata = {"kernelspec": notebook.metadata.get("kernelspec", {}), "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
    nbformat.write(notebook, FOLDER / f"{name}.ipynb")


if __name__ == "__main__":
    for each in sys.argv[1:] or pairs():
        execute(each)
        print(each)
