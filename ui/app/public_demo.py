"""The switch for a public demonstration: a server that takes no raw data from anybody.

``RLM_PUBLIC_DEMO=1`` turns off every way by which a record or a table could reach the server: "Compute on the server
instead", files, and the address that takes uploads. What stays runs in the visitor's browser, or on public data. Pages
ask :func:`raw_data_allowed` before they offer such a way, and where raw data would arrive it is asked again.
"""

from __future__ import annotations

import os

VARIABLE = "RLM_PUBLIC_DEMO"
UPLOADS = "/_stcore/upload_file"
"""Where Streamlit takes files."""

REFUSED = (
    "This is a public demonstration: it takes no raw data. What runs on your own device works here; for the rest, run "
    "the app yourself."
)


def raw_data_allowed() -> bool:
    """Whether this server may be given raw data. Any value of the variable but 0, no, false and off forbids it."""
    return os.environ.get(VARIABLE, "").strip().lower() in ("", "0", "no", "false", "off")


def refuse_raw_data() -> None:
    """Where raw data arrive, whatever the page had offered."""
    if not raw_data_allowed():
        raise ValueError(REFUSED)
