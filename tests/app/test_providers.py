"""Each provider's request as it is sent: the stand-in in their clothes, over real sockets."""

from typing import Any

import pytest

from app.models import Hints
from app.models.listing import owners
from app.models.providers import PROVIDERS, by_address, by_models, nearest
from app.models.refusals import Refusals
from app.models.request import LEAD, body, optional_fields
from app.prompt import Exchange, History, Message, build
from app.routing import Route
from tests.app.asking import heard, opened, requests, route

HINTS = Hints("conversation", "As before.")
QUICK = {"effort": "minimal", "style": "brief"}


async def fields_of(upstream: str, provider: str, model: str, **more: Any) -> dict[str, Any]:
    """What the provider got, once it was known."""
    async with opened(f"{upstream}/as/{provider}") as adapter:
        await adapter.warm()
        await heard(adapter, model, hints=HINTS, most=99, **more)
    sent: dict[str, Any] = (await requests(upstream, model))[-1]["fields"]
    return sent


async def test_vllm_s_request(upstream: str) -> None:
    assert await fields_of(upstream, "vllm", "sim-n1-tagvllm", **QUICK) == {
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 99,
        "reasoning_effort": "none",
        "chat_template_kwargs": {"enable_thinking": False},
    }


async def test_llamacpp_s_request(upstream: str) -> None:
    assert await fields_of(upstream, "llamacpp", "sim-n1-tagllama", effort="high") == {
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 99,
        "cache_prompt": True,
        "reasoning_effort": "high",
    }


async def test_ollama_s_request_and_its_models_are_loaded(upstream: str) -> None:
    model = "sim-n1-tagollama"
    async with opened(f"{upstream}/as/ollama", chat_model=model) as adapter:
        await adapter.warm()
        assert adapter._loading is not None
        await adapter._loading
        await heard(adapter, model, hints=HINTS, most=99, **QUICK)
    loaded, asked = await requests(upstream, model)
    assert (loaded["path"], loaded["fields"]) == ("/as/ollama/api/generate", {"keep_alive": "30m"})
    assert asked["fields"] == {
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 99,
        "reasoning_effort": "none",
    }


async def test_an_unknown_server_s_request(upstream: str) -> None:
    async with opened(upstream) as adapter:
        await heard(adapter, "sim-n1-tagunknown", hints=HINTS, most=99, **QUICK)
    (asked,) = await requests(upstream, "sim-n1-tagunknown")
    assert asked["fields"] == {
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": 99,
        "prompt_cache_key": "conversation",
        "reasoning_effort": "minimal",
    }


def openai(model: str, **more: Any) -> dict[str, Any]:
    asked = Route("test", model, 0, 99, "", **more)
    fields = optional_fields(PROVIDERS["OpenAI"], MESSAGES, asked, HINTS)
    return body(MESSAGES, Refusals().attempt(("OpenAI", model), fields).fields)


MESSAGES = build("Now?", [], History("", [Exchange("How?", "So."), Exchange("Why?", "Since.")])).messages()
PLAIN = [{"role": message.role, "content": message.content} for message in MESSAGES]


def test_openai_s_request_to_a_model_that_takes_predictions() -> None:
    """No cap beside a prediction: it refuses the two together."""
    assert openai("gpt-4.1-mini", **QUICK) == {
        "messages": PLAIN,
        "stream_options": {"include_usage": True, "include_obfuscation": False},
        "prompt_cache_key": "conversation",
        "prediction": {"type": "content", "content": "As before."},
    }


def test_openai_s_request_to_a_model_that_reasons() -> None:
    assert openai("gpt-5-mini", **QUICK) == {
        "messages": PLAIN,
        "stream_options": {"include_usage": True, "include_obfuscation": False},
        "max_completion_tokens": 99 + 1_000,  # thinking counts against it
        "prompt_cache_key": "conversation",
        "reasoning_effort": "minimal",
        "verbosity": "low",
    }
    assert openai("gpt-5-mini", effort="high")["max_completion_tokens"] == 99 + 16_000
    plain = openai("gpt-5-mini", style="brief")
    assert plain["max_completion_tokens"] == 99 + 8_000
    assert "reasoning_effort" not in plain
    assert "verbosity" not in plain  # told in front of all: by itself it is not worth the prefix


