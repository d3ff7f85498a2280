"""The store, on SQLite and PostgreSQL: one row a nonce, a tally that is the rows', nothing that tells who or when."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from pathlib import Path

import pytest
from room import QUESTIONS, campaign
from sqlalchemy import inspect, text

from collection.database import Database, default_url
from collection.store import HOUR, Outcome, Store, report_id
from collection.tables import metadata

YES, NO = b"\0\1", b"\0\0"


def keys(count: int) -> list[bytes]:
    return [os.urandom(16) for _ in range(count)]


def test_a_nonce_is_stored_once_whatever_comes_again(store: Store) -> None:
    made = store.create(campaign())
    a, b = keys(2)
    first = store.add(made.id, [(a, YES), (a, YES), (b, NO), (b, YES)])
    assert first == [Outcome.STORED, Outcome.ALREADY, Outcome.STORED, Outcome.OTHER]
    assert store.add(made.id, [(a, YES), (b, YES)]) == [Outcome.ALREADY, Outcome.OTHER]
    state = store.state(made.id)
    assert state is not None and state.tally.people == 2 == store.count(made.id)
    assert state.tally.counts.tolist() == [1, 1]
    assert sorted(body for _, body in store.reports(made.id)) == [NO, YES]


def test_the_tally_is_that_of_the_rows_also_with_many_writers(store: Store) -> None:
    """Four threads, each with its own reports and all with twenty shared ones."""
    made = store.create(campaign("one of ten", epsilon=4.0))
    shared = [(key, YES) for key in keys(20)]
    own = [[(key, bytes([0, 2 + number])) for key in keys(25)] for number in range(4)]

    def write(entries: list[tuple[bytes, bytes]]) -> None:
        for start in range(0, len(entries), 9):
            store.add(made.id, entries[start : start + 9])

    threads = [threading.Thread(target=write, args=(entries + shared,)) for entries in own]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    state = store.state(made.id)
    assert state is not None
    assert state.tally.people == store.count(made.id) == 120
    assert state.tally == state.campaign.count([body for _, body in store.reports(made.id)])


def test_closed_over_and_unknown_campaigns_take_nothing(store: Store) -> None:
    made = store.create(campaign())
    (kept, late, other) = keys(3)
    store.add(made.id, [(kept, YES)])
    store.close(made.id)
    assert store.add(made.id, [(late, YES), (kept, YES)]) == [Outcome.CLOSED, Outcome.ALREADY]
    over = store.create(campaign(closes=int(time.time()) - 1))
    assert store.add(over.id, [(other, YES)]) == [Outcome.CLOSED]
    assert store.add("nothere", [(other, YES)]) == [Outcome.GONE]
    assert store.state("nothere") is None
    state = store.state(made.id)
    assert state is not None and not state.is_open and state.tally.people == 1


def test_only_the_creator_has_the_token(store: Store) -> None:
    mine, theirs = store.create(campaign()), store.create(campaign(title="Another"))
    assert store.is_creator(mine.id, mine.token) and store.is_creator(theirs.id, theirs.token)
    assert not store.is_creator(mine.id, theirs.token) and not store.is_creator(theirs.id, mine.token)
    assert not store.is_creator("nothere", mine.token) and not store.is_creator(mine.id, "")
    assert len({mine.id, theirs.id, mine.token, theirs.token}) == 4 and len(mine.id) == 26
    assert [state.id for state in store.states()] == sorted((mine.id, theirs.id))


def test_nothing_is_kept_that_was_not_sent_on_purpose(store: Store) -> None:
    """The columns are all there is; the time is the hour; ids do not follow the order of arrival or of nonces."""
    made = store.create(campaign())
    ordered = [report_id(made.id, number.to_bytes(16, "big")) for number in range(64)]
    for key in ordered:
        store.add(made.id, [(key, YES)])
    with store.database.reading() as connection:
        tables = {name: {c["name"] for c in inspect(connection).get_columns(name)} for name in ("campaigns", "reports")}
        rows = connection.execute(text("SELECT * FROM reports")).all()
    assert tables == {
        "campaigns": {"id", "token_hash", "settings", "closed", "tally"},
        "reports": {"campaign", "id", "hour", "body"},
    }
    assert {row.hour for row in rows} <= {int(time.time()) // HOUR, int(time.time()) // HOUR - 1}
    assert sorted(ordered) != ordered  # by chance: 1 in 64!
    token_hash = store.database
    assert made.token not in repr(token_hash)


def test_sqlite_has_no_hidden_row_number(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'campaigns.db'}")
    made = store.create(campaign())
    store.add(made.id, [(key, YES) for key in keys(3)])
    store.database.close()
    with sqlite3.connect(tmp_path / "campaigns.db") as raw, pytest.raises(sqlite3.OperationalError, match="rowid"):
        raw.execute("SELECT rowid FROM reports")
    raw.close()


def test_deleting_leaves_no_trace_in_the_file(tmp_path: Path) -> None:
    store = Store(f"sqlite:///{tmp_path / 'campaigns.db'}")
    marked = "a title that is nowhere else"
    made, stays = store.create(campaign(title=marked)), store.create(campaign(title="stays"))
    store.add(made.id, [(key, YES) for key in keys(50)])
    store.add(stays.id, [(key, YES) for key in keys(5)])
    assert any(marked.encode() in file.read_bytes() for file in tmp_path.iterdir())
    store.delete(made.id)
    assert store.state(made.id) is None and store.count(made.id) == 0 and store.count(stays.id) == 5
    assert not any(marked.encode() in file.read_bytes() for file in tmp_path.iterdir())


def test_deleting_is_of_one_campaign(store: Store) -> None:
    made, stays = store.create(campaign()), store.create(campaign())
    for each in (made, stays):
        store.add(each.id, [(key, YES) for key in keys(5)])
    store.delete(made.id)
    assert store.count(made.id) == 0 and store.count(stays.id) == 5
    assert store.add(made.id, [(os.urandom(16), YES)]) == [Outcome.GONE]


def test_reports_come_in_pages_and_in_the_order_of_random_ids(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collection.store.PAGE", 7)
    made = store.create(campaign("one of ten", epsilon=4.0))
    entries = [(key, bytes([0, index % 10])) for index, key in enumerate(keys(30))]
    store.add(made.id, entries)
    assert [body for _, body in store.reports(made.id)] == [body for _, body in sorted(entries)]


def test_migrations_make_the_tables_that_the_code_expects(store: Store) -> None:
    store.create(campaign())
    with store.database.reading() as connection:
        found = inspect(connection)
        for table in metadata.sorted_tables:
            columns = {column["name"]: column for column in found.get_columns(table.name)}
            assert set(columns) == set(table.columns.keys())
            assert found.get_pk_constraint(table.name)["constrained_columns"] == [c.name for c in table.primary_key]
            for column in table.columns:
                assert columns[column.name]["nullable"] == column.nullable
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar_one() == "0002"


def test_a_second_server_opens_the_same_database(store: Store, url: str) -> None:
    made = store.create(campaign())
    again = Store(url)
    assert again.add(made.id, [(os.urandom(16), YES)]) == [Outcome.STORED]
    state = store.state(made.id)
    assert state is not None and state.tally.people == 1
    again.database.close()


def test_a_campaign_of_ten_thousand_opens_at_once(store: Store) -> None:
    made = store.create(campaign("digit", epsilon=2.0))
    state = store.state(made.id)
    assert state is not None
    body = QUESTIONS["digit"].channel(2.0).privatise_symbols([5])
    from numpy import packbits

    packed = packbits(body[0]).tobytes()
    for _ in range(20):
        store.add(made.id, [(key, packed) for key in keys(500)])
    start = time.perf_counter()
    found = store.state(made.id)
    assert found is not None and found.campaign.estimate(found.tally) and found.tally.people == 10_000
    assert time.perf_counter() - start < 1.0


def test_where_the_database_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("RLM_DATABASE", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_url() == f"sqlite:///{tmp_path}/rlm/campaigns.db"
    Store().create(campaign())
    assert (tmp_path / "rlm" / "campaigns.db").is_file()
    monkeypatch.setenv("RLM_DATABASE", "postgresql+psycopg://u@h/n")
    assert default_url() == "postgresql+psycopg://u@h/n"
    for bad in ("mysql://u@h/n", "sqlite://", "sqlite:///:memory:"):
        with pytest.raises(ValueError, match="Expected"):
            Database(bad)


def test_a_log_that_a_reader_holds_is_emptied_after_the_next_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite cannot cut its log while somebody reads the old state; it must not be left so for good."""
    monkeypatch.setattr("collection.database.BUSY_SECONDS", 0.05)
    store = Store(f"sqlite:///{tmp_path / 'campaigns.db'}")
    made, other = store.create(campaign()), store.create(campaign())
    store.add(made.id, [(bytes(16), b"\0\1")])
    log = tmp_path / "campaigns.db-wal"
    with store.database.reading() as connection:
        connection.exec_driver_sql("SELECT count(*) FROM reports").all()
        store.delete(made.id)
        assert log.stat().st_size > 0
    store.close(other.id)
    assert log.stat().st_size == 0
    store.database.close()


def test_the_first_reports_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    made = store.create(campaign())
    store.add(made.id, [(bytes([i]) * 16, bytes([0, i % 2])) for i in range(10)])
    whole = list(store.reports(made.id))
    monkeypatch.setattr("collection.store.PAGE", 3)
    for limit in (0, 1, 3, 7, 10, 99):
        assert list(store.reports(made.id, limit=limit)) == whole[:limit]
