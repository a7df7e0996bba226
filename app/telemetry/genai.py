"""What OpenTelemetry's conventions for generative AI call what we know, and our own names beside."""

from typing import Any

from opentelemetry.semconv._incubating.attributes import gen_ai_attributes as gen_ai

from app.events import Usage
from app.measures import Record
from app.telemetry.metrics import Labels
from app.turn import Turn


def about(turn: Turn, told: Record) -> dict[str, Any]:
    known = {
        gen_ai.GEN_AI_CONVERSATION_ID: turn.conversation,
        "prelude.turn": turn.id,
        "prelude.route": told.route,
        "prelude.outcome": told.outcome,
        "prelude.cached": told.cached,
        "prelude.prompt.prefix": told.prefix,
    }
    return known | {f"prelude.prompt.{part}": tokens for part, tokens in told.prompt.items()}


def about_call(told: Record, reason: str) -> dict[str, Any]:
    known = calling(told.model) | used(told.usage) | {gen_ai.GEN_AI_REQUEST_STREAM: True}
    if reason:
        known[gen_ai.GEN_AI_RESPONSE_FINISH_REASONS] = [reason]
    if told.error:
        known["error.type"] = told.error
    if "upstream_ttft" in told.timings:
        known[gen_ai.GEN_AI_RESPONSE_TIME_TO_FIRST_CHUNK] = told.ms("upstream_ttft") / 1_000
    return known


def calling(model: str) -> dict[str, Any]:
    return {
        gen_ai.GEN_AI_OPERATION_NAME: "chat",
        gen_ai.GEN_AI_PROVIDER_NAME: "openai",
        gen_ai.GEN_AI_REQUEST_MODEL: model,
    }


def used(usage: Usage) -> dict[str, Any]:
    return {
        gen_ai.GEN_AI_USAGE_INPUT_TOKENS: usage.prompt_tokens,
        gen_ai.GEN_AI_USAGE_OUTPUT_TOKENS: usage.completion_tokens,
        gen_ai.GEN_AI_USAGE_CACHE_READ_INPUT_TOKENS: usage.cached_tokens,
    }


# Prometheus has no dots in its names.
_DOTTED = {
    "gen_ai_operation_name": gen_ai.GEN_AI_OPERATION_NAME,
    "gen_ai_provider_name": gen_ai.GEN_AI_PROVIDER_NAME,
    "error_type": "error.type",
    "gen_ai_request_model": gen_ai.GEN_AI_REQUEST_MODEL,
}


def dotted(labels: Labels) -> dict[str, str]:
    return {_DOTTED.get(label, label): value for label, value in labels.items()}
