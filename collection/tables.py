"""The three tables. As little as possible: no address, no browser, no device; the hour, not the second.

A report's row id is a hash of the nonce that its device drew, so ids do not tell the order of arrival; SQLite would
number the rows in that order behind our back, hence ``WITHOUT ROWID``.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, LargeBinary, MetaData, String, Table, Text

metadata = MetaData()

campaigns = Table(
    "campaigns",
    metadata,
    Column("id", String(26), primary_key=True),
    Column("token_hash", LargeBinary(32), nullable=False),
    Column("settings", Text, nullable=False),
    Column("closed", Boolean, nullable=False),
    Column("tally", LargeBinary, nullable=False),
    sqlite_with_rowid=False,
)

reports = Table(
    "reports",
    metadata,
    Column("campaign", String(26), ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
    Column("id", LargeBinary(16), primary_key=True),
    Column("hour", Integer, nullable=False),  # since 1970
    Column("body", LargeBinary, nullable=False),  # Campaign.check makes it, Campaign.report reads it
    sqlite_with_rowid=False,
)

own_mechanisms = Table(
    "own_mechanisms",
    metadata,
    Column("campaign", String(26), ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
    Column("description", Text, nullable=False),  # JSON, for devices
    Column("encoder", LargeBinary, nullable=False),
    Column("folder", LargeBinary, nullable=False),  # a zip file, to learn with
    sqlite_with_rowid=False,
)
