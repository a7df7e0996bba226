"""What a scenario's name promises is what arrives."""

import asyncio
import json
import re
import time
from itertools import pairwise
from types import ModuleType
from urllib.parse import urlsplit

import httpx
import pytest

from dev.standin import scenario
from dev.standin.playing import Clock, Write, schedule
from dev.standin.scenario import Scenario, UnknownPart, parse

from .conftest import body, lines, text_of


async def writes(standin: str, model: str) -> list[bytes]:
    """The body write by write, as chunks of the transfer encoding; ends where the connection does."""
    address = urlsplit(standin)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    sent = json.dumps(body(model)).encode()
    head = f"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: {len(sent)}\r\n\r\n"
    writer.write(head.encode() + sent)
    await reader.readuntil(b"\r\n\r\n")
    found: list[bytes] = []
    try:
        while size := int(await reader.readuntil(b"\r\n"), 16):
            found.append((await reader.readexactly(size + 2))[:-2])
        found.append(b"")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        pass
    writer.close()
    return found


def test_the_documented_grammar_is_the_one_that_is_read() -> None:
    table = [row.split("|")[1] for row in (scenario.__doc__ or "").splitlines() if row.startswith("| `")]
    documented = set(re.findall(r"`([^`]+)`", "".join(table)))
    read = {
        "malformed" if name == "malformedAT" else name for name in scenario.GRAMMAR.split("parts ")[1].split()
    }
    assert documented - {"malformedAT"} == read


def test_parts_come_in_any_order_and_add_up() -> None:
    assert parse("sim-stall5-300-gate3-n9-stall7-10.5-gate4-zh") == Scenario(
        tokens=9, kind="zh", stalls={5: 300, 7: 10.5}, gates=frozenset([3, 4])
    )
    assert parse("sim") == Scenario()


@pytest.mark.parametrize(
    "part", ["foo", "ttft", "ttft-5", "stall5", "stall5-x", "status200", "burst0", "n-1", "-n1"]
)
def test_an_unknown_part_is_named(part: str) -> None:
    with pytest.raises(UnknownPart, match="is no part of a scenario; the grammar is sim") as told:
        parse(f"sim-n5-{part}")
    assert "\n" not in str(told.value)


@pytest.mark.parametrize(
    "model",
    ["sim", "sim-n7", "sim-zh", "sim-md", "sim-mdlong-n700-burst9", "sim-n25-burst4", "sim-n20-jitter2"],
)
async def test_streams_exactly_its_text(client: httpx.AsyncClient, model: str) -> None:
    assert text_of(await lines(client, body(model))) == scenario.text(model)


def test_prose_tells_the_number_of_the_chunk_that_begins_a_sentence() -> None:
    for model in ("sim-n200", "sim-n200-zh"):
        chunks = scenario.chunks(parse(model))
        numbered = [
            (at, found[1]) for at, chunk in enumerate(chunks, 1) if (found := re.search(r"(\d+)", chunk))
        ]
        assert len(numbered) > 8
        assert all(int(number) == at for at, number in numbered)


def test_the_markdown_document_holds_what_renderers_stumble_on() -> None:
    wanted = (
        "```",
        "| Part |",
        "   - nested",
        "$e^",
        "**重点内容**",
        "](https://",
        "<img src",
        "javascript:",
        "![remote]",
        "[99]",
    )
    assert all(mark in scenario.text("sim-md") for mark in wanted)
    assert scenario.text("sim-mdlong").startswith(scenario.text("sim-md").rstrip())
    assert len(scenario.chunks(parse("sim-mdlong"))) == 2000


async def test_a_burst_leaves_in_one_write(standin: str) -> None:
    sizes = [write.count(b'"content"') for write in await writes(standin, "sim-n8-burst3")]
    assert sizes == [1, 3, 3, 2, 0, 0]  # the role chunk's is empty


async def test_splitbytes_cuts_every_character_at_every_byte(standin: str) -> None:
    found = await writes(standin, "sim-zh-n6-splitbytes")
    whole = b"".join(found)
    ends = {sum(map(len, found[: at + 1])) for at in range(len(found))}
    inside = {at + 1 for at, byte in enumerate(whole[:-1]) if byte >= 0x80 and whole[at + 1] & 0xC0 == 0x80}
    assert inside
    assert inside <= ends
    assert text_of(
        [line.removeprefix("data: ") for line in whole.decode().split("\n\n") if line]
    ) == scenario.text("sim-zh-n6-splitbytes")


@pytest.mark.parametrize("how", ["cut", "reset"])
async def test_a_cut_ends_the_connection_after_its_chunk(standin: str, how: str) -> None:
    found = b"".join(await writes(standin, f"sim-n9-{how}3")).decode()
    assert text_of([line.removeprefix("data: ") for line in found.split("\n\n") if line]) == scenario.text(
        "sim-n3"
    )
    assert 'finish_reason":"stop' not in found
    assert (await writes(standin, "sim-n9"))[-1] == b""  # an uncut one does end


async def test_only_a_reset_is_one(standin: str) -> None:
    async def ending(model: str) -> bytes:
        address = urlsplit(standin)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        sent = json.dumps(body(model)).encode()
        writer.write(
            b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n" % len(sent) + sent
        )
        try:
            return await reader.read()
        finally:
            writer.close()

    assert b"Morning" in await ending("sim-n9-cut3")
    with pytest.raises(ConnectionResetError):
        await ending("sim-n9-reset3")


