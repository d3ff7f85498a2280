"""Alembic's entry: migrate by the connection that :mod:`collection.database` hands over."""

from __future__ import annotations

from alembic import context

context.configure(connection=context.config.attributes["connection"], transactional_ddl=True)
context.run_migrations()
