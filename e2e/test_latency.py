"""The wait that people judge, in short, with budgets for two noisy cores; `make latency` holds real ones."""

import pytest

from e2e.latency.plugin import Latency


@pytest.mark.latency(ttfp_p50=150, ttfp_p95=600, ttfs_p50=250, ttfs_p95=800, beyond_direct_p50=150)
def test_a_question_of_either_language(latency: Latency) -> None:
    questions = "How do I start it?", "怎样启动它？", "What is time to first token?", "什么是首词元时间？"
    for sample in latency.ask(*questions):
        assert sample.values["ttfp"] <= sample.values["ttfs"] < sample.values["ttft"], sample
        assert sample.values["calls"] == 0
