"""What one read of the upstream brings."""

from dataclasses import dataclass

from app.events import Usage


@dataclass(frozen=True, slots=True)
class Chunk:
    """Text, and towards the end a finish reason and the usage.

    The first one may be without text and say when there was a connection to carry the request
    (`perf_counter` seconds): what came before that is connecting, what comes after it is prefill.
    """

    text: str = ""
    reason: str = ""
    usage: Usage | None = None
    connected: float | None = None
