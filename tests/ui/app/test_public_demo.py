"""A public demonstration: no way by which a record or a table reaches the server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

import serve
from server.known_hosts import KnownHosts
from ui.app.public_demo import REFUSED, VARIABLE, raw_data_allowed
from ui.record import inbox as module
from ui.record.inbox import Inbox, receive_record

ROOT = Path(__file__).resolve().parents[3]
RECORD = {"id": "a", "mechanism": "mnist-pixels", "x": [0.5] * 784, "label": 7, "epsilon": 4.0, "lam": 0.75}


@pytest.mark.parametrize(("value", "allowed"), [(None, True), ("0", True), ("no", True), ("1", False), ("yes", False)])
def test_the_switch(monkeypatch: pytest.MonkeyPatch, value: str | None, allowed: bool) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    assert raw_data_allowed() is allowed


def refusal(path: str) -> Any:
    scope = {"type": "http", "path": path, "headers": [(b"host", b"localhost")]}
    return KnownHosts(None, closed=serve.closed_addresses).refusal(scope)


def uploaders(app: AppTest) -> int:
    return len(app.get("file_uploader"))


@pytest.mark.parametrize("demo", [False, True])
def test_a_public_demo_takes_no_raw_data(monkeypatch: pytest.MonkeyPatch, demo: bool) -> None:
    """The same steps with and without the switch, so that each refusal is the switch's doing."""
    if demo:
        monkeypatch.setenv(VARIABLE, "1")
    box = Inbox()
    monkeypatch.setattr(module, "session_value", lambda key, make: box)
    receive_record("image", ("mnist",), RECORD)
    assert len(box.reports) == (0 if demo else 1) and (REFUSED in box.problem) is demo
    assert not demo or not box.ledger.spent("anything")
    assert (refusal("/_stcore/upload_file/session/file") is not None) is demo
    assert refusal("/") is None
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.query_params["rows"] = "A CSV file"
    app.switch_page("pages/row.py").run()
    assert not app.exception
    assert uploaders(app) == (0 if demo else 1)
    assert any(REFUSED in each.value for each in app.info) is demo


def test_every_uploader_of_the_app_asks_first() -> None:
    """A page with a new uploader must be written down here, with the module that asks."""
    asks = {path: path for path in ("ui/own/upload.py", "ui/own/schema_editor.py")} | {
        "ui/table/batch_view.py": "ui/table/page.py"
    }
    found = {
        path.relative_to(ROOT).as_posix(): path
        for path in (ROOT / "ui").glob("**/*.py")
        if re.search(r"st\.(file_uploader|camera_input|audio_input|chat_input)\(", path.read_text(encoding="utf-8"))
    }
    assert set(found) == set(asks)
    for asking in asks.values():
        assert "raw_data_allowed()" in (ROOT / asking).read_text(encoding="utf-8")
