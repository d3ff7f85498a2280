"""The mechanism that a campaign of rows brings along."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """A table beside the campaigns, so that counting a report does not read it."""
    op.create_table(
        "own_mechanisms",
        sa.Column("campaign", sa.String(26), sa.ForeignKey("campaigns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("description", sa.Text, nullable=False),
        sa.Column("encoder", sa.LargeBinary, nullable=False),
        sa.Column("folder", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    """Campaigns of rows lose their mechanism."""
    op.drop_table("own_mechanisms")
