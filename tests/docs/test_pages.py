"""What the documentation says is so: its Python runs, the tests that it names are there, the site builds clean."""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import main as run_benchmarks
from rlm_core.cli import COMMANDS, main
from tests.docs.page_text import ROOT, commands, named_tests, python_blocks, shown_blocks
from ui.app.site import pages

PAGES = sorted(page for page in (ROOT / "docs").glob("**/*.md") if "_build" not in page.parts)
WITH_CODE = [page.relative_to(ROOT).as_posix() for page in PAGES if python_blocks(page)]
BENCHMARKS = "python -m benchmarks"
LONG = ("docs/tutorial.md", "docs/howto/own-pictures.md")
"""More than five seconds: run by `make test-all`."""


@pytest.mark.parametrize(
    "page", [pytest.param(page, marks=pytest.mark.slow) if page in LONG else page for page in WITH_CODE]
)
def test_every_block_of_python_runs(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of a page in order, as a reader would type them; from another folder."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "__main__"}
    for number, block in enumerate(python_blocks(ROOT / page)):
        exec(compile(block, f"{page}, block {number}", "exec", dont_inherit=True), names)


def test_the_tutorial_up_to_an_own_mechanism_needs_numpy_and_scipy_alone(tmp_path: Path) -> None:
    """As it says under "Install": a process in which nothing else can be imported."""
    blocks = python_blocks(ROOT / "docs" / "tutorial.md")
    own = next(number for number, block in enumerate(blocks) if "mnist_samples" in block)
    blocked = "import sys\nfor name in ('pandas', 'torch', 'sklearn', 'PIL'):\n    sys.modules[name] = None\n"
    done = subprocess.run(
        [sys.executable, "-c", blocked + "\n".join(blocks[: own + 1])],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr


def test_the_tutorial_and_the_guides_have_code() -> None:
    assert set(LONG) <= set(WITH_CODE) and len(WITH_CODE) >= 5


@pytest.mark.parametrize("page", [page.relative_to(ROOT).as_posix() for page in PAGES if shown_blocks(page)])
def test_python_that_cannot_run_here_compiles_and_imports_what_we_have(page: str) -> None:
    """Blocks for Ray and Spark: their syntax, and the names that they take from this library."""
    for number, block in enumerate(shown_blocks(ROOT / page)):
        tree = ast.parse(block, f"{page}, block {number}")
        ours = [each for each in ast.walk(tree) if isinstance(each, ast.ImportFrom) and "rlm_core" in str(each.module)]
        for each in ours:
            assert all(hasattr(import_module(str(each.module)), name.name) for name in each.names), ast.unparse(each)


def test_every_block_of_python_is_known_to_the_tests() -> None:
    """A block under another name of the language would escape."""
    for page in PAGES:
        languages = set(re.findall(r"^```([\w{}]+)", page.read_text(encoding="utf-8"), re.MULTILINE))
        assert not {each for each in languages if "py" in each.lower()} - {"python", "py"}, page


class Understood(Exception):
    """A command's arguments were all known to it."""


@pytest.mark.parametrize(
    "page",
    [
        "README.md",
        *(page.relative_to(ROOT).as_posix() for page in PAGES if commands(page) or commands(page, BENCHMARKS)),
    ],
)
def test_every_command_that_is_written_down_exists(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is given to its own parser, which ends with code 2 at a word that it does not know. Nothing is run."""
    parse = argparse.ArgumentParser.parse_args

    def parsed(parser: argparse.ArgumentParser, *given: Any) -> None:
        parse(parser, *given)
        raise Understood

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parsed)
    for arguments in commands(ROOT / page, BENCHMARKS):
        with pytest.raises(Understood):
            run_benchmarks(arguments)
    for arguments in commands(ROOT / page):
        if len(arguments) == 1:
            assert arguments[0] in COMMANDS, f"{page} names rlm {arguments[0]}"
            continue
        with pytest.raises(Understood):
            main(arguments)


def test_a_command_that_does_not_exist_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = tmp_path / "page.md"
    page.write_text("```\nrlm models --nonsense  # a comment\n```\nand `rlm audit`, `rlm fit …`\n", encoding="utf-8")
    assert commands(page) == [["models", "--nonsense"], ["audit"]]
    page.write_text("```\nOMP_NUM_THREADS=1 python -m benchmarks speed --nonsense\n```\n", encoding="utf-8")
    assert commands(page, BENCHMARKS) == [["speed", "--nonsense"]]
    monkeypatch.setattr("sys.stderr", None)
    with pytest.raises(SystemExit):
        main(["models", "--nonsense"])
    with pytest.raises(SystemExit):
        run_benchmarks(["speed", "--nonsense"])


def test_the_profile_of_a_release_is_the_measured_one() -> None:
    """docs/scale.md, "How fast": the table says what benchmarks/results/speed.json has."""
    measured = json.loads((ROOT / "benchmarks" / "results" / "speed.json").read_text(encoding="utf-8"))
    parts = ("encoder", "clip", "noise", "label", "report", "rest", "release", "block")
    table = (
        (ROOT / "docs" / "scale.md").read_text(encoding="utf-8").partition("| part | µs | |")[2].partition("\n\n")[0]
    )
    written = re.findall(r"^\| [^|]+ \| \**([\d.]+)\** \|", table, re.MULTILINE)
    for part, shown in zip(parts, written, strict=True):
        value = measured[f"vrlm_{part}_us"]
        assert shown == (f"{value:.0f}" if value >= 10 else f"{value:.1f}"), f"vrlm_{part}_us is {value}"


@pytest.mark.parametrize("page", ["sharp-edges", "audits", "campaigns", "threat-model"])
def test_named_tests_exist(page: str) -> None:
    for path, name in named_tests((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")):
        assert (ROOT / path).is_file(), f"docs/{page}.md names {path}"
        assert f"def {name}" in (ROOT / path).read_text(encoding="utf-8"), f"{path} has no {name}"


def test_every_page_of_the_app_is_explained() -> None:
    text = (ROOT / "docs" / "app.md").read_text(encoding="utf-8")
    for page in pages():
        title = page.title.removeprefix("Privatise a ")  # image and row share a line
        assert page.file == "start" or title in text, page.title


@pytest.mark.parametrize(
    "page", ["method", "architecture", "threat-model", "joint-report", "central_dp", "audits", "campaigns"]
)
def test_explanations_lead_to_the_glossary_from_their_top(page: str) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    assert "](glossary.md)" in "\n".join(text.splitlines()[:12])


def test_the_tour_shows_every_page_in_small_pictures() -> None:
    """docs/stills.py takes them; a page of the app that the tour leaves out is noticed."""
    text = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    for page in pages():
        assert f"](images/{page.file}.png)" in text, f"the tour has no picture of {page.title}"
    for name in re.findall(r"\]\((images/[^)]+)\)", text):
        assert (ROOT / "docs" / name).stat().st_size <= 250_000, name


def test_ten_sharp_edges_each_with_guard_test_and_limit() -> None:
    text = (ROOT / "docs" / "sharp-edges.md").read_text(encoding="utf-8")
    edges = re.split(r"^## \d+\. ", text, flags=re.MULTILINE)[1:]
    assert len(edges) == 10
    for edge in edges:
        assert "**Guard.**" in edge and "**It cannot**" in edge and named_tests(edge), edge.splitlines()[0]


@pytest.mark.slow
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    """Links within the site, references in docstrings, commands' help: all are checked by the build."""
    pytest.importorskip("sphinx")
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-E", "-d", str(tmp_path / "trees")]
    done = subprocess.run(
        [*command, "-b", "html", "-c", str(ROOT / "docs"), str(ROOT), str(tmp_path / "site")],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    site = tmp_path / "site" / "docs"
    commands = (site / "reference" / "command-line.html").read_text(encoding="utf-8")
    assert "usage: rlm audit" in commands and "MODULE:CALLABLE" in commands
    assert "/api/campaigns/{campaign}/reports" in (site / "reference" / "http-api.html").read_text(encoding="utf-8")
    assert "LaplaceNoise" in (site / "reference" / "api.html").read_text(encoding="utf-8")
    _contacts_nobody(tmp_path / "site")


def _contacts_nobody(site: Path) -> None:
    """A page of the site loads nothing from another host, as the app does not."""
    for page in site.glob("**/*.html"):
        loaded = re.findall(r'<(?:script|img|iframe)[^>]*\ssrc="(https?:[^"]*)"', page.read_text(encoding="utf-8"))
        loaded += re.findall(r'<link[^>]*rel="stylesheet"[^>]*href="(https?:[^"]*)"', page.read_text(encoding="utf-8"))
        assert not loaded, f"{page.name} loads {loaded[0]}"
