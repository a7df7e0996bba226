"""What is sent: the messages, and the fields beside them that this provider takes for this model."""

from collections.abc import Sequence
from typing import Any

from app.models.hints import Hints
from app.models.providers import Provider, nearest, takes
from app.prompt import Message
from app.routing import Route

# Efforts that are no thinking at all. Models are told of their effort, and of verbosity, in front of all
# messages, so each effort has a prefix of its own: dear, but not thinking saves more. Verbosity goes with the
# effort and splits no further; that an answer is to be brief, the style says.
QUICK = ("none", "minimal")

# Tokens for thinking, by effort; "" is what a model does by itself. OpenAI counts them against the cap, and
# an answer that the cap ends before its first word is none.
THINKING = {"none": 1_000, "minimal": 1_000, "low": 2_000, "": 8_000, "medium": 8_000}
MOST_THINKING = 16_000

# A breakpoint can stand on people's and the system's text, not on the model's. So what follows an answer
# begins with these words, in every prompt, and they are marked.
LEAD = "Next question:\n"
EXPLICIT = {"mode": "explicit"}  # and no implicit one: it would write passages that no later prompt has


def optional_fields(
    provider: Provider, messages: Sequence[Message], route: Route, hints: Hints
) -> dict[str, Any]:
    """All that a server may refuse, by name; `include_obfuscation` belongs into `stream_options`, and the cap
    is for when there is no prediction (`app.models.refusals` leaves it out beside one)."""
    model, fields = route.model, dict(provider.always)
    if provider.cache_key and hints.cache_key:
        fields["prompt_cache_key"] = hints.cache_key
    if takes(provider.breakpoints, model) and any(message.breakpoint for message in messages):
        fields["prompt_cache_options"] = EXPLICIT
    if takes(provider.effort, model) and (effort := nearest(route.effort, provider.efforts)):
        fields["reasoning_effort"] = effort
    if provider.thinking and route.effort in QUICK:
        fields["chat_template_kwargs"] = {"enable_thinking": False}
    if takes(provider.verbosity, model) and route.effort in QUICK:
        fields["verbosity"] = "low"
    if provider.obfuscation:
        fields["include_obfuscation"] = False
    if hints.prediction and takes(provider.prediction, model):
        fields["prediction"] = {"type": "content", "content": hints.prediction}
    fields[provider.cap] = route.max_tokens + _thinking(provider, route)
    return fields


def _thinking(provider: Provider, route: Route) -> int:
    counted = provider.cap == "max_completion_tokens" and takes(provider.effort, route.model)
    return THINKING.get(route.effort, MOST_THINKING) if counted else 0


def body(messages: Sequence[Message], fields: dict[str, Any]) -> dict[str, Any]:
    """The request's messages and fields."""
    rest = dict(fields)
    options = {"include_usage": True}
    if "include_obfuscation" in rest:
        options["include_obfuscation"] = rest.pop("include_obfuscation")
    told = _marked(messages) if "prompt_cache_options" in rest else _plain(messages)
    return {"messages": told, "stream_options": options, **rest}


def _plain(messages: Sequence[Message]) -> list[dict[str, Any]]:
    return [{"role": message.role, "content": message.content} for message in messages]


def _marked(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """With the ends of what stays put; an answer's end is marked at the beginning of what follows it."""
    told, before = [], Message("system", "")
    for message in messages:
        parts = [_part(message.content, message.breakpoint)]
        if message.role == "user" and before.role == "assistant":
            parts.insert(0, _part(LEAD, before.breakpoint))
        content = message.content if message.role == "assistant" else parts
        told.append({"role": message.role, "content": content})
        before = message
    return told


def _part(text: str, ends: bool) -> dict[str, Any]:
    return {"type": "text", "text": text, **({"prompt_cache_breakpoint": EXPLICIT} if ends else {})}
