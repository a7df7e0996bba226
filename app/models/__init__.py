"""A language model as the core sees it: messages in, a stream of text out."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from app.events import Usage
from app.prompt import Message
from app.routing import Route
from app.settings import Settings

if TYPE_CHECKING:
    from app.models.openai import OpenAIModel


@dataclass(frozen=True, slots=True)
class Chunk:
    """What one read of the upstream brought: text, and towards the end a finish reason and the usage.

    The first one may be without text and say when there was a connection to carry the request
    (`perf_counter` seconds): what came before that is connecting, what comes after it is prefill.
    """

    text: str = ""
    reason: str = ""
    usage: Usage | None = None
    connected: float | None = None


@dataclass(frozen=True, slots=True)
class Hints:
    """What may make an answer come sooner, for providers that know it: `cache_key` names what shares a
    prefix, `prediction` is a text that the answer will mostly repeat."""

    cache_key: str = ""
    prediction: str = ""


NO_HINTS = Hints()


class Model(Protocol):
    async def warm(self) -> None:
        """Opens the connection that the first question will use."""
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
