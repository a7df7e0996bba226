"""What each turn's wait was made of."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "records",
        sa.Column("turn", sa.String(32), sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("owner", sa.String(32), nullable=False),
        sa.Column("conversation", sa.String(32), nullable=False),
        sa.Column("created", sa.Double, nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
    )
    op.create_index("ix_records_created", "records", ["created"])
    op.create_index("ix_records_conversation", "records", ["conversation"])
    op.create_table(
        "paints",
        sa.Column("turn", sa.String(32), sa.ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("paint", sa.LargeBinary, nullable=False),
        sa.Column("rendered", sa.LargeBinary),
    )


def downgrade() -> None:
    for table in ("paints", "records"):
        op.drop_table(table)
