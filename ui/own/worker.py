"""The process in which tables are trained on: ``python -m ui.own.worker``, started by the app."""

from __future__ import annotations

from ui.app.decoding_worker import limit
from ui.app.worker_loop import Work, serve

MEGABYTES = 3_000
"""Address space beyond what the imports take: a table that needs more is refused, not the server."""


def prepare() -> Work:
    """Import the library, then bound the memory."""
    from ui.own.task import train

    limit(None, MEGABYTES)
    return train


if __name__ == "__main__":
    serve(prepare)
