"""Where the files that come with the library lie: in a checkout beside ``rlm_core``, in a wheel inside it.

checkout          wheel                what
models/           rlm_core/_models/    pretrained mechanisms, a folder each
serve.py, ui/ …   rlm_core/_app/       the app, which the library starts as a process and never imports
"""

from __future__ import annotations

import os
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
"""The folder ``rlm_core`` itself."""

MODELS_VARIABLE = "RLM_MODELS"
"""The environment variable that adds folders to look for models in."""


def shipped_models() -> Path:
    """The folder of the mechanisms that come with this copy of the library."""
    return _inside_or_beside("_models", "models")


def added_models() -> tuple[Path, ...]:
    """Further folders of mechanisms: those that ``RLM_MODELS`` names, divided as ``PATH`` is (":", on Windows ";")."""
    named = os.environ.get(MODELS_VARIABLE, "").split(os.pathsep)
    return tuple(Path(each).expanduser() for each in named if each)


def app() -> Path:
    """The folder with ``serve.py``, from which the app is started."""
    return _inside_or_beside("_app", ".")


def _inside_or_beside(inside: str, beside: str) -> Path:
    """Inside the package if it is there (a wheel), otherwise beside it (a checkout)."""
    installed = PACKAGE / inside
    return installed if installed.is_dir() else (PACKAGE.parent / beside).resolve()
