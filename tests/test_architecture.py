"""The folder is the trust boundary, and the source of randomness is part of it.

Read from the syntax trees of the sources, so an import inside a function counts as well.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import torch

from rlm_core.registry import REGISTRY

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("rlm_core", "collection", "benchmarks", "ui", "pages")
SOURCES = sorted(
    path.relative_to(ROOT).as_posix() for package in PACKAGES for path in (ROOT / package).rglob("*.py")
) + [path.name for path in sorted(ROOT.glob("*.py"))]
CORE = [source for source in SOURCES if source.startswith("rlm_core/")]
TREES = {source: ast.parse((ROOT / source).read_text(encoding="utf-8")) for source in SOURCES}
ENCODERS = ("rlm_core/owner/encoder.py", "rlm_core/owner/merged_encoder.py")  # networks: imported by who uses one
BROKEN = "rlm_core/audit/broken.py"  # wrong on purpose, and never registered


def imports(source: str, tree: ast.AST | None = None) -> Iterator[str]:
    """Every module that a source imports, also names imported from a package, in full."""
    package = source.removesuffix(".py").split("/")[:-1]
    for node in ast.walk(tree or TREES[source]):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def touches(source: str, *modules: str) -> list[str]:
    return [name for name in imports(source) if any(name == m or name.startswith(m + ".") for m in modules)]


def dotted(node: ast.AST) -> str:
    """``a.b.c`` of an attribute, or the empty string."""
    if isinstance(node, ast.Name):
        return node.id
    inner = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if inner else ""  # type: ignore[attr-defined]


def uses(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every dotted name in a tree, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and dotted(node):
            yield node.lineno, dotted(node)


def test_there_is_something_to_check() -> None:
    assert len(CORE) > 30 and any(source.startswith("rlm_core/collector/") for source in CORE)


def test_the_checks_see_what_they_should() -> None:
    tree = ast.parse(
        "def f():\n    from ..owner import clip\n    import torchvision.models as m\n    np.random.seed(0)"
    )
    assert {"rlm_core.owner", "rlm_core.owner.clip", "torchvision.models"} <= set(
        imports("rlm_core/collector/x.py", tree)
    )
    assert (4, "np.random.seed") in list(uses(tree))


@pytest.mark.parametrize("source", [source for source in CORE if source.startswith("rlm_core/collector/")])
def test_the_collector_never_imports_the_owner_or_the_data(source: str) -> None:
    assert touches(source, "rlm_core.owner", "rlm_core.data") == []
    # `from rlm_core import L1Clip` would be the same by the back door.
    assert touches(source, *(f"rlm_core.{name}" for name in ("L1Clip", "LaplaceNoise", "RandomisedResponse"))) == []


@pytest.mark.parametrize("source", CORE)
def test_the_library_knows_nothing_of_the_app_or_the_benchmarks(source: str) -> None:
    assert touches(source, "streamlit", "collection", "ui", "pages", "benchmarks", "app", "serve") == []


@pytest.mark.parametrize("source", [source for source in SOURCES if source.startswith("collection/")])
def test_collecting_knows_nothing_of_the_app_and_sees_no_record(source: str) -> None:
    assert touches(source, "streamlit", "ui", "pages", "benchmarks", "app", "serve", "rlm_core.data") == []


def under(*folders: str) -> list[str]:
    """The sources in some folders."""
    found = [source for source in SOURCES if source.startswith(tuple(f"{folder}/" for folder in folders))]
    assert found, folders
    return found


def loaded_with(source: str) -> set[str]:
    """What a source imports when it is imported itself: not what is inside a function, or for the type checker only."""
    tree = TREES[source]
    kept = ast.Module(body=[], type_ignores=[])
    waiting: list[ast.stmt] = list(tree.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            waiting += node.orelse
        elif isinstance(node, ast.Import | ast.ImportFrom):
            kept.body.append(node)
        elif not isinstance(node, ast.FunctionDef):
            waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    return set(imports(source, kept))


@pytest.mark.parametrize("source", under("rlm_core/owner"))
def test_the_owner_imports_nothing_of_the_rest(source: str) -> None:
    inside = [name for name in touches(source, "rlm_core") if name != "rlm_core"]
    allowed = (
        "rlm_core.owner",
        "rlm_core.types",
        "rlm_core.digest",
        *(["rlm_core.vision"] if source in ENCODERS else []),
    )
    assert [name for name in inside if not name.startswith(allowed)] == []
    if source not in ENCODERS:
        assert not {name for name in loaded_with(source) if name.split(".")[0] == "torch"}


@pytest.mark.parametrize("source", under("rlm_core/collector"))
def test_the_collector_never_imports_training(source: str) -> None:
    assert touches(source, "rlm_core.training", "rlm_core.zoo") == []


@pytest.mark.parametrize("source", under("rlm_core/learning"))
def test_learning_is_below_training_and_collector(source: str) -> None:
    assert [name for name in touches(source, "rlm_core") if not name.startswith("rlm_core.learning")] in (
        [],
        ["rlm_core"],
    )


@pytest.mark.parametrize("source", under("rlm_core/training"))
def test_training_never_imports_what_is_shipped(source: str) -> None:
    assert touches(source, "rlm_core.zoo") == []


@pytest.mark.parametrize("source", [f"benchmarks/{name}.py" for name in ("table", "summary", "gain", "crowd")])
def test_reading_results_runs_nothing(source: str) -> None:
    allowed = ("benchmarks.table", "benchmarks.summary", "rlm_core.catalogue")
    inside = [name for name in touches(source, "rlm_core", "benchmarks") if name != "benchmarks"]
    assert [name for name in inside if not name.startswith(allowed)] == []
    assert touches(source, "torch", "sklearn", "streamlit") == []


@pytest.mark.parametrize("source", under("ui", "pages"))
def test_the_app_reads_results_and_runs_no_experiment(source: str) -> None:
    found = [name for name in touches(source, "benchmarks") if name != "benchmarks"]
    readers = {"table", "summary", "gain", "crowd"}
    assert [name for name in found if name.split(".")[1] not in readers] == []


@pytest.mark.parametrize("source", under("benchmarks"))
def test_only_the_benchmarks_of_the_app_import_it(source: str) -> None:
    """They are the top of the stack: started by name, imported by nobody else."""
    assert touches(source, "rlm_core.zoo.ship") == []
    if not source.startswith("benchmarks/app_speed/"):
        assert touches(source, "benchmarks.app_speed", "ui", "pages", "app", "serve", "streamlit") == []


def test_importing_goes_one_way() -> None:
    """No two parts import each other when they are loaded."""
    parts = {source: ".".join(source.split("/")[:2]).removesuffix(".py") for source in under("rlm_core")}
    modules = {source.removesuffix(".py").replace("/", "."): part for source, part in parts.items()}
    edges = {
        (part, modules[name])
        for source, part in parts.items()
        for name in loaded_with(source)
        if name in modules and modules[name] != part
    }
    assert {(left, right) for left, right in edges if (right, left) in edges} == set()


@pytest.mark.parametrize("source", [source for source in SOURCES if source != "rlm_core/vision.py"])
def test_torchvision_is_imported_in_one_place(source: str) -> None:
    assert touches(source, "torchvision") == []


@pytest.mark.parametrize("source", CORE)
def test_no_global_seeds(source: str) -> None:
    """numpy's generators are arguments; torch's global one only inside ``fork_rng``, which puts it back."""
    allowed = {"np.random.Generator", "np.random.default_rng"}
    found = [
        (line, name) for line, name in uses(TREES[source]) if name.startswith("np.random.") and name not in allowed
    ]
    assert found == [] and touches(source, "random", "numpy.random", "secrets") == []
    forked = {
        line
        for node in ast.walk(TREES[source])
        if isinstance(node, ast.With) and any("fork_rng" in ast.dump(item) for item in node.items)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    seeds = [line for line, name in uses(TREES[source]) if name in ("torch.manual_seed", "torch.seed")]
    assert [line for line in seeds if line not in forked] == []


def test_the_owner_draws_from_the_operating_system_alone() -> None:
    for source in CORE:
        if source.startswith("rlm_core/owner/"):
            names = {name for _, name in uses(TREES[source]) if name.startswith(("np.random", "torch.rand"))}
            assert names <= {"np.random", "np.random.Generator"}, source  # only as the type of an argument


@pytest.mark.parametrize("source", [source for source in CORE if source != BROKEN])
def test_no_privatise_mentions_a_generator_or_simulates(source: str) -> None:
    for node in ast.walk(TREES[source]):
        if isinstance(node, ast.FunctionDef) and node.name == "privatise":
            names = {name for _, name in uses(node)}
            bad = {
                name
                for name in names
                if name.startswith(("np.random", "random.", "torch.")) or name.endswith(".simulate")
            }
            assert not bad, f"{source}:{node.lineno}"


@pytest.mark.parametrize("name", REGISTRY)
def test_a_release_neither_reads_nor_moves_a_seedable_generator(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism = REGISTRY[name].make(1.0, REGISTRY[name].dimension)
    x = np.tile(REGISTRY[name].worst_pair(mechanism)[0], (40, 1))
    monkeypatch.setattr(np.random, "default_rng", lambda *_: pytest.fail("asked numpy for a generator"))
    releases = []
    for _ in range(2):
        np.random.seed(0)  # noqa: NPY002  the point is that this changes nothing
        random.seed(0)
        with torch.random.fork_rng():
            torch.manual_seed(0)
            before = (str(np.random.get_state()), random.getstate(), torch.get_rng_state().tolist())  # noqa: NPY002
            releases.append(mechanism.privatise(x))
            after = (str(np.random.get_state()), random.getstate(), torch.get_rng_state().tolist())  # noqa: NPY002
        assert before == after
    assert not np.array_equal(*releases)  # equal by chance: below 1e-9, for k-RR with ten classes at ε = 1


@pytest.mark.parametrize("name", REGISTRY)
def test_registered_mechanisms_come_from_sources_that_were_checked(name: str) -> None:
    module = type(REGISTRY[name].make(1.0, REGISTRY[name].dimension)).__module__
    assert module.replace(".", "/") + ".py" in CORE and module != BROKEN.removesuffix(".py").replace("/", ".")


APP = [source for source in SOURCES if source.startswith("ui/")]
SHARED = ("kit", "components", "app", "record")
"""Folders of ``ui`` that pages share, from the lowest: each may import itself and those before it."""


def test_a_page_is_three_lines() -> None:
    pages = [source for source in SOURCES if source.startswith("pages/")]
    assert len(pages) == 11
    for source in pages:
        assert [type(node) for node in TREES[source].body] == [ast.Expr, ast.ImportFrom, ast.Expr], source
        assert all(re.fullmatch(r"ui\.\w+\.page(\.show)?", name) for name in imports(source)), source


@pytest.mark.parametrize("source", APP)
def test_no_page_of_the_app_knows_another(source: str) -> None:
    folder = source.split("/")[1]
    allowed = SHARED[: SHARED.index(folder) + 1] if folder in SHARED else (*SHARED, folder)
    assert {name.split(".")[1] for name in touches(source, "ui") if "." in name} <= {*allowed}


@pytest.mark.parametrize("source", [*CORE, *APP])
def test_library_and_app_import_on_windows(source: str) -> None:
    assert loaded_with(source) & {"fcntl", "resource", "pwd", "grp", "termios"} == set()
