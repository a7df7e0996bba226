"""A language model as the core sees it: messages in, a stream of text out."""

from collections.abc import AsyncGenerator, Sequence
from typing import TYPE_CHECKING, Protocol

from app.models.chunk import Chunk
from app.models.hints import NO_HINTS, Hints
from app.prompt import Message
from app.routing import Route
from app.settings import Settings

if TYPE_CHECKING:
    from app.models.openai import OpenAIModel

__all__ = ["NO_HINTS", "Chunk", "Hints", "Model", "open_model"]


class Model(Protocol):
    async def warm(self) -> None:
        """Opens the connection that the first question will use, and learns whom it leads to. Cheap when
        there is one; never raises."""
        ...

    def stream(
        self, messages: Sequence[Message], route: Route, hints: Hints = NO_HINTS
    ) -> AsyncGenerator[Chunk, None]:
        """Chunks until the answer is whole; raises TurnError('upstream_…'). Closing it closes the upstream's
        connection."""
        ...


def open_model(settings: Settings) -> "OpenAIModel":
    # Start-up cost: the SDK takes 1.3 s to import, and not every door that imports the core needs it.
    from app.models.openai import OpenAIModel

    return OpenAIModel(settings)
