"""What can go wrong in a turn, as kinds that a person, a page and a program can act on."""

from typing import Literal

Kind = Literal[
    "stopped",  # the person pressed Stop
    "interrupted",  # the server shut down, or died, while answering
    "upstream_unreachable",
    "upstream_timeout",
    "upstream_refused",  # a 4xx: configuration or quota
    "upstream_failed",  # a 5xx or a malformed reply
    "upstream_cut",  # the stream ended before its end
    "retrieval_failed",
    "internal",
]


class TurnError(Exception):
    """A stage could not do its part. `message` is one plain sentence for the person who asked."""

    def __init__(self, kind: Kind, message: str, *, retryable: bool = True) -> None:
        super().__init__(message)
        self.kind: Kind = kind
        self.message = message
        self.retryable = retryable
