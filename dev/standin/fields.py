"""The fields of a request that not every server takes: which came, and the refusals that a scenario plays.

Knows nothing of what a field does.
"""

from typing import Any

from dev.standin.scenario import Scenario
from dev.standin.wire import Fault, Forbidden

_ALWAYS_TAKEN = {
    "model",
    "messages",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "tools",
}


def fields_of(whole: dict[str, Any]) -> dict[str, Any]:
    """All of a request but its model and messages."""
    return {name: value for name, value in whole.items() if name not in ("model", "messages")}


def breakpoints_of(whole: dict[str, Any]) -> list[int]:
    """The messages that hold an explicit breakpoint, by their place."""
    return [n for n, message in enumerate(whole["messages"]) if _is_marked(message)]


def check(pace: Scenario, fields: dict[str, Any], breakpoints: list[int]) -> None:
    """Raises the Fault by which this scenario's server refuses a request with such fields."""
    came = _names(fields, breakpoints)
    optional = [name for name in came if name not in _ALWAYS_TAKEN]
    if pace.strict and optional:
        raise Forbidden(optional)
    if pace.vague and optional:
        raise Fault(400, "Bad request.", None)
    for name in came:
        if name in pace.refused:
            raise Fault(400, f"Unrecognized request argument supplied: {name}", None, param=name)
    effort = fields.get("reasoning_effort")
    if effort and pace.efforts and effort not in pace.efforts:
        raise _unsupported_effort(effort, pace.efforts)
    if "prediction" in fields and "max_completion_tokens" in fields:  # as OpenAI does
        said = "max_completion_tokens is not supported with prediction."
        raise Fault(400, said, None, param="max_completion_tokens")


def _names(fields: dict[str, Any], breakpoints: list[int]) -> list[str]:
    """Nested ones by their own name."""
    nested = [name for name in fields.get("stream_options") or {} if name != "include_usage"]
    return [*fields, *nested, *(["prompt_cache_breakpoint"] if breakpoints else [])]


def _is_marked(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(part.get("prompt_cache_breakpoint") for part in content)


def _unsupported_effort(effort: str, efforts: tuple[str, ...]) -> Fault:
    takes = ", ".join(f"'{one}'" for one in efforts)
    said = (
        f"Unsupported value: 'reasoning_effort' does not support '{effort}' with this model. "
        f"Supported values are: {takes}."
    )
    return Fault(400, said, "unsupported_value", param="reasoning_effort")
