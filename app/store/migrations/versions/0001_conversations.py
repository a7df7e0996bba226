"""Conversations, turns, documents and the outbox."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("titled", sa.Boolean, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("updated", sa.Double, nullable=False),
    )
    op.create_index("ix_conversations_owner_updated", "conversations", ["owner", "updated"])
    op.create_table(
        "turns",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column(
            "conversation",
            sa.String(32),
            sa.ForeignKey("conversations.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("transcript", sa.LargeBinary),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("ended", sa.Double),
    )
    op.create_index("ix_turns_conversation_created", "turns", ["conversation", "created"])
    op.create_table(
        "documents",
        sa.Column("owner", sa.String(32), primary_key=True),
        sa.Column("uri", sa.Text, primary_key=True),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("hash", sa.String(128), nullable=False),
        sa.Column("passages", sa.Integer, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("job", sa.String(64), nullable=False),
        sa.Column("key", sa.String(128), nullable=False),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("created", sa.Double, nullable=False),
    )


def downgrade() -> None:
    for table in ("outbox", "documents", "turns", "conversations"):
        op.drop_table(table)
