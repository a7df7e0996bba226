"""The wait that people judge, as the browser saw it, relative to what the upstream was told to take.

The bounds are loose enough for two noisy cores; `python -m e2e.bench ttft` holds the real budgets.
"""

from e2e.pages import Chat
from e2e.questions import QUESTIONS
from e2e.timing import ask, percentiles

UPSTREAM_MS = 150


def test_what_is_added_to_the_upstream_stays_small(chat: Chat) -> None:
    seen = [ask(chat, f"{question} sim-ttft{UPSTREAM_MS}-itl10-n20") for question in QUESTIONS]
    assert all(one.progress <= one.source < one.token for one in seen)
    progress = percentiles(one.progress for one in seen)
    source = percentiles(one.source for one in seen)
    added = percentiles(one.token - UPSTREAM_MS for one in seen)
    print(f"\nprogress {progress}, source {source}, added to the first token {added}")
    assert progress["p50"] <= 150
    assert progress["p95"] <= 600
    assert source["p50"] <= 250
    assert source["p95"] <= 800
    assert 0 <= added["p50"] <= 250
    assert added["p95"] <= 800
