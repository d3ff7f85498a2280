"""The project's sources as syntax trees, each parsed once: what they import and which names they use.

Read from the trees, so that an import inside a function counts as well.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("rlm_core", "server", "collection", "benchmarks", "ui", "pages")
SOURCES = sorted(
    path.relative_to(ROOT).as_posix() for package in PACKAGES for path in (ROOT / package).rglob("*.py")
) + [path.name for path in sorted(ROOT.glob("*.py"))]
CORE = [source for source in SOURCES if source.startswith("rlm_core/")]
MODULES = {source.removesuffix(".py").removesuffix("/__init__").replace("/", "."): source for source in SOURCES}


@cache
def tree_of(source: str) -> ast.Module:
    """The syntax tree of one source. Nobody changes it: others read it too."""
    return ast.parse((ROOT / source).read_text(encoding="utf-8"))


def under(*folders: str) -> list[str]:
    """The sources in some folders; a folder that is not there is an error, not an empty check."""
    for folder in folders:
        assert any(source.startswith(f"{folder}/") for source in SOURCES), folder
    return [source for source in SOURCES if source.startswith(tuple(f"{folder}/" for folder in folders))]


def offenders(sources: Iterable[str], check: Callable[[str], object]) -> dict[str, object]:
    """Each source for which a check finds something, with what it found: empty where all is well."""
    return {source: found for source in sources if (found := check(source))}


def imports_in(source: str, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """Every module that some nodes of a source import, also names imported from a package, in full."""
    package = source.removesuffix(".py").split("/")[:-1]
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*base, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


@cache
def imports(source: str) -> tuple[str, ...]:
    """Every module that a source imports, wherever the import stands."""
    return tuple(imports_in(source, ast.walk(tree_of(source))))


def touches(source: str, *modules: str) -> list[str]:
    """The imports of a source that are one of these modules, or lie in one."""
    return [name for name in imports(source) if any(name == m or name.startswith(m + ".") for m in modules)]


def is_for_type_checker(node: ast.AST) -> bool:
    """Whether a statement is ``if TYPE_CHECKING:``."""
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


@cache
def loaded_with(source: str) -> frozenset[str]:
    """What a source imports when it is imported itself: not what is inside a function, or for the type checker only."""
    found: list[ast.AST] = []
    waiting: list[ast.stmt] = list(tree_of(source).body)
    while waiting:
        node = waiting.pop()
        if is_for_type_checker(node):
            waiting += node.orelse  # type: ignore[attr-defined]
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif not isinstance(node, ast.FunctionDef):
            waiting += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
    return frozenset(imports_in(source, found))


@cache
def imported_modules(source: str) -> frozenset[str]:
    """Our own modules that a source imports, inside functions too, but not for the type checker only."""
    found_nodes: list[ast.AST] = []
    waiting: list[ast.AST] = [tree_of(source)]
    while waiting:
        node = waiting.pop()
        found_nodes.append(node)
        waiting += node.orelse if is_for_type_checker(node) else ast.iter_child_nodes(node)  # type: ignore[attr-defined]
    found = {name for name in imports_in(source, found_nodes) if name in MODULES and MODULES[name] != source}
    return frozenset(name for name in found if not any(other.startswith(name + ".") for other in found))


def dotted(node: ast.AST) -> str:
    """``a.b.c`` of an attribute, or the empty string."""
    if isinstance(node, ast.Name):
        return node.id
    inner = dotted(node.value) if isinstance(node, ast.Attribute) else ""
    return f"{inner}.{node.attr}" if inner else ""  # type: ignore[attr-defined]


def names_in(tree: ast.AST) -> list[tuple[int, str]]:
    """Every dotted name in a tree, with its line."""
    found = ((node.lineno, dotted(node)) for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return [(line, name) for line, name in found if name]


@cache
def names_used(source: str) -> list[tuple[int, str]]:
    """Every dotted name in a source, with its line."""
    return names_in(tree_of(source))
