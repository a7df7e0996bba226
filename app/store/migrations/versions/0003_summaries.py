"""What has been cut of a conversation, summarised; and which turn another is asked in place of."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("conversations", sa.Column("summary", sa.Text, nullable=False, server_default=""))
    op.add_column("conversations", sa.Column("summarised", sa.Double, nullable=False, server_default="0"))
    op.add_column("turns", sa.Column("replaces", sa.String(32)))


def downgrade() -> None:
    op.drop_column("turns", "replaces")
    op.drop_column("conversations", "summarised")
    op.drop_column("conversations", "summary")
