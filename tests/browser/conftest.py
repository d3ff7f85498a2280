"""A running server and a real Chromium. Every page that a test opens is watched: no console error, no other host."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browser_driver import PATIENCE, Visit

from rlm_core import zoo

ROOT = Path(__file__).resolve().parents[2]
IN_EVERY_RUN = (
    "test_does_collecting_confirm_it",
    "test_before_send_two_records_give_the_same_traffic_and_after_it_one_report_crosses",
    "test_epsilon_is_all_that_leaves",
    "test_example_then_epsilon_then_send_twice",
    "test_sample_then_epsilon_then_send_twice",
    "test_the_crowd_teaches_a_model_and_gives_nobody_away",
)
"""Start, picture and row, what leaves the browser, does collecting confirm the advice. Others: ``make test-all``."""

FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.parent == Path(__file__).parent and getattr(item, "originalname", "") not in IN_EVERY_RUN:
            item.add_marker(pytest.mark.slow)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[Any]:
    report = yield
    if report.when == "call":
        item.stash[FAILED] = report.failed
    return report


@contextmanager
def running(script: str, program: tuple[str, ...] = ("-m", "streamlit")) -> Iterator[str]:
    """The app's address while a server runs it; ``program`` takes Streamlit's arguments."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, *program, "run", str(ROOT / script), "--server.port", str(port)]
    command += ["--server.headless", "true", "--server.address", "127.0.0.1"]
    address = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryFile() as log:
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        server = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 240
            while not _answers(address):
                assert server.poll() is None, f"the server stopped while starting: {_tail(log)}"
                assert time.monotonic() < deadline, f"the server did not start within 240 s: {_tail(log)}"
                time.sleep(0.5)
            yield address
        finally:
            server.terminate()
            server.wait(timeout=60)


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=30):
            return True
    except OSError:
        return False


def _tail(log: Any) -> str:
    log.seek(0)
    return str(log.read().decode(errors="replace")[-3000:])


@pytest.fixture(scope="session")
def server(chromium: Any) -> Iterator[str]:
    """The app as ``streamlit run serve.py`` serves it: warm, with strict headers."""
    if not zoo.names("mnist"):
        pytest.skip("models/ has no shipped mechanism for MNIST")
    with running("serve.py") as address:
        yield address


@pytest.fixture
def cold_server(chromium: Any) -> Iterator[str]:
    """The app as ``streamlit run app.py`` serves it, and nobody has visited it yet."""
    with running("app.py") as address:
        yield address


@pytest.fixture
def fresh_server(chromium: Any) -> Iterator[str]:
    """The app as ``streamlit run serve.py`` serves it, and nobody has visited it yet."""
    with running("serve.py") as address:
        yield address


@pytest.fixture
def counting_server(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, Callable[[], int]]]:
    """A server as it is started for real, and how many tables of a test its process holds."""
    file = tmp_path / "counts"
    monkeypatch.setenv("RLM_COUNTS", str(file))

    def count() -> int:
        file.unlink(missing_ok=True)  # what is written from now on is of now
        deadline = time.monotonic() + 60
        while not (file.is_file() and (text := file.read_text(encoding="utf-8"))):
            assert time.monotonic() < deadline, "nothing was counted"
            time.sleep(0.2)
        return int(text)

    with running("serve.py", (str(Path(__file__).with_name("counting_server.py")),)) as address:
        yield address, count


@pytest.fixture
def visit(chromium: Any, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visit]]:
    """``visit(address, "/image?eps=4", width=390)``: a new visitor's page, watched until the test ends."""
    contexts, visits = [], []

    def open_page(
        server: str,
        path: str = "/",
        *,
        width: int = 1280,
        height: int = 800,
        scheme: str = "light",
        before: Callable[[Any], Any] = lambda page: None,
    ) -> Visit:
        context = chromium.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        opened = Visit(page=page, server=server)
        visits.append(opened)
        page.on("request", lambda sent: opened.requests.append(sent.url))
        page.on("console", lambda message: _note(opened, message))
        page.on("pageerror", lambda error: opened.errors.append(str(error)))
        before(page)
        page.goto(server + path)
        opened.settled()
        return opened

    yield open_page
    if request.node.stash.get(FAILED, False):
        for opened in visits:
            print(opened.description())
    for context in contexts:
        context.close()
    for opened in visits:
        own = (opened.server, opened.server.replace("http:", "ws:"), "data:", "blob:")
        others = {url for url in opened.requests if not url.startswith(own)}
        assert not others, f"requests to other hosts: {others}"
        assert not opened.errors, f"console errors: {opened.errors}"


def _note(opened: Visit, message: Any) -> None:
    """Keep errors, except Streamlit's own search for its base address under a page's path."""
    where = message.location.get("url", "")
    if message.type == "error" and not re.search(r"/\w+/_stcore/(health|host-config)$", where):
        opened.errors.append(f"{message.text} ({where})")