def test_breakpoints_stand_at_the_ends_of_what_stays_put() -> None:
    """Behind the instructions, and in front of what follows each answer: an answer itself takes none."""
    told = openai("gpt-5.6-mini")
    assert told["prompt_cache_options"] == {"mode": "explicit"}
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    lead = {"type": "text", "text": LEAD, **mark}

    def plain(n: int) -> dict[str, Any]:
        return {"type": "text", "text": MESSAGES[n].content}

    assert told["messages"] == [
        {"role": "system", "content": [{**plain(0), **mark}]},
        {"role": "user", "content": [plain(1)]},
        {"role": "assistant", "content": "So."},
        {"role": "user", "content": [lead, plain(3)]},
        {"role": "assistant", "content": "Since."},
        {"role": "user", "content": [lead, plain(5)]},
    ]


def test_a_prompt_that_marks_nothing_asks_for_nothing() -> None:
    messages = [Message("system", "Write a title."), Message("user", "How?")]
    fields = optional_fields(PROVIDERS["OpenAI"], messages, route("gpt-5.6"), HINTS)
    assert "prompt_cache_options" not in fields


@pytest.mark.parametrize("model", ["gpt-5.6", "gpt-5.10-mini", "gpt-6", "gpt-10"])
def test_models_that_know_breakpoints(model: str) -> None:
    assert "prompt_cache_options" in openai(model)


@pytest.mark.parametrize("model", ["gpt-5", "gpt-5.5-pro", "gpt-4o", "o3", "my-gpt-6"])
def test_models_that_do_not(model: str) -> None:
    assert "prompt_cache_options" not in openai(model)


async def test_openai_s_whole_way(upstream: str) -> None:
    sent = await fields_of(upstream, "openai", "sim-n1-tagopenai", **QUICK)
    assert sent["max_completion_tokens"] == 99
    assert sent["stream_options"] == {"include_usage": True, "include_obfuscation": False}


async def test_a_cache_key_is_the_conversation_s(upstream: str) -> None:
    model = "sim-n1-tagkeys"
    async with opened(upstream) as adapter:
        for key in ("one", "two", "one"):
            await heard(adapter, model, hints=Hints(key))
    sent = [asked["fields"]["prompt_cache_key"] for asked in await requests(upstream, model)]
    assert sent == ["one", "two", "one"]


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("", "OpenAI"),
        ("https://api.openai.com/v1", "OpenAI"),
        ("http://127.0.0.1:11434/v1", "Ollama"),
        ("https://models.example.com/v1", ""),
    ],
)
def test_who_it_is_by_its_address(address: str, name: str) -> None:
    assert by_address(address) == name


def test_who_it_is_by_its_models() -> None:
    assert by_models(["somebody", "vllm"]) == "vLLM"
    assert by_models(["somebody"], "llama.cpp") == "llama.cpp"
    assert by_models([]) == by_models(["somebody"]) == "unknown"


def test_the_nearest_effort_is_the_lesser_of_two() -> None:
    assert nearest("minimal", ("none", "low")) == "none"
    assert nearest("max", ("low", "high")) == "high"
    assert nearest("", ("low",)) == nearest("much", ("low",)) == nearest("low", ()) == ""


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"data": [{"id": "m", "owned_by": "vllm"}, {"id": "n"}, {"owned_by": null}]}', ["vllm"]),
        (b"<html>app</html>", []),
        (b"[]", []),
        (b'"x"', []),
        (b"null", []),
        (b'{"data": null}', []),
        (b'{"data": 5}', []),
        (b'{"data": ["m"]}', []),
        (b'{"object": ' + b"[" * 100_000, []),
        (b"\xff\xfe", []),
        (b"", []),
    ],
)
def test_whatever_lists_models_has_owners_or_none(body: bytes, told: list[str]) -> None:
    assert owners(body) == told
