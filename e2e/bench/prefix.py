"""How much of what a model was told before it need not read again: long chats through both caching rules.

Drives the product's own store, history, summaries (by rules, at once, as a prompt worker would) and prompt,
and counts with the stand-in's prefix cache, which forgets nothing. Needs no network and no model.

**Repeated** are a prompt's tokens that an earlier prompt to the same model held in a place meant to stay: the
instructions with the styles, a summary, and each message of the history, from the second prompt on that has
it. Not passages and not the question itself, which stand in one prompt only: as part of the history a
question is new. Repeated is repeated wherever it stands by now, so what a cut moves behind a new summary
counts, and is lost.

**Cacheable** is what a rule could reuse of that, had it all stood in front:

- `classic` (OpenAI before GPT-5.6): whole steps of 128 tokens, from 1,024 on;
- `explicit` (from GPT-5.6 on): all of it from 1,024 on, but only up to marks that an earlier prompt had too;
- `any` (vLLM, llama.cpp): all of it, so here the two are the same.

`reused` is the share of the cacheable, `reused_of_repeated` that of the repeated, `reused_of_prompts` of all
that was sent. Reads `conversations.jsonl`: `language`, and `turns` of `question`, `answer` and `style`.
"""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from app.events import Delta, Finished, Started, TurnEvent
from app.jobs import SUMMARY
from app.models import Hints
from app.models.providers import PROVIDERS
from app.models.request import LEAD, body, optional_fields
from app.prompt import STYLES, Prompt, build
from app.retrieval import Passage
from app.routing import Route
from app.settings import Settings
from app.store import Store, open_store
from app.summaries import by_rules
from app.turn import Turn
from dev.standin.scenario import Cache
from dev.standin.tokens import LEAST, STEP, PrefixCache, read
from dev.standin.wire import Ask
from e2e.lab.material import passages

SHIPPED = Path(__file__).parents[1] / "data" / "prefix"
RULES: dict[str, tuple[Cache, str]] = {  # the rule, and a model of OpenAI's that has it
    "classic": ("openai", "gpt-4.1"),
    "explicit": ("explicit", "gpt-5.6"),
    "any": ("any", "gpt-4.1"),
}
K = 5


@dataclass(frozen=True, slots=True)
class Asked:
    """One prompt of a chat, and whether the history was cut before it."""

    prompt: Prompt
    style: str
    cut: bool


@dataclass
class Counted:
    """One rule's tokens so far."""

    sent: int = 0
    repeated: int = 0
    cacheable: int = 0
    reused: int = 0
    at_cuts: list[tuple[int, int]] = field(default_factory=list)  # reused, repeated


def main(data: Path | None) -> None:
    chats = list(_chats(data or SHIPPED))
    asked = asyncio.run(_played(chats))
    _print(asked)
    print(json.dumps(_figures(asked, asyncio.run(_played(chats, worker=False)))))


def _chats(folder: Path) -> Iterator[dict[str, Any]]:
    path = folder / "conversations.jsonl"
    try:
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())
    except (OSError, ValueError) as error:
        raise SystemExit(f"{path} cannot be read as JSON lines: {error}") from error