async def test_a_cut_at_0_leaves_only_headers_and_role(standin: str) -> None:
    (only,) = await writes(standin, "sim-n9-cut0")
    assert text_of([only.decode().strip().removeprefix("data: ")]) == ""


async def test_the_sdk_sees_a_cut_as_a_lost_connection(standin: str, openai: ModuleType) -> None:
    async with openai.AsyncOpenAI(base_url=f"{standin}/v1", api_key="any") as sdk:
        stream = await sdk.chat.completions.create(
            model="sim-n9-cut3", messages=[{"role": "user", "content": "a"}], stream=True
        )
        with pytest.raises((openai.APIConnectionError, httpx.RemoteProtocolError)):
            async for _ in stream:
                pass


async def test_malformed_breaks_one_line_and_goes_on(client: httpx.AsyncClient) -> None:
    payloads = await lines(client, body("sim-n5-malformed2"))
    with pytest.raises(json.JSONDecodeError):
        json.loads(payloads[3])
    assert text_of(payloads[:3] + payloads[4:]) == scenario.text("sim-n5")


async def test_a_status_is_an_error_with_its_retry_after(client: httpx.AsyncClient) -> None:
    answer = await client.post("/v1/chat/completions", json=body("sim-status429-retryafter2"))
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "2")
    assert answer.json()["error"]["type"] == "rate_limit_error"
    (record,) = (await client.get("/requests")).json()
    assert (record["status"], record["outcome"]) == (429, "error")


async def test_a_counted_status_fails_so_often_for_each_prompt(client: httpx.AsyncClient) -> None:
    async def status(content: str) -> int:
        return (
            await client.post("/v1/chat/completions", json=body("sim-n2-status503x2", content))
        ).status_code

    assert [await status("one") for _ in range(4)] == [503, 503, 200, 200]
    assert await status("two") == 503


@pytest.mark.parametrize(("cache", "cached"), [("", 1024), ("-cacheany", 1101), ("-cachenone", 0)])
async def test_a_shared_prefix_is_cached_by_its_rule(
    client: httpx.AsyncClient, cache: str, cached: int
) -> None:
    prefix = "word " * 1100
    model = f"sim-n1{cache}"
    for tail in ("first", "second"):
        await client.post("/v1/chat/completions", json=body(model, prefix + tail, stream=False))
    before, after = (await client.get("/requests")).json()
    assert before["cached_tokens"] == 0
    assert (after["prompt_tokens"], after["cached_tokens"]) == (1102, cached)


async def test_a_short_or_changed_prefix_is_not_cached(client: httpx.AsyncClient) -> None:
    for content in ("word " * 900, "word " * 900, "a " + "word " * 1500, "b " + "word " * 1500):
        await client.post("/v1/chat/completions", json=body("sim-n1", content))
    assert [one["cached_tokens"] for one in (await client.get("/requests")).json()] == [0, 0, 0, 0]


def test_prefill_pays_for_the_uncached_tail_and_its_square() -> None:
    prefill = parse("sim-ttft100-pre0.5-quad0.001").prefill
    assert prefill(2000, 0) == pytest.approx(100 + 1000 + 4000)
    assert prefill(2000, 1920) == pytest.approx(100 + 40 + 0.001 * (2000**2 - 1920**2))


async def test_the_first_chunk_waits_for_its_time(client: httpx.AsyncClient) -> None:
    await client.post(
        "/v1/chat/completions", json=body("sim-ttft100-pre10-n5-itl20-stall3-60", "five words are in here")
    )
    (record,) = (await client.get("/requests")).json()
    assert record["prompt_tokens"] == 6
    assert record["first_chunk_at"] - record["received_at"] >= 0.155  # timers tick in milliseconds
    assert record["finished_at"] - record["first_chunk_at"] >= 0.135


def test_the_schedule_is_absolute_and_a_stall_shifts_what_follows() -> None:
    dues = [write.due for write in schedule(parse("sim-itl20-stall3-500"), 4, wait=200)]
    assert dues == [200, 220, 740, 760]


def test_a_burst_is_split_where_something_happens() -> None:
    assert schedule(parse("sim-itl10-burst4-cut6"), 9, wait=0) == [
        Write(1, 4, 0), Write(5, 6, 40), Write(7, 8, 60), Write(9, 9, 80)
    ]  # fmt: skip


async def test_the_time_at_a_gate_shifts_the_schedule() -> None:
    clock = Clock(time.perf_counter() - 60)
    clock.skip(60)
    since = time.perf_counter()
    await clock.until(50)
    assert time.perf_counter() - since >= 0.045


def test_jitter_repeats_and_never_reorders() -> None:
    jittered = parse("sim-itl10-jitter50")
    dues = [write.due for write in schedule(jittered, 50, wait=0)]
    assert dues == [write.due for write in schedule(jittered, 50, wait=0)]
    assert dues != [write.due for write in schedule(parse("sim-itl10-jitter50-seed1"), 50, wait=0)]
    assert all(before <= after for before, after in pairwise(dues))
    assert all(0 <= due - 10 * at < 60 for at, due in enumerate(dues))
