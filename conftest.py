"""One Chromium for every test that needs a browser: two drivers of it cannot live in one process."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--headless")
CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
"""A make-believe camera that needs no permission."""


def chromium_path() -> str | None:
    """A Chromium of the system, or the one that ``CHROMIUM`` names."""
    return os.environ.get("CHROMIUM") or next((found for name in NAMES if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser, or a skip that says why."""
    path = chromium_path()
    if path is None:
        pytest.skip(f"no Chromium found (looked for {', '.join(NAMES)}; or set CHROMIUM to its path)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS, *CAMERA])
        yield browser
        browser.close()


# With --doctest-modules they would be imported once more, all under one name.
collect_ignore_glob = ["tests/*/conftest.py"]
