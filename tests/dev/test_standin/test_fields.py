"""What the stand-in makes of optional fields: refusals, caching by breakpoints, other providers' clothes."""

from typing import Any

import httpx
import pytest

from dev.standin import scenario

from .conftest import body, lines, text_of

PREDICTION: dict[str, Any] = {"prediction": {"type": "content", "content": "As before."}}
OBFUSCATION: dict[str, Any] = {"stream_options": {"include_obfuscation": False}}
COMPLETIONS = "/v1/chat/completions"


async def newest(client: httpx.AsyncClient) -> dict[str, Any]:
    shown: dict[str, Any] = (await client.get("/requests")).json()[-1]
    return shown


async def test_every_field_can_be_read_back(client: httpx.AsyncClient) -> None:
    await lines(client, body("sim-n1", reasoning_effort="low", prompt_cache_key="c", **PREDICTION))
    record = await newest(client)
    assert record["fields"] == {
        "stream": True,
        "reasoning_effort": "low",
        "prompt_cache_key": "c",
        **PREDICTION,
    }
    assert (record["asked"], record["path"], record["breakpoints"]) == ("sim-n1", COMPLETIONS, [])


@pytest.mark.parametrize(
    ("model", "fields", "status", "param"),
    [
        ("sim-refuseprediction", PREDICTION, 400, "prediction"),
        ("sim-refuseinclude_usage", {"stream_options": {"include_usage": True}}, 200, ""),
        ("sim-refuseinclude_obfuscation", OBFUSCATION, 400, "include_obfuscation"),
        ("sim-refusemax_tokens", {"max_tokens": 5}, 400, "max_tokens"),
        ("sim", {**PREDICTION, "max_completion_tokens": 5}, 400, "max_completion_tokens"),
        ("sim-strict", {"top_k": 4}, 422, "top_k"),
        ("sim-vague", {"top_k": 4}, 400, "Bad request."),
        ("sim-effortslow.high", {"reasoning_effort": "none"}, 400, "'low', 'high'"),
    ],
)
async def test_a_refused_field_is_an_error_that_names_it_or_not(
    client: httpx.AsyncClient, model: str, fields: dict[str, Any], status: int, param: str
) -> None:
    answer = await client.post(COMPLETIONS, json=body(model, **fields))
    assert answer.status_code == status
    assert param in answer.text
    assert (await newest(client))["outcome"] == ("done" if status == 200 else "error")
    assert (await client.post(COMPLETIONS, json=body(model))).status_code == 200


async def test_an_effort_that_is_taken(client: httpx.AsyncClient) -> None:
    asked = body("sim-effortslow.high", reasoning_effort="high")
    assert (await client.post(COMPLETIONS, json=asked)).status_code == 200


@pytest.mark.parametrize(
    ("kind", "text"),
    [("pass", "I don't know."), ("passzh", "我不知道。"), ("short", "Yes."), ("shortzh", "是。")],
)
async def test_answers_that_are_none(client: httpx.AsyncClient, kind: str, text: str) -> None:
    said = text_of(await lines(client, body(f"sim-{kind}")))
    assert said.startswith(text)
    assert said == scenario.text(f"sim-{kind}")


async def test_one_question_says_what_two_models_play(client: httpx.AsyncClient) -> None:
    question = "How? small:sim-pass sim-n3"
    assert text_of(await lines(client, body("asked-small", question))) == scenario.text("sim-pass")
    assert text_of(await lines(client, body("asked", question))) == scenario.text("sim-n3")
    assert text_of(await lines(client, body("asked-small", "How? sim-n4"))) == scenario.text("sim-n4")
    assert [one["asked"] for one in (await client.get("/requests")).json()] == [
        "asked-small", "asked", "asked-small"
    ]  # fmt: skip


@pytest.mark.parametrize("model", ["extract", "asked", "asked-small"])
async def test_a_summary_is_written_whatever_scenario_its_text_names(
    client: httpx.AsyncClient, model: str
) -> None:
    told = "<question>\nHow old? sim-hang0\n</question>\n<answer>\nVery old.\n</answer>"
    order = {"role": "system", "content": "Summarise the conversation."}
    asked = {**body(model), "messages": [order, {"role": "user", "content": told}]}
    assert text_of(await lines(client, asked)) == "How old? sim-hang0 → Very old."


def marked(*parts: tuple[str, bool]) -> dict[str, Any]:
    """A request whose parts end at breakpoints where they say so; explicit mode."""
    mark = {"prompt_cache_breakpoint": {"mode": "explicit"}}
    content = [{"type": "text", "text": text, **(mark if ends else {})} for text, ends in parts]
    messages = [{"role": "user", "content": content}]
    explicit = {"prompt_cache_options": {"mode": "explicit"}}
    return {**body("sim-n1-cacheexplicit"), "messages": messages, **explicit}


LONG, MORE = ("word " * 1_100, True), ("more " * 50, True)


async def test_a_prefix_is_cached_up_to_a_breakpoint_that_both_marked(client: httpx.AsyncClient) -> None:
    async def cached(*parts: tuple[str, bool]) -> int:
        await lines(client, marked(*parts))
        return int((await newest(client))["cached_tokens"])

    assert await cached(LONG, ("tail", False)) == 0
    assert (await newest(client))["breakpoints"] == [0]
    assert await cached(LONG, MORE, ("other", False)) == 1_101
    assert await cached(LONG, MORE, ("third", False)) == 1_151
    assert await cached((LONG[0], False), ("fourth", False)) == 0  # not marked, not found
    assert await cached(("short", True), ("tail", False)) == 0
    assert await cached(("short", True), ("tail", False)) == 0  # below 1,024 nothing is


async def test_without_breakpoints_of_ours_only_the_whole_is_cached(client: httpx.AsyncClient) -> None:
    for content, cached in (("a", 0), ("b", 0), ("b", 1_102)):
        await lines(client, body("sim-n1-cacheexplicit", "word " * 1_100 + content))
        assert (await newest(client))["cached_tokens"] == cached


@pytest.mark.parametrize(
    ("path", "owner"),
    [
        ("", "prelude"),
        ("/as/openai", "openai"),
        ("/as/vllm", "vllm"),
        ("/as/llamacpp", "llamacpp"),
        ("/as/ollama", "library"),
    ],
)
async def test_it_goes_in_other_providers_clothes(client: httpx.AsyncClient, path: str, owner: str) -> None:
    listed = (await client.get(f"{path}/v1/models")).json()["data"]
    assert {model["owned_by"] for model in listed} == {owner}
    assert (await client.post(f"{path}/v1/chat/completions", json=body("sim-n1"))).status_code == 200
    assert (await newest(client))["path"] == f"{path}/v1/chat/completions"


async def test_ollama_loads_a_model(client: httpx.AsyncClient) -> None:
    answer = await client.post("/as/ollama/api/generate", json={"model": "m", "keep_alive": "30m"})
    assert answer.json()["done"] is True
    record = await newest(client)
    assert (record["model"], record["fields"]) == ("m", {"keep_alive": "30m"})
