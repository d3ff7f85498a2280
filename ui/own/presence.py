"""Whether a visitor is still there: Streamlit keeps a closed tab's session for minutes, and its files for longer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

GRACE = 60.0
"""Seconds without a connection after which a visit is over: a short loss, or a look at another app, is none."""

MAKES_ROOM = 20.0
"""Seconds after which a training stops if somebody else waits for its place."""


def is_connected(session_id: str) -> bool:
    """Whether a browser is connected to this session; outside of a server nobody can have left."""
    return not Runtime.exists() or bool(Runtime.instance().is_active_session(session_id))


@dataclass(kw_only=True, eq=False)
class Presence:
    """One session; ``seen`` is when it was last looked at and connected. Somebody must look regularly."""

    session_id: str
    is_connected: Callable[[str], bool] = is_connected
    clock: Callable[[], float] = time.monotonic
    seen: float = field(init=False)

    def __post_init__(self) -> None:
        self.seen = self.clock()

    def away(self) -> float:
        """Seconds without a connection; 0 while there is one."""
        now = self.clock()
        if self.is_connected(self.session_id):
            self.seen = now
        return now - self.seen


def presence() -> Presence:
    """Of the session whose page runs now."""
    context = get_script_run_ctx()
    return Presence(session_id="" if context is None else context.session_id)


def end_session(session_id: str) -> None:
    """Let a session without a connection go, with its uploads, files and state, before Streamlit would.

    What Streamlit does after a log-out; from any thread. Streamlit lets it go by itself only when it next looks.
    """
    if Runtime.exists() and not is_connected(session_id):
        Runtime.instance().clear_user_info_for_session(session_id)


def sweep_files() -> None:
    """Delete files that no session refers to any more: at the second look, since Streamlit only marks them at first."""
    if Runtime.exists():
        Runtime.instance().media_file_mgr.remove_orphaned_files()
