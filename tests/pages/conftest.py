"""Drive the app without a browser: open a page, with an address if wanted."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from page_driver import Open, healthy
from streamlit.testing.v1 import AppTest

from rlm_core import zoo

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True, scope="session")
def quiet_streamlit() -> Iterator[None]:
    """Outside a server Streamlit warns about every cached call."""
    logger = logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context")
    level = logger.level
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(level)


@pytest.fixture
def open_page() -> Open:
    """``open_page("image", eps="4")``: a new visit to a page with this address."""
    if not zoo.names("mnist"):
        pytest.skip("models/ has no shipped mechanism for MNIST")

    def visit(page: str, **address: str) -> AppTest:
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=300)
        for name, value in address.items():
            app.query_params[name] = value
        if page != "start":
            app.switch_page(f"pages/{page}.py")
        return healthy(app.run())

    return visit
