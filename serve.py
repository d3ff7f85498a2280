"""The app with warm models, strict headers and known hosts: `rlm run` starts `streamlit run serve.py`.

What it adds to `streamlit run app.py`: torch and the first mechanism are loaded before the first
visitor comes; every answer tells the browser to talk to this server only; a request under a name
that is not ours, or from another site's page, is refused; and the server itself contacts nobody.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import BaseRoute
from streamlit import net_util

from collection.routes import collection_routes
from server import device_routes
from server.bundles import Bundles
from server.known_hosts import KnownHosts, allowed_names
from server.no_delay import send_at_once
from server.strict_headers import StrictHeaders, content_policy, framing_sites, inline_scripts
from ui.app import direct_load
from ui.app.public_demo import UPLOADS, raw_data_allowed
from ui.own import routes as own_routes
from ui.record import routes as record_routes

POLICY = content_policy(inline_scripts(direct_load.FRAME, direct_load.FRAME_WITH_BACKEND), framing_sites())
CLOSED = ("/_stcore/metrics", "/_stcore/agent")
"""Streamlit's own addresses that no visitor needs: what the server holds in memory, and driving the app by programs."""

ROUTES: list[BaseRoute] = [
    *record_routes.ROUTES,
    *own_routes.ROUTES,
    *collection_routes(),
    *device_routes.ROUTES,
    *direct_load.ROUTES,
]
"""Further addresses of this server, before Streamlit's own."""


def no_address() -> None:
    """No address: Streamlit would ask a public host for ours, to compare it with a request's origin."""


net_util.get_external_ip = net_util.get_internal_ip = no_address


def closed_addresses() -> tuple[str, ...]:
    """What nobody may ask for now: a public demonstration takes no files either."""
    return CLOSED if raw_data_allowed() else (*CLOSED, UPLOADS)


@asynccontextmanager
async def warm(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Import torch and load what the start page shows, before the first visit."""
    # Outside a visit Streamlit warns about every call; here that is what we want.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    send_at_once()
    from ui.app import cache
    from ui.app.startup import import_ahead, settle
    from ui.start import stage

    cache.device()
    cache.gallery("mnist", 3)
    stage.public_facts()
    cache.model(cache.chosen_mechanism("mnist", stage.START_EPSILON))
    import_ahead()
    settle()
    yield {}


app = st.App(
    "app.py",
    lifespan=warm,
    routes=ROUTES,
    middleware=[
        Middleware(StrictHeaders, policy=POLICY),
        Middleware(KnownHosts, names=allowed_names(), closed=closed_addresses),
        Middleware(Bundles, folder=direct_load.STATIC / "static"),
    ],
)
