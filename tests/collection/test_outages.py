"""What goes wrong with a database: a clear answer, nothing acknowledged that is not kept, recovery by itself."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from room import Client, campaign, envelope, serving
from sqlalchemy import event

from benchmarks.service import postgresql
from collection.database import Unavailable
from collection.store import Outcome, Store

YES = b"\0\1"
NOBODYS = "a" * 26  # as an id could be


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "campaigns.db"


@pytest.fixture
def sqlite(file: Path) -> Iterator[Store]:
    store = Store(f"sqlite:///{file}")
    yield store
    store.database.close()


def one(store: Store, campaign_id: str) -> Outcome:
    return store.add(campaign_id, [(os.urandom(16), YES)])[0]


def test_a_full_disk(sqlite: Store) -> None:
    """SQLite says so when it may not add a page: 12 pages hold the tables and little more."""
    made = sqlite.create(campaign())
    pages = [12]

    @event.listens_for(sqlite.database._engine, "begin")
    def limit(connection: object) -> None:
        connection.exec_driver_sql(f"PRAGMA max_page_count={pages[0]}")  # type: ignore[attr-defined]

    stored = 0
    with pytest.raises(Unavailable, match="disk is full"):
        for _ in range(200):
            assert sqlite.add(made.id, [(os.urandom(16), YES) for _ in range(50)]) == [Outcome.STORED] * 50
            stored += 50
    assert 0 < stored == sqlite.count(made.id)
    pages[0] = 1_000_000
    assert one(sqlite, made.id) is Outcome.STORED and sqlite.count(made.id) == stored + 1


def test_a_file_that_is_moved_away_and_comes_back(sqlite: Store, file: Path) -> None:
    """An open file without a name would take reports that nobody finds again."""
    made = sqlite.create(campaign())
    assert one(sqlite, made.id) is Outcome.STORED
    away = file.with_suffix(".away")
    sqlite.database.close()  # checkpoints, so that the one file is all there is
    file.rename(away)
    assert one(sqlite, made.id) is Outcome.GONE  # a new, empty database: not acknowledged
    sqlite.database.close()
    away.replace(file)
    assert one(sqlite, made.id) is Outcome.STORED and sqlite.count(made.id) == 2


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """As root every file can be written, so here it is the database that is told to be read-only."""
    store = Store(f"sqlite:///{tmp_path / 'campaigns.db'}")
    made = store.create(campaign())
    readonly = [True]

    @event.listens_for(store.database._engine, "begin")
    def forbid(connection: object) -> None:
        connection.exec_driver_sql(f"PRAGMA query_only={int(readonly[0])}")  # type: ignore[attr-defined]

    with pytest.raises(Unavailable, match="cannot be written"):
        one(store, made.id)
    readonly[0] = False
    assert one(store, made.id) is Outcome.STORED and store.count(made.id) == 1


def test_a_folder_that_is_not_there_yet_and_one_that_cannot_be(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'a' / 'b' / 'campaigns.db'}")
    assert store.states() == []
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable):
        Store(f"sqlite:///{tmp_path / 'file' / 'campaigns.db'}").states()


def test_a_clock_that_jumps(sqlite: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ahead: closed while it is ahead. Back: open, an earlier hour. Nothing is lost."""
    made = sqlite.create(campaign())
    real = __import__("time").time
    monkeypatch.setattr("time.time", lambda: real() + 10 * 86400)
    assert one(sqlite, made.id) is Outcome.CLOSED
    monkeypatch.setattr("time.time", lambda: real() - 10 * 86400)
    assert one(sqlite, made.id) is Outcome.STORED
    monkeypatch.undo()
    assert one(sqlite, made.id) is Outcome.STORED and sqlite.count(made.id) == 2


def test_postgresql_gone_and_back() -> None:
    """kill -9 while the server runs: 503 until it is back, then 201, and what was acknowledged is there."""
    why = postgresql.missing()
    if why:
        pytest.skip(why)
    with postgresql.Cluster() as cluster:
        store = Store(cluster.url)
        made = store.create(campaign())
        with serving(store) as client:
            assert client.send(made.id, envelope(campaign()))[0] == 201
            cluster.kill()
            sent = envelope(campaign())
            status, answer, headers = client.send(made.id, sent)
            assert status == 503 and "Not stored" in answer["error"] and headers["retry-after"]
            assert client.ask("GET", f"/api/campaigns/{made.id}")[0] == 503
            cluster.start()
            assert client.send(made.id, sent)[0] == 201
            assert client.send(made.id, sent)[0] == 200
        assert store.count(made.id) == 2
        store.database.close()


def test_a_server_that_starts_before_its_database(tmp_path: Path) -> None:
    unreachable = Store("postgresql+psycopg://nobody@127.0.0.1:9/none")
    with serving(unreachable) as client:
        found: Client = client
        assert found.ask("GET", f"/api/campaigns/{NOBODYS}")[0] == 503
        assert found.send(NOBODYS, envelope(campaign()))[0] == 503
