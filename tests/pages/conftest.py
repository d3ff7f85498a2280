"""Drive the app without a browser: open a page, with an address if wanted."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest
from own_driver import Here
from page_driver import Open, healthy
from streamlit.testing.v1 import AppTest

from rlm_core import zoo
from ui.own import queue as queue_module
from ui.own import task as task_module
from ui.own.queue import TrainingQueue

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


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[TrainingQueue]:
    """The trainings of "Your own table", in this process and quick."""
    made = TrainingQueue(limit=2, start_worker=Here)
    users = [import_module(f"ui.own.{name}") for name in ("progress", "view", "visit")]
    for module in (queue_module, *users):
        monkeypatch.setattr(module, "training_queue", lambda: made)
    quick = [(said, given | {"splits": 1, "draws": 1}, share) for said, given, share in task_module.STAGES[:2]]
    monkeypatch.setattr(task_module, "STAGES", tuple(quick))
    yield made
