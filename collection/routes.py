"""All that the server serves of campaigns: the API and the join page."""

from __future__ import annotations

from starlette.routing import Route

from collection import join
from collection.api import Api
from collection.store import Store


def collection_routes(store: Store | None = None) -> list[Route]:
    """For ``serve.py``. The database is opened when the first request comes, not before."""
    return [*Api(Store() if store is None else store).routes(), *join.ROUTES]
