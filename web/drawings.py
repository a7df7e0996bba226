"""What drawing the latest turns cost this process, until their browsers tell what they saw of them."""

from app.measures import Rendered
from web.frames import Drawing

MOST = 1_000  # turns; of those whose browser never tells, the oldest are forgotten


class Drawings:
    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._drawings: dict[str, Drawing] = {}

    def keep(self, turn: str, drawing: Drawing) -> None:
        """The first reader's: whoever comes later, another tab say, is sent what has piled up."""
        self._drawings.setdefault(turn, drawing)
        while len(self._drawings) > self._most:
            del self._drawings[next(iter(self._drawings))]

    def take(self, turn: str) -> Rendered | None:
        drawing = self._drawings.pop(turn, None)
        return None if drawing is None or not drawing.frames else drawing.rendered()
