"""Settings: what stands without any, and the one line that a bad one gets."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from app.settings import Settings, load_settings


def test_everything_has_a_default() -> None:
    settings = load_settings()
    assert (settings.chat_model, settings.small_model, settings.port) == ("extract", "extract", 8000)
    assert not settings.is_language_model
    assert settings.database == f"sqlite+aiosqlite:///{Path('data').absolute()}/prelude.db"


def test_they_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "CHAT_MODEL": "big",
        "CHAT_MODEL_SMALL": "",
        "OPENAI_BASE_URL": "https://x/v1/",
        "PORT": "81",
        "EMBEDDING_MODEL": "",
    }.items():
        monkeypatch.setenv(name, value)
    settings = load_settings()
    assert (settings.chat_model, settings.small_model, settings.port) == ("big", "big", 81)
    assert settings.openai_base_url == "https://x/v1"
    assert settings.embedding_model == "multilingual-e5-small"  # empty is unset
    assert settings.is_language_model


@pytest.mark.parametrize(
    ("given", "used"),
    [
        ("postgres://u:p@h/d", "postgresql+asyncpg://u:p@h/d"),
        ("postgresql://h/d", "postgresql+asyncpg://h/d"),
        ("postgresql+asyncpg://h/d", "postgresql+asyncpg://h/d"),
        ("sqlite:////tmp/x.db", "sqlite+aiosqlite:////tmp/x.db"),
    ],
)
def test_plain_database_addresses_get_their_driver(given: str, used: str) -> None:
    assert Settings(database_url=given).database == used


def test_they_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        Settings().port = 1


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        ("PORT", "http", "PORT is 'http', but it takes a whole number"),
        ("PORT", "0", "PORT is '0', but it takes a number from 1 on"),
        ("WEB_CONCURRENCY", "65", "WEB_CONCURRENCY is '65', but it takes a number up to 64"),
        (
            "DATABASE_URL",
            "mysql://x",
            "DATABASE_URL is 'mysql://x', but it takes an address that starts with sqlite:// or",
        ),
        (
            "REDIS_URL",
            "localhost:6379",
            "REDIS_URL is 'localhost:6379', but it takes an address that starts with redis://",
        ),
        (
            "OPENAI_BASE_URL",
            "x/v1",
            "OPENAI_BASE_URL is 'x/v1', but it takes an address that starts with http://",
        ),
        (
            "CHROMA_URL",
            "ftp://x",
            "CHROMA_URL is 'ftp://x', but it takes an address that starts with http://",
        ),
    ],
)
def test_a_bad_value_gets_one_line(name: str, value: str, line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SystemExit) as stopped:
        load_settings()
    said = str(stopped.value)
    assert said.startswith(line)
    assert "\n" not in said


def test_every_bad_value_is_named_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORT", "x")
    monkeypatch.setenv("REDIS_URL", "x")
    with pytest.raises(SystemExit) as stopped:
        load_settings()
    assert [line.split()[0] for line in str(stopped.value).splitlines()] == ["REDIS_URL", "PORT"]


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("postgresql://u:p@db/x?sslmode=require", "postgresql+asyncpg://u:p@db/x?ssl=require"),
        ("postgres://db/x?connect_timeout=10", "postgresql+asyncpg://db/x"),
        ("postgres://db/x?sslmode=require&channel_binding=require", "postgresql+asyncpg://db/x?ssl=require"),
        ("sqlite:///a.db", "sqlite+aiosqlite:///a.db"),
    ],
)
def test_a_providers_database_address_is_taken(
    monkeypatch: pytest.MonkeyPatch, given: str, taken: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", given)
    assert load_settings().database == taken


@pytest.mark.parametrize("name", ["DATABASE_URL", "REDIS_URL"])
def test_a_port_that_is_none_is_one_line(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    scheme = "postgresql" if name == "DATABASE_URL" else "redis"
    monkeypatch.setenv(name, f"{scheme}://host:notaport/0")
    with pytest.raises(SystemExit, match=rf"^{name} is '{scheme}://host:notaport/0', but it takes an add"):
        load_settings()
