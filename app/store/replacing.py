"""Which turns another one has been asked in place of: they are no history any more."""

from sqlalchemy import ColumnElement, and_, or_, select

from app.store.tables import turns


def is_replaced(asking: str = "") -> ColumnElement[bool]:
    """Of a row of `turns`: asked again, or edited, later on. So is what took another's place before somebody
    else did. A turn that came to nothing replaces nothing, but for the one that is `asking` now."""
    later = turns.alias()
    return (
        select(later.c.id)
        .where(
            later.c.conversation == turns.c.conversation,
            or_(
                later.c.replaces == turns.c.id,
                and_(later.c.replaces == turns.c.replaces, later.c.created > turns.c.created),
            ),
            or_(later.c.answer != "", later.c.id == asking),
        )
        .correlate(turns)
        .exists()
    )