async def _played(chats: Sequence[dict[str, Any]], *, worker: bool = True) -> list[list[Asked]]:
    """Each chat's prompts, out of a store of its own."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_store(Settings(data_dir=Path(folder))) as store:
            return [[asked async for asked in _play(chat, store, worker)] for chat in chats]


async def _play(chat: dict[str, Any], store: Store, worker: bool) -> AsyncIterator[Asked]:
    owner, conversation, before = uuid4().hex, uuid4().hex, ""
    for n, told in enumerate(chat["turns"]):
        turn = Turn(uuid4().hex, owner, conversation, told["question"], created=1_000.0 + n)
        await store.conversations.add(turn)
        history = await store.histories.before(turn)
        style = told.get("style", "")
        prompt = build(turn.question, _found(n), history, style)
        yield Asked(prompt, style, history.summary != before)
        before = history.summary
        begun, ended = Started(turn.id, conversation, turn.question), Finished(False, "m", "r")
        events: list[TurnEvent] = [begun, Delta(told["answer"]), ended]
        await store.conversations.save(turn.id, events)
        if worker:
            await _work(store)


async def _work(store: Store) -> None:
    """What waits for the worker, done: the summaries of it."""
    for job in await store.outbox.waiting():
        await store.outbox.remove(job)
        due = await store.summaries.due(**job.payload) if job.name == SUMMARY else None
        if due is not None:
            await store.summaries.write(due, by_rules(due.summary, due.exchanges))


def _found(n: int) -> list[Passage]:
    """Other passages for each question."""
    every = passages()
    return [every[(K * n + place) % len(every)] for place in range(K)]


def count(chats: Sequence[Sequence[Asked]], rule: str, *, small: bool = False) -> Counted:
    """What the rule could reuse of these prompts, and did; `small`: another model gives the brief answers."""
    kind, model = RULES[rule]
    cache, counted, seen = PrefixCache(), Counted(), set[tuple[str, ...]]()
    for asked in (one for chat in chats for one in chat):
        ask = _ask(asked.prompt, model)
        reader = "small" if small and asked.style == "brief" else "large"
        parts = [((reader, *key), tokens) for key, tokens in _parts(asked.prompt, ask)]
        repeated = sum(tokens for key, tokens in parts if key in seen)
        cacheable, prompt = _cacheable(repeated, kind), read(ask)
        reused = min(cache.cached(reader, prompt, kind), cacheable)  # a role's mark is no repeated text
        seen.update(key for key, _ in parts)
        counted.sent += len(prompt.tokens)
        counted.repeated += repeated
        counted.cacheable += cacheable
        counted.reused += reused
        if asked.cut:
            counted.at_cuts.append((reused, repeated))
    return counted


def _ask(prompt: Prompt, model: str) -> Ask:
    """The request as it would be sent to OpenAI."""
    messages = prompt.messages()
    fields = optional_fields(PROVIDERS["OpenAI"], messages, Route("bench", model, K, 500, ""), Hints("c"))
    return msgspec.convert({"model": model, **body(messages, fields)}, Ask)


def _parts(prompt: Prompt, ask: Ask) -> Iterator[tuple[tuple[str, str], int]]:
    """Who says what before the last message, and its tokens; a summary is a part of its own."""
    for message in ask.messages[:-1]:
        tokens, said = _tokens(message.role, message.text), message.text.removeprefix(LEAD).lstrip("\n")
        if prompt.summary and said.startswith(prompt.summary):
            told = _tokens(message.role, prompt.summary)
            yield ("summary", prompt.summary), told
            tokens, said = tokens - told, said.removeprefix(prompt.summary).strip()
        yield (message.role, said), tokens


def _tokens(role: str, text: str) -> int:
    message = {"role": role, "content": text}
    return len(read(msgspec.convert({"model": "", "messages": [message]}, Ask)).tokens)


def _cacheable(tokens: int, rule: Cache) -> int:
    if rule == "any":
        return tokens
    whole = tokens - tokens % STEP if rule == "openai" else tokens
    return whole if whole >= LEAST else 0


def _moved(chats: Sequence[Sequence[Asked]]) -> list[list[Asked]]:
    """The same, had each prompt its own style alone where all of them stand: before the history."""

    def with_its_own(one: Asked) -> Asked:
        return replace(one, prompt=replace(one.prompt, style=f"Style: {STYLES[one.style]}", named=""))

    return [[with_its_own(one) for one in chat] for chat in chats]


def _figures(chats: Sequence[Sequence[Asked]], uncut: Sequence[Sequence[Asked]]) -> dict[str, Any]:
    counts = {rule: count(chats, rule) for rule in RULES}
    moved = {rule: count(_moved(chats), rule) for rule in RULES}
    split = {rule: count(chats, rule, small=True) for rule in RULES}
    alone = {rule: count(uncut, rule) for rule in RULES}
    total = sorted(sum(asked.prompt.tokens().values()) for chat in chats for asked in chat)
    return {
        "reused": {rule: _share(one.reused, one.cacheable) for rule, one in counts.items()},
        "reused_of_repeated": {rule: _share(one.reused, one.repeated) for rule, one in counts.items()},
        "reused_of_prompts": {rule: _share(one.reused, one.sent) for rule, one in counts.items()},
        "at_cuts_of_repeated": {rule: _at_cuts(one) for rule, one in counts.items()},
        "cuts": sum(asked.cut for chat in chats for asked in chat),
        "two_models": {rule: _share(one.reused, one.cacheable) for rule, one in split.items()},
        "no_worker": {rule: _share(one.reused, one.cacheable) for rule, one in alone.items()},
        "style_before_history": {rule: _share(one.reused, one.cacheable) for rule, one in moved.items()},
        "prompt_tokens": {"p50": total[len(total) // 2], "most": total[-1]},
        "n": {"chats": len(chats), "turns": len(total)},
    }


def _at_cuts(counted: Counted) -> float | None:
    reused, repeated = (sum(pair[n] for pair in counted.at_cuts) for n in (0, 1))
    return _share(reused, repeated)


def _share(part: int, whole: int) -> float | None:
    """None of nothing."""
    return round(part / whole, 4) if whole else None


def _print(chats: Sequence[Sequence[Asked]]) -> None:
    """Tokens a turn, estimated as the product does: in all, and of the history; * after a cut."""
    for chat in chats:
        counted = [(asked.prompt.tokens(), asked.cut) for asked in chat]
        told = [f"{sum(parts.values())}/{parts['history']}{'*' * cut}" for parts, cut in counted]
        print(" ".join(told), flush=True)
