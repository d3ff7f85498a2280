"""For the device's tests: a page that serves its scripts, and node, or a skip that says why."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from device_server import serving, site


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("no node found")
    return path


@pytest.fixture(scope="module")
def page(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A bare page beside the device's scripts."""
    folder = site(tmp_path_factory.mktemp("device") / "site")
    with serving(folder) as address:
        context = chromium.new_context()
        page = context.new_page()
        page.set_default_timeout(120_000)
        page.goto(address)
        yield page
        context.close()
