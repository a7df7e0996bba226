"""Refused fields: the answer comes all the same, and they are not sent again. Over real sockets."""

import logging
from typing import Any

import pytest

from app.models import Hints
from app.models.refusals import Refusals
from dev.standin import scenario
from tests.app.asking import failure, heard, opened, requests, text

HINTS = Hints("conversation", "As before.")
QUICK = {"effort": "minimal", "style": "brief"}


@pytest.mark.parametrize(
    ("model", "left"),
    [
        ("sim-n3-refuseprompt_cache_key", {"reasoning_effort": "minimal", "max_tokens": 99}),
        ("sim-n3-refuseprompt_cache_key-refusereasoning_effort", {"max_tokens": 99}),
        ("sim-n3-strict", {"max_tokens": 99}),
        ("sim-n3-vague", {"max_tokens": 99}),
        (
            "sim-n3-refusemax_tokens",
            {"prompt_cache_key": "conversation", "reasoning_effort": "minimal", "max_completion_tokens": 99},
        ),
        (
            "sim-n3-effortslow.medium",
            {"prompt_cache_key": "conversation", "reasoning_effort": "low", "max_tokens": 99},
        ),
    ],
)
async def test_a_refusal_costs_no_answer_and_is_remembered(
    upstream: str, model: str, left: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING, "app.models.refusals")
    async with opened(upstream) as adapter:
        for _ in range(3):
            chunks = await heard(adapter, model, hints=HINTS, most=99, **QUICK)
            assert text(chunks) == scenario.text("sim-n3")
        asked = await requests(upstream, model)
    refused = len(asked) - 3
    assert [one["outcome"] for one in asked] == ["error"] * refused + ["done"] * 3
    assert 1 <= refused <= 2
    sent = asked[-1]["fields"]
    assert {name: sent[name] for name in sent if name not in ("stream", "stream_options")} == left
    assert len(caplog.messages) == 1
    assert model in caplog.messages[0]


async def test_another_model_of_the_same_server_is_asked_for_itself(upstream: str) -> None:
    async with opened(upstream) as adapter:
        await heard(adapter, "sim-n1-strict-tagfirst", hints=HINTS)
        await heard(adapter, "sim-n1-tagsecond", hints=HINTS)
    (asked,) = await requests(upstream, "sim-n1-tagsecond")
    assert asked["fields"]["prompt_cache_key"] == "conversation"


async def test_what_is_no_refusal_of_a_field_stays_an_error_and_is_forgotten(upstream: str) -> None:
    model = "sim-status400-tagwrong"
    async with opened(upstream) as adapter:
        error, _ = await failure(adapter, model)
        assert error.kind == "upstream_refused"
        assert adapter._refusals._known == {}
    assert len(await requests(upstream, model)) == 1  # nothing optional was sent: once is enough


async def test_the_connection_of_the_request_that_was_taken_is_told(upstream: str) -> None:
    async with opened(upstream) as adapter:
        chunks = await heard(adapter, "sim-n1-strict-tagtimed", hints=HINTS)
    assert len([chunk for chunk in chunks if chunk.connected is not None]) == 1


def test_a_cap_that_is_too_high_is_no_refusal_of_caps() -> None:
    attempt = Refusals().attempt(("vLLM", "m"), {"max_tokens": 9_999})
    assert not attempt.refused(400, "'max_tokens' is too large: 9999.")
    assert attempt.fields == {"max_tokens": 9_999}


def test_a_server_that_fails_refuses_nothing() -> None:
    attempt = Refusals().attempt(("vLLM", "m"), {"prediction": {}})
    assert not attempt.refused(500, "prediction is not supported")


def test_what_one_request_learnt_is_kept_when_another_learns_of_another_field() -> None:
    refusals, key = Refusals(), ("unknown", "m")
    sent = {"reasoning_effort": "minimal", "prompt_cache_key": "c"}
    one, other = (refusals.attempt(key, sent) for _ in range(2))
    assert one.refused(400, "'minimal' is no reasoning_effort here: 'low', 'high'.")
    one.taken()
    assert other.refused(400, "Unknown field prompt_cache_key.")
    other.taken()
    assert refusals.attempt(key, sent).fields == {"reasoning_effort": "low"}


@pytest.mark.parametrize("said", ["prediction is not supported with this model", "Bad request"])
def test_an_answer_has_a_cap_once_its_prediction_was_refused(said: str) -> None:
    refusals, sent = Refusals(), {"prediction": {}, "max_completion_tokens": 99}
    attempt = refusals.attempt(("OpenAI", "m"), sent)
    assert attempt.fields == {"prediction": {}}
    assert attempt.refused(400, said)
    assert attempt.fields == {"max_completion_tokens": 99}
    attempt.taken()
    assert refusals.attempt(("OpenAI", "m"), sent).fields == {"max_completion_tokens": 99}
