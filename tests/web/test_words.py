"""The interface's words: the same keys in both languages, and something to say of every step and failure."""

import re
from pathlib import Path
from typing import get_args

import pytest
from starlette.requests import Request

import web
from app.errors import Kind
from app.events import StepState
from app.routing import REASONS as KEYS
from web.words import EN, LANGUAGES, ZH, words_for
from web.words_turn import EN_STEPS, REASONS, ROUTES, ZH_STEPS

HAN = re.compile(r"[\u4e00-\u9fff]")
SAME = {"name", "other_language"}


def test_both_languages_say_everything() -> None:
    assert EN.keys() == ZH.keys()
    assert {name: set(states) for name, states in EN_STEPS.items()} == {
        n: set(s) for n, s in ZH_STEPS.items()
    }
    assert not [key for key, text in EN.items() if HAN.search(text) and key not in SAME]
    assert not [key for key, text in ZH.items() if not HAN.search(text) and key not in SAME]


@pytest.mark.parametrize("key", EN)
def test_both_languages_take_the_same_values(key: str) -> None:
    placeholders = re.compile(r"{(\w+)}")
    assert sorted(placeholders.findall(EN[key])) == sorted(placeholders.findall(ZH[key]))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("name", "state"),
    [
        *((leg, state) for leg in ("history", "search", "rewrite") for state in get_args(StepState)),
        *((phase, state) for phase in ("prefill", "decode") for state in ("running", "done", "skipped")),
        *((leg, "failed") for leg in ("dense", "lexical", "earlier", "meant")),
        ("search-warm", "done"),
        ("escalate", "done"),
    ],
)
def test_every_step_has_words(language: str, name: str, state: str) -> None:
    said = LANGUAGES[language].step(name, state, "{detail}")
    assert said
    assert said != name


@pytest.mark.parametrize("kind", sorted(set(get_args(Kind)) - {"retrieval_failed"}))
def test_every_failure_that_ends_a_turn_has_chinese_words(kind: str) -> None:
    assert HAN.search(LANGUAGES["zh"].failure(kind, "English"))
    assert LANGUAGES["en"].failure(kind, "The model said why.") == "The model said why."


def test_a_step_or_failure_of_tomorrow_says_its_name() -> None:
    assert LANGUAGES["zh"].step("tarot", "done", "3") == "tarot"
    assert LANGUAGES["zh"].failure("struck_by_lightning", "Ouch.") == "Ouch."


def test_templates_ask_for_words_that_there_are() -> None:
    templates = Path(web.__path__[0]) / "templates"
    asked = {
        key
        for file in templates.glob("*.html")
        for key in re.findall(r"""words\(["'](\w+)["']""", file.read_text())
    }
    assert asked
    assert asked <= EN.keys()


@pytest.mark.parametrize(
    ("accepted", "cookie", "language"),
    [
        ("", "", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "", "zh"),
        ("fr,zh;q=0.5", "", "zh"),
        ("en-GB,zh", "", "en"),
        ("zh", "lang=en", "en"),
        ("en", "lang=zh", "zh"),
        ("en", "lang=xx", "en"),
        (";;,,", "", "en"),
        ("ZH-tw", "", "zh"),
    ],
)
def test_which_language_a_request_gets(accepted: str, cookie: str, language: str) -> None:
    headers = [(b"accept-language", accepted.encode()), (b"cookie", cookie.encode())]
    assert words_for(Request({"type": "http", "headers": headers})).language == language


def test_every_route_and_its_reason_has_words_in_both_languages() -> None:
    for language in LANGUAGES:
        assert REASONS[language].keys() == set(KEYS)
        assert ROUTES[language].keys() == {"look-up", "standard", "hard", "large"}
    assert all(HAN.search(text) for text in (*REASONS["zh"].values(), *ROUTES["zh"].values()))
