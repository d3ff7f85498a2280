"""Chromium and node for the device's tests, or a skip that says why."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from device_server import ARGUMENTS, CHROMIUM, chromium_path


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser."""
    path = chromium_path()
    if path is None:
        pytest.skip(f"no Chromium found (looked for {', '.join(CHROMIUM)}; or set CHROMIUM to its path)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def node() -> str:
    """The path of node."""
    path = shutil.which("node")
    if path is None:
        pytest.skip("no node found")
    return path
