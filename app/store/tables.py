"""The tables. Times are seconds since the epoch, ids UUIDs in hex; what is somebody's has an owner."""

from sqlalchemy import (
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
)

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    }
)

conversations = Table(
    "conversations",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("owner", String(32), nullable=False),
    Column("title", Text, nullable=False),
    Column("titled", Boolean, nullable=False),  # False while the title is the shortened first question
    Column("summary", Text, nullable=False, server_default=""),  # of the turns up to `summarised`
    Column("summarised", Double, nullable=False, server_default="0"),  # when the last of them was asked
    Column("created", Double, nullable=False),
    Column("updated", Double, nullable=False),
    Index(None, "owner", "updated"),
)

turns = Table(
    "turns",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("conversation", ForeignKey(conversations.c.id, ondelete="CASCADE"), nullable=False),
    Column("owner", String(32), nullable=False),
    Column("question", Text, nullable=False),
    Column("replaces", String(32)),  # the turn that this one is asked in place of
    Column("status", String(16), nullable=False),  # running, finished or failed
    Column("answer", Text, nullable=False),
    Column("transcript", LargeBinary),  # app.turnlog.pack of its events, once it has ended
    Column("created", Double, nullable=False),
    Column("ended", Double),
    Index(None, "conversation", "created"),
)

records = Table(
    "records",
    metadata,
    Column("turn", ForeignKey(turns.c.id, ondelete="CASCADE"), primary_key=True),
    Column("owner", String(32), nullable=False),
    Column("conversation", String(32), nullable=False),
    Column("created", Double, nullable=False),  # the turn's
    Column("record", LargeBinary, nullable=False),  # JSON of app.measures.Record
    Index(None, "created"),
    Index(None, "conversation"),
)

paints = Table(
    "paints",
    metadata,
    Column("turn", ForeignKey(turns.c.id, ondelete="CASCADE"), primary_key=True),
    Column("paint", LargeBinary, nullable=False),  # JSON of app.measures.Paint
    Column("rendered", LargeBinary),  # JSON of app.measures.Rendered, when this process drew it
)

documents = Table(
    "documents",
    metadata,
    Column("owner", String(32), primary_key=True),
    Column("uri", Text, primary_key=True),
    Column("id", String(64), nullable=False),
    Column("title", Text, nullable=False),
    Column("hash", String(128), nullable=False),
    Column("passages", Integer, nullable=False),
    Column("size", Integer, nullable=False),
    Column("complete", Boolean, nullable=False),
)

outbox = Table(
    "outbox",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("job", String(64), nullable=False),
    Column("key", String(128), nullable=False),  # with the job's name, the identity of the work
    Column("payload", Text, nullable=False),  # JSON
    Column("created", Double, nullable=False),
)
