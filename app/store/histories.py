"""What a conversation was before a turn, as its prompt needs it."""

from sqlalchemy import and_, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from app.errors import TurnError
from app.prompt import Exchange, History
from app.store.replacing import is_replaced
from app.store.tables import conversations, turns
from app.turn.stages import Turn

REMEMBERED = 200  # exchanges since the last cut; the worker cuts long before


class Histories:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine

    async def before(self, turn: Turn) -> History:
        """The conversation before this turn: what has been cut, and the newest exchanges since, oldest first;
        failed answers as far as they came, without those that another turn replaces.

        Raises TurnError('internal') when the database cannot say.
        """
        try:
            return await self._before(turn)
        except (SQLAlchemyError, OSError) as error:
            raise TurnError("internal", "The conversation so far could not be read.") from error

    async def _before(self, turn: Turn) -> History:
        told = and_(
            turns.c.conversation == conversations.c.id,
            turns.c.id != turn.id,
            turns.c.answer != "",
            turns.c.created > conversations.c.summarised,
            ~is_replaced(turn.id),
        )
        newest = (
            select(conversations.c.summary, turns.c.question, turns.c.answer)
            .join_from(conversations, turns, told, isouter=True)  # a summary may be all that there is
            .where(conversations.c.id == turn.conversation, conversations.c.owner == turn.owner)
            .order_by(turns.c.created.desc())
            .limit(REMEMBERED)
        )
        async with self._engine.connect() as connection:
            rows = (await connection.execute(newest)).all()
        exchanges = [Exchange(row.question, row.answer) for row in reversed(rows) if row.question is not None]
        return History(rows[0].summary if rows else "", exchanges)

    async def earlier(self, turn: Turn) -> str:
        """The answer of the turn that this one replaces; empty when there is none of this owner's.

        Raises TurnError('internal') when the database cannot say.
        """
        try:
            async with self._engine.connect() as connection:
                answer: str | None = await connection.scalar(
                    select(turns.c.answer).where(turns.c.id == turn.replaces, turns.c.owner == turn.owner)
                )
        except (SQLAlchemyError, OSError) as error:
            raise TurnError("internal", "The earlier answer could not be read.") from error
        return answer or ""
