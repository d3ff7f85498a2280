"""The database behind the store: SQLite in a file, or PostgreSQL by a URL; and what to say when it is gone.

SQLite needs nothing to be set up: write-ahead log, every commit forced to disk. A transaction that writes takes the
lock when it begins, so it never fails half-way for want of it.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

VARIABLE = "RLM_DATABASE"
"""Names the database: ``postgresql+psycopg://user:password@host/name`` or ``sqlite:///file``."""

BUSY_SECONDS = 5.0
"""How long SQLite waits for others."""

MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 0x524C4D  # of PostgreSQL's advisory locks, any fixed number


class Unavailable(Exception):
    """The database cannot be read or written now; nothing was stored. Says why, in plain words."""


def default_url() -> str:
    """What ``RLM_DATABASE`` names, else a SQLite file in the user's data folder."""
    named = os.environ.get(VARIABLE)
    if named:
        return named
    home = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return f"sqlite:///{home / 'rlm' / 'campaigns.db'}"


class Database:
    """Connections and transactions. Opens on first use and again after an outage, so a server can start before it."""

    def __init__(self, url: str) -> None:
        self.url = make_url(url)
        if self.url.get_backend_name() not in ("sqlite", "postgresql"):
            raise ValueError(f"Expected a database sqlite:// or postgresql+psycopg://, got {self.url.drivername}://.")
        self.file = Path(self.url.database or "") if self.url.get_backend_name() == "sqlite" else None
        if self.file is not None and (not self.url.database or self.url.database == ":memory:"):
            raise ValueError("Expected a file for SQLite: campaigns in memory would be lost.")
        self._engine = self._connectable()
        self._opening = threading.Lock()
        self._opened: object = None  # what was migrated: the file's identity, or True
        self._traces_left = False  # a reader kept SQLite's log from being emptied after a deletion

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is on disk when the block has ended; :class:`Unavailable` if it is not."""
        try:
            with _plainly(), self._ready().begin() as connection:
                yield connection
            if self._traces_left:
                with _plainly():
                    self._empty_log(patience=0)
        except Unavailable:
            self._engine.dispose()  # a connection that was opened while nothing could be written stays so
            raise

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that only reads; SQLite takes no lock for it."""
        with _plainly(), self._ready().connect() as connection:
            connection = connection.execution_options(rlm_reading=True)
            yield connection
            connection.rollback()

    def erase_traces(self) -> None:
        """After a deletion: let no page, log or dead row keep what was deleted."""
        with _plainly():
            if self.file is not None:
                self._empty_log(patience=BUSY_SECONDS)
                return
            with self._ready().connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                # Both write the table anew, without what is dead; CLUSTER in the order of the random ids.
                connection.execute(text("CLUSTER reports USING reports_pkey"))
                connection.execute(text("VACUUM FULL campaigns"))
                connection.execute(text("VACUUM FULL own_mechanisms"))

    def _empty_log(self, patience: float) -> None:
        """SQLite: everything into the file, and the log cut to nothing. While somebody reads, after the next write."""
        with self._ready().connect() as connection:
            raw = connection.connection.driver_connection
            assert isinstance(raw, sqlite3.Connection)
            raw.execute(f"PRAGMA busy_timeout={int(1000 * patience)}")
            (is_busy, *_) = raw.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            raw.execute(f"PRAGMA busy_timeout={int(1000 * BUSY_SECONDS)}")
        self._traces_left = bool(is_busy)

    def close(self) -> None:
        """Give all connections back."""
        self._engine.dispose()

    def _ready(self) -> Engine:
        """The engine, with every migration run. SQLite: on the file that lies there now, not on one that was moved."""
        identity = self._identity()
        if self._opened is not None and self._opened == identity:
            return self._engine
        with self._opening:
            if self._opened is None or self._opened != self._identity():
                self._engine.dispose()
                if self.file is not None:
                    self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
                with self._engine.begin() as connection:
                    self._migrate(connection)
                self._opened = self._identity()
        return self._engine

    def _identity(self) -> object:
        if self.file is None:
            return True
        try:
            found = self.file.stat()
        except FileNotFoundError:
            return None
        return found.st_dev, found.st_ino

    def _migrate(self, connection: Connection) -> None:
        if self.file is None:  # SQLite's transaction is alone already
            connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _MIGRATION_LOCK})
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS))
        config.set_main_option("path_separator", "os")
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    def _connectable(self) -> Engine:
        if self.file is None:
            # A machine that vanishes from the network is noticed within seconds, not hours.
            options: dict[str, Any] = {"connect_timeout": 3, "tcp_user_timeout": 10_000}
            options |= {"keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3}
            return create_engine(self.url, pool_pre_ping=True, connect_args=options, pool_size=4, pool_timeout=5)
        engine = create_engine(self.url, connect_args={"timeout": BUSY_SECONDS}, pool_timeout=5)

        @event.listens_for(engine, "connect")
        def prepare(connection: sqlite3.Connection, _: object) -> None:
            connection.isolation_level = None  # the driver begins nothing by itself; see `begin`
            for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
                connection.execute(f"PRAGMA {pragma}")

        @event.listens_for(engine, "begin")
        def begin(connection: Connection) -> None:
            reads = connection.get_execution_options().get("rlm_reading")
            connection.exec_driver_sql("BEGIN" if reads else "BEGIN IMMEDIATE")

        return engine


@contextmanager
def _plainly() -> Iterator[None]:
    """Whatever the driver says about a database that is gone, full or locked becomes :class:`Unavailable`."""
    try:
        yield
    except DBAPIError as error:
        raise Unavailable(_reason(str(error.orig))) from error
    except (SQLAlchemyError, OSError) as error:
        raise Unavailable(_reason(str(error))) from error


def _reason(message: str) -> str:
    """In words that fit on a phone, without host names or paths."""
    lower = message.lower()
    for sign, words in (
        ("disk is full", "the disk is full"),
        ("no space", "the disk is full"),
        ("readonly", "the file cannot be written"),
        ("read-only", "the file cannot be written"),
        ("permission", "the file cannot be written"),
        ("locked", "the database is busy"),
        ("timeout", "the database is busy"),
        ("connection", "the database cannot be reached"),
    ):
        if sign in lower:
            return words
    return "the database does not answer"
