"""One question's way to an answer: the score, its stages, and how those before the model are run."""

from app.turn.score import CANCELLED, answer
from app.turn.search import foresee
from app.turn.stages import Emit, Stages, Turn

__all__ = ["CANCELLED", "Emit", "Stages", "Turn", "answer", "foresee"]
