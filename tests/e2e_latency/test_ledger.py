"""The ledger: calls about a question before the one that answers it, and no others."""

import json
import urllib.request
from typing import Any

from e2e.latency.ledger import Ledger, calls_before

QUESTION = '怎样"启动"它？'
ANSWERS = f"<context>\n…\n</context>\n<question>\n{QUESTION}\n</question>"


def call(content: str) -> dict[str, Any]:
    return {"messages": [{"role": "system", "content": "…"}, {"role": "user", "content": content}]}


def test_only_calls_about_the_question_and_before_its_answer_count() -> None:
    title, other = call(f"A title for: {QUESTION}"), call("A title for: another")
    assert calls_before(QUESTION, [call(ANSWERS)]) == 0
    assert calls_before(QUESTION, [title, other, call(ANSWERS)]) == 1
    assert calls_before(QUESTION, [other, call(ANSWERS), title]) == 0


def test_a_question_that_no_call_answers_is_not_known() -> None:
    assert calls_before(QUESTION, []) is None
    assert calls_before(QUESTION, [call(f"A title for: {QUESTION}")]) is None


def test_a_look_sees_what_came_since_the_last(upstream: str) -> None:
    ledger = Ledger(upstream)
    body = {"model": "sim-n1", "messages": [{"role": "user", "content": ANSWERS}]}
    asked = urllib.request.Request(f"{upstream}/v1/chat/completions", json.dumps(body).encode())
    urllib.request.urlopen(asked, timeout=30).read()
    assert calls_before(QUESTION, ledger.look()) == 0
    assert ledger.look() == []
