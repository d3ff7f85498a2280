"""Every part has its height, and imports go downwards only, never in a circle."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter

import pytest

from tests.architecture.source_trees import CORE, MODULES, SOURCES, imported_modules, offenders, under

LAYERS = (
    "catalogue digest html_page learning paper places types vision",
    "collector owner report_checks tables",
    "data report",
    "mechanism training",
    "baselines joint_rows pictures zoo",
    "device registry release theory",
    "audit report_tally",
    "privatiser",
    "bulk",
    "cli",
    "__main__",
)
"""The parts of ``rlm_core``, from the lowest: each imports only itself and those of lines before its own."""
HEIGHT = {part: number for number, line in enumerate(LAYERS) for part in line.split()}
TOP = {"rlm_core": 0, "server": 1, "collection": 1, "benchmarks": 2, "ui": 3, "pages": 4, "app": 5, "serve": 5}
"""The folders and entries of the project, likewise. ``benchmarks/app_speed`` measures the app, and lies above it."""


def test_the_layers_name_every_part_once() -> None:
    parts = {source.split("/")[1].removesuffix(".py") for source in CORE} - {"__init__"}
    named = [part for line in LAYERS for part in line.split()]
    assert sorted(named) == sorted(parts)


def test_the_library_imports_downwards() -> None:
    def upwards(source: str) -> list[str]:
        own = source.split("/")[1].removesuffix(".py")
        parts = {name: name.split(".")[1] for name in imported_modules(source) - {"rlm_core"}}
        return [name for name, part in parts.items() if part != own and HEIGHT[part] >= HEIGHT[own]]

    assert offenders(set(CORE) - {"rlm_core/__init__.py"}, upwards) == {}


def test_the_project_imports_downwards() -> None:
    def upwards(source: str) -> list[str]:
        own = source.split("/")[0].removesuffix(".py")
        parts = {name: name.split(".")[0] for name in imported_modules(source)}
        return [name for name, part in parts.items() if part != own and TOP[part] >= TOP[own]]

    measured = [source for source in SOURCES if source.split("/")[0].removesuffix(".py") in TOP]
    assert offenders(set(measured) - set(under("benchmarks/app_speed")), upwards) == {}


def test_no_modules_import_each_other() -> None:
    """Not in a circle of any length either: what is imported can be put in an order."""
    try:
        TopologicalSorter({name: imported_modules(source) for name, source in MODULES.items()}).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))
