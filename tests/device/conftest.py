"""node for the device's tests, or a skip that says why."""

from __future__ import annotations

import shutil

import pytest


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("no node found")
    return path
