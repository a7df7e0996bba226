"""The stand-in speaks OpenAI's chat completions as clients expect them."""

import json
from types import ModuleType
from typing import Any

import httpx
import pytest

from dev.standin import scenario

from .conftest import body, lines, text_of


async def test_lists_its_models(client: httpx.AsyncClient) -> None:
    listed = (await client.get("/v1/models")).json()
    assert listed["object"] == "list"
    assert [model["id"] for model in listed["data"]] == ["extract", "sim-ttft200-itl20-n80"]


async def test_streams_role_content_end_usage_and_done_in_order(client: httpx.AsyncClient) -> None:
    payloads = await lines(client, body("sim-n2", stream_options={"include_usage": True}))
    role, first, second, end, usage = (json.loads(one) for one in payloads[:-1])
    assert role["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert [first["choices"][0]["delta"], second["choices"][0]["delta"]] == [
        {"content": "(1)"},
        {"content": " Morning"},
    ]
    assert end["choices"][0] == {"index": 0, "delta": {}, "finish_reason": "stop"}
    assert usage["choices"] == []
    assert usage["usage"]["completion_tokens"] == 2
    assert usage["usage"]["prompt_tokens_details"] == {"cached_tokens": 0}
    assert payloads[-1] == "[DONE]"
    assert {one["object"] for one in (role, first, end, usage)} == {"chat.completion.chunk"}


async def test_tells_usage_only_when_asked(client: httpx.AsyncClient) -> None:
    assert not [line for line in await lines(client, body("sim-n2")) if "usage" in line]


async def test_answers_whole_without_stream(client: httpx.AsyncClient) -> None:
    answer = (await client.post("/v1/chat/completions", json=body("sim-n30", stream=False))).json()
    assert answer["object"] == "chat.completion"
    assert answer["choices"][0]["message"]["content"] == scenario.text("sim-n30")
    assert answer["usage"]["completion_tokens"] == 30


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
async def test_a_limit_cuts_the_answer_and_says_so(client: httpx.AsyncClient, name: str) -> None:
    payloads = await lines(client, body("sim-n30") | {name: 4})
    assert text_of(payloads) == scenario.text("sim-n4")
    assert json.loads(payloads[-2])["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize(
    ("sent", "named"),
    [
        (b"{", "JSON"),
        (b"\xff\xfe", "JSON"),
        (b"[]", "object"),
        (b'{"messages":[]}', "model"),
        (b'{"model":1,"messages":[]}', "model"),
        (b'{"model":"sim","messages":[]}', "messages"),
        (b'{"model":"sim","messages":[{"role":"user","content":1}]}', "content"),
        (b'{"model":"sim","n":2,"messages":[{"role":"user","content":"a"}]}', "n is 2"),
        (b'{"model":"sim","max_tokens":0,"messages":[{"role":"user","content":"a"}]}', "max_tokens is 0"),
    ],
)
async def test_a_malformed_body_is_400_in_one_sentence(
    client: httpx.AsyncClient, sent: bytes, named: str
) -> None:
    answer = await client.post("/v1/chat/completions", content=sent)
    error = answer.json()["error"]
    assert answer.status_code == 400
    assert named in error["message"]
    assert "\n" not in error["message"]
    assert error["type"] == "invalid_request_error"


async def test_an_unknown_model_is_404_and_hears_what_there_is(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/chat/completions", json=body("gpt-9"))
    assert answer.status_code == 404
    assert answer.json()["error"]["code"] == "model_not_found"
    assert "gpt-9" in answer.json()["error"]["message"]
    assert "'extract'" in answer.json()["error"]["message"]


@pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nowhere", 404), ("PUT", "/requests", 405)])
async def test_what_is_not_served_is_an_error_in_the_same_form(
    client: httpx.AsyncClient, method: str, path: str, status: int
) -> None:
    answer = await client.request(method, path)
    assert answer.status_code == status
    assert path in answer.json()["error"]["message"]


async def test_content_may_come_in_parts(client: httpx.AsyncClient) -> None:
    parts: list[dict[str, Any]] = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    await lines(client, body("sim-n1") | {"messages": [{"role": "user", "content": parts}]})
    (record,) = (await client.get("/requests")).json()
    assert record["messages"] == [{"role": "user", "content": "one\ntwo"}]


async def test_the_openai_sdk_reads_it(standin: str, openai: ModuleType) -> None:
    model = "sim-n40-zh-empty2-burst3"
    asked: Any = {"model": model, "messages": [{"role": "user", "content": "你好"}]}
    async with openai.AsyncOpenAI(base_url=f"{standin}/v1", api_key="any") as sdk:
        whole = await sdk.chat.completions.create(**asked)
        stream = await sdk.chat.completions.create(
            **asked, stream=True, stream_options={"include_usage": True}
        )
        chunks = [chunk async for chunk in stream]
        assert {model.id async for model in sdk.models.list()} >= {"extract"}
        with pytest.raises(openai.NotFoundError, match="'foo' in 'sim-foo' is no part"):
            await sdk.chat.completions.create(**asked | {"model": "sim-foo"})
    streamed = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert streamed == whole.choices[0].message.content == scenario.text(model)
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == 40
