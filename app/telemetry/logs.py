"""Log lines: one JSON object each or, for people who watch a terminal, plain ones. With the turn's id and
without anybody's text: of an error its kind and place are told, for messages quote what they stumbled over.
"""

import logging
import sys
from collections.abc import MutableMapping
from types import TracebackType
from typing import Any

import structlog
from structlog.types import EventDict, Processor, WrappedLogger

from app.settings import Settings
from app.telemetry.context import TURN

OURS = ("app", "web", "worker")


def set_up_logs(settings: Settings) -> None:
    """Our own news, and only the warnings of the libraries, which tell of every request otherwise."""
    handler = logging.StreamHandler(sys.stderr)
    forget = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=_chain(settings.log_questions), processors=[forget, _drawn(settings.log_format)]
        )
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    handler.addFilter(_NowAndThen("opentelemetry"))
    logging.captureWarnings(True)
    sys.excepthook = _last_words


def _chain(with_texts: bool) -> list[Processor]:
    return [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.ExtraAdder(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _with_turn,
        _first_line_of_asyncio,
        structlog.processors.dict_tracebacks if with_texts else _place_of_error,
    ]


def _drawn(form: str) -> Processor:
    if form == "console":
        return _plain
    return structlog.processors.JSONRenderer(ensure_ascii=False, default=str)


def _with_turn(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    if turn := TURN.get():
        event.setdefault("turn", turn)
    return event


def _first_line_of_asyncio(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """What it says below that quotes the error."""
    if event.get("logger") == "asyncio":
        event["event"] = str(event["event"]).partition("\n")[0]
    return event


def _place_of_error(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    found = event.pop("exc_info", None)
    error = found[1] if isinstance(found, tuple) else found if isinstance(found, BaseException) else None
    if error is not None:
        event["event"] = str(event["event"]).replace(str(error) or "\0", "…")
        event["error"] = list(_kinds(error))
        event["at"] = _frames(error)
    return event


def _kinds(error: BaseException) -> list[str]:
    """The error's kind, and those of what caused it, and of what a group holds."""
    names = [f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")]
    inner = list(error.exceptions) if isinstance(error, BaseExceptionGroup) else []
    for cause in [error.__cause__ or error.__context__, *inner]:
        if cause is not None:
            names += _kinds(cause)
    return names


def _frames(error: BaseException) -> list[str]:
    frames, trace = [], error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        frames.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return frames


def _plain(logger: WrappedLogger, name: str, event: MutableMapping[str, Any]) -> str:
    """For a terminal: the message, then what else there is to know."""
    known = dict(event)
    head = f"{str(known.pop('level', '')).upper()} {known.pop('logger', '')}: {known.pop('event', '')}"
    known.pop("timestamp", None)
    at = known.pop("at", [])
    facts = " ".join(f"{key}={_short(value)}" for key, value in known.items())
    return "\n".join([f"{head} {facts}".rstrip(), *(f"    {frame}" for frame in at)])


def _short(value: Any) -> str:
    return " < ".join(map(str, value)) if isinstance(value, list) else str(value)


def _last_words(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """What ends the process is news like any other."""
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    logging.getLogger("app").critical("the process ends", exc_info=(kind, error, trace))


class _NowAndThen(logging.Filter):
    """Of what a library complains again and again, once a minute is enough."""

    def __init__(self, library: str, seconds: float = 60.0) -> None:
        super().__init__()
        self._library = library
        self._seconds = seconds
        self._last = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] != self._library:
            return True
        said = record.created - self._last < self._seconds
        if not said:
            self._last = record.created
        return not said
