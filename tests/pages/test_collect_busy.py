"""A queue that fills between the first look at it and the run."""

from __future__ import annotations

import pytest
from page_driver import Open
from test_collect import SMALL, collect, finish, runs, stepped_queue  # noqa: F401 (used by every test)

from ui.app.work_queue import Busy
from ui.collect.queue import RunQueue, run_queue


def test_a_queue_that_fills_meanwhile_is_said_and_nobody_pays_twice(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another visitor takes the last place after the reports were sent: they are kept for the next try."""
    app = open_page("collect", **SMALL)

    def full(*_: object, **__: object) -> None:
        raise Busy("Too many are waiting.")

    with monkeypatch.context() as patched:
        patched.setattr(RunQueue, "submit", full)
        collect(app)
    assert "Too many are waiting." in app.warning[0].value and not runs(app)
    finish(collect(app))
    (run,) = runs(app)
    assert run_queue().spent(run.visit, "people of mnist")[0] == 1
