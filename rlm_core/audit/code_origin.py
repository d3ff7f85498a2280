"""Which code was audited: the file that defines a callable, by its SHA-256, and the package that it came with."""

from __future__ import annotations

import functools
import hashlib
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Any


@dataclass(frozen=True, kw_only=True)
class CodeOrigin:
    """Where a callable is defined.

    Args:
        module: its module's name.
        file: the name of that module's file, without its folder; empty if it has none (built-in, typed in).
        sha256: of the file's bytes; empty with it.
        package: name and version of the installed package, empty if it belongs to none.
    """

    module: str
    file: str
    sha256: str
    package: str

    def __str__(self) -> str:
        code = f"{self.file}, SHA-256 {self.sha256}" if self.file else "no file"
        return f"module {self.module} ({code}), {self.package or 'of no installed package'}"


def code_origin(call: Callable[..., Any]) -> CodeOrigin:
    """Of a function, a method, a partial, or an object that can be called (then of its class).

    The hash covers one file: not what it imports.

    >>> from statistics import mean
    >>> code_origin(mean).file
    'statistics.py'
    """
    while isinstance(call, functools.partial):
        call = call.func
    found: Any = inspect.unwrap(call)
    name = str(getattr(found, "__module__", None) or type(found).__module__)
    path = Path(getattr(sys.modules.get(name), "__file__", None) or "")
    is_file = path.is_file()
    return CodeOrigin(
        module=name,
        file=path.name if is_file else "",
        sha256=hashlib.sha256(path.read_bytes()).hexdigest() if is_file else "",
        package=_package(name.partition(".")[0]),
    )


def _package(module: str) -> str:
    names = packages_distributions().get(module, [])
    try:
        return ", ".join(f"{name} {version(name)}" for name in sorted(set(names)))
    except PackageNotFoundError:
        return ""
