"""What each provider of an OpenAI-compatible endpoint takes beyond the protocol's core, and whom we speak to.

Only what makes a first token come sooner or an answer shorter. `service_tier` would as well, but it costs
money: that is an operator's decision. What a server refuses all the same is `app.models.refusals`' business.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

ALL, NO = "", "(?!)"  # patterns for every model and for none
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")  # from the least
FOUR = ("none", "low", "medium", "high")


@dataclass(frozen=True, slots=True)
class Provider:
    """Patterns are matched at the beginning of a model's name.

    `cap`: the field that limits an answer. `cache_key`: it takes `prompt_cache_key`, to send what shares a
    prefix to the machine that knows it. `breakpoints`: models that cache up to marks in the messages.
    `effort`: models that take `reasoning_effort`, of `efforts`. `thinking`: a model's thinking is switched by
    its chat template. `verbosity`, `prediction`: models that take them. `obfuscation`: it pads each chunk
    unless told not to. `always`: sent with every request. `loads`: the path, beside the endpoint's, that
    loads a model into memory.
    """

    name: str
    cap: str = "max_tokens"
    cache_key: bool = False
    breakpoints: str = NO
    effort: str = NO
    efforts: tuple[str, ...] = EFFORTS
    thinking: bool = False
    verbosity: str = NO
    prediction: str = NO
    obfuscation: bool = False
    always: Mapping[str, Any] = field(default_factory=dict)
    loads: str = ""


UNKNOWN = "unknown"
PROVIDERS: dict[str, Provider] = {
    "OpenAI": Provider(
        "OpenAI",
        cap="max_completion_tokens",  # its newer models refuse `max_tokens`
        cache_key=True,
        breakpoints=r"gpt-5\.([6-9]|\d\d)|gpt-([6-9]|\d\d)",
        effort=r"o\d|gpt-([5-9]|\d\d)",
        verbosity=r"gpt-([5-9]|\d\d)",
        prediction=r"(ft:)?(chat)?gpt-4(o|\.1)",
        obfuscation=True,
    ),
    # These two find a shared prefix by themselves, and guess ahead if they are started so (docs/latency.md).
    "vLLM": Provider("vLLM", effort=ALL, efforts=FOUR, thinking=True),
    "llama.cpp": Provider("llama.cpp", effort=ALL, thinking=True, always={"cache_prompt": True}),
    # It forgets a model after five idle minutes, and its OpenAI endpoint takes no keep_alive.
    "Ollama": Provider("Ollama", effort=ALL, efforts=FOUR, loads="/api/generate"),
    UNKNOWN: Provider(UNKNOWN, cache_key=True, effort=ALL),
}

# What /v1/models gives as `owned_by`. Ollama's models of its own library; others' are found by its port.
OWNERS = {
    "openai": "OpenAI",
    "openai-internal": "OpenAI",
    "system": "OpenAI",
    "vllm": "vLLM",
    "llamacpp": "llama.cpp",
    "library": "Ollama",
}
OLLAMA_PORT = 11434


def by_address(base_url: str) -> str:
    """The provider's name as far as its address tells, else an empty string."""
    if not base_url or urlsplit(base_url).hostname == "api.openai.com":
        return "OpenAI"
    return "Ollama" if urlsplit(base_url).port == OLLAMA_PORT else ""


def by_models(owners: Iterable[str], server: str = "") -> str:
    """The provider's name by the owners of its models and its `Server` header."""
    if "llama.cpp" in server.lower():
        return "llama.cpp"
    return next((OWNERS[owner] for owner in owners if owner in OWNERS), UNKNOWN)


def takes(pattern: str, model: str) -> bool:
    return re.match(pattern, model) is not None


def nearest(effort: str, efforts: tuple[str, ...]) -> str:
    """The closest effort that is taken, the lesser of two; an empty string for one that nobody knows."""
    if effort not in EFFORTS:
        return ""
    wanted = EFFORTS.index(effort)
    return min(efforts, key=lambda one: abs(EFFORTS.index(one) - wanted), default="")
