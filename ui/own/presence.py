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


def nothing() -> None:
    """There is nothing to clear."""


@dataclass(kw_only=True, eq=False)
class Presence:
    """One session; somebody must look regularly. ``clear`` empties what the session holds, of all pages."""

    session_id: str
    clear: Callable[[], None] = nothing
    is_connected: Callable[[str], bool] = is_connected
    clock: Callable[[], float] = time.monotonic
    _lost: float | None = field(default=None, init=False)

    def away(self) -> float:
        """Seconds since a look first found no connection; 0 while there is one."""
        if self.is_connected(self.session_id):
            self._lost = None
            return 0.0
        if self._lost is None:
            self._lost = self.clock()
        return self.clock() - self._lost


def presence() -> Presence:
    """Of the session whose page runs now."""
    context = get_script_run_ctx()
    if context is None:
        return Presence(session_id="")
    state, fragments = context.session_state._state, context.fragment_storage

    def clear() -> None:
        state.clear()
        state._new_widget_state.widget_metadata.clear()  # callbacks of widgets, and what they are given
        fragments.clear()

    return Presence(session_id=context.session_id, clear=clear)


def end_session(mine: Presence) -> None:
    """Let a session without a connection go, with its uploads, files and state, before Streamlit would.

    What Streamlit does after a log-out; from any thread. Streamlit lets it go by itself only when it next looks, and
    keeps a hold of the last session that it closed until the next one: so it is emptied here.
    """
    if Runtime.exists() and not is_connected(mine.session_id):
        Runtime.instance().clear_user_info_for_session(mine.session_id)
        mine.clear()


def sweep_files() -> None:
    """Delete files that no session refers to any more: at the second look, since Streamlit only marks them at first."""
    if Runtime.exists():
        Runtime.instance().media_file_mgr.remove_orphaned_files()
