"""Both databases, empty, and a server on each."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from room import Client, serving
from sqlalchemy import create_engine, text

from benchmarks import postgresql
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
    name = f"test_{os.urandom(6).hex()}"
    engine = create_engine(cluster.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    engine.dispose()
    return cluster.url.replace("/postgres", f"/{name}")


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    made = Store(url)
    yield made
    made.database.close()


@pytest.fixture
def client(store: Store) -> Iterator[Client]:
    with serving(store) as made:
        yield made
