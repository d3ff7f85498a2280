"""Both databases, empty, and a server on each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from room import Client, serving
from sqlalchemy import create_engine, text

from benchmarks.service import postgresql
from collection.store import Store


@pytest.fixture(scope="session")
def cluster() -> Iterator[postgresql.Cluster]:
    why = postgresql.missing()
    if why:
        pytest.skip(why)
    with postgresql.Cluster() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'campaigns.db'}"
    cluster: postgresql.Cluster = request.getfixturevalue("cluster")
    engine = create_engine(cluster.url)
    with engine.begin() as connection:  # a database of its own a test would cost seconds
        connection.execute(text("DROP TABLE IF EXISTS own_mechanisms, reports, campaigns, alembic_version"))
    engine.dispose()
    return cluster.url


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = Store(url)
    yield made
    made.database.close()


@pytest.fixture
def client(store: Store) -> Iterator[Client]:
    with serving(store) as made:
        yield made
