"""Where questions go, by themselves and once it is known what was found, in both languages."""

from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.prompt import Exchange, History
from app.retrieval import Found, Passage
from app.routing import REASONS, Route, Router
from app.routing.phrases import is_term
from app.settings import EXTRACT, Settings
from dev.routing.rows import questions

TWO = Settings(chat_model="large", chat_model_small="small")
ROUTER = Router(TWO)
MEASURED = Path(__file__).parents[2] / "e2e" / "data" / "routing" / "questions.jsonl"
PASSAGE = Passage("p", "text", "title", "file:///a.md", None, 0, 4, 0.9)
SURE = Found((PASSAGE,), 0.95)
HARD = "Compare leasing and buying over five years, and recommend one of them."
LOOKUPS = [
    "Who signed the lease?",
    "what's the wifi password",
    "When does the library close?",
    "How much is a day ticket?",
    "谁签的租约？",
    "图书馆几点关门",
    "日票多少钱？",
    "wifi密码是什么",
    "redis",
    "WEB_CONCURRENCY",
    "ERR_CONN-504",
    "docker compose",
    "v2.3.1",
    "退款期限",
]
ORDINARY = [
    "How do I reset my password?",
    "Summarise what the handbook says about travel.",
    "怎样重置我的密码？",
    "总结一下手册里关于出差的内容。",
    "how to stop an answer",
    "How to run it in Docker?",
    "怎样连接一个语言模型？",
    "如何备份",
]
COURTESIES = ["thanks", "OK", "Good morning!", "thank you very much!", "hello there"]
COURTESIES += ["谢谢", "好的，谢谢你！", "早上好"]
ORDERS = ["write tests", "Prove it", "Compare them", "17 * 23", "2+2=?"]  # two words, and no look-up
HARD_ONES = [
    HARD,
    "Why does my query get slower with every row, and how would you fix it?",
    "Write a function that merges two sorted lists without recursion.",
    "If rent rises by 4% a year, what do we pay in total over six years?",
    "Plan the move of our team to a four-day week, with risks and milestones.",
    "比较租赁和购买五年的总成本，并给出建议。",
    "为什么数据越多查询越慢，应该怎么优化？",
    "写一个不用递归合并两个有序链表的函数。",
    "如果房租每年上涨4%，六年一共要付多少？",
    "制定一个改成四天工作制的计划，说明风险和里程碑。",
]
HOSTILE = {
    "long": "How does this work, and why? " * 280,
    "Chinese": "为什么数据库这么慢？" * 800,
    "emoji": "😀" * 8_000,
    "NUL": "\0" * 8_000,
    "marks": "?!…。，" * 1_600,
    "surrogates": "\ud800" * 8_000,
    "one word": "a" * 8_000,
    "options": "\nA. " * 2_000,
    "an address": "and https://example.com/" + "x" * 300 + " is what exactly, and why so often?",
    "thanks": "thanks " * 11 + "x",
}


@pytest.mark.parametrize("question", LOOKUPS)
def test_a_lookup_is_answered_briefly_by_the_small_model(question: str) -> None:
    route = ROUTER.route(question)
    assert (route.name, route.model, route.style, route.reason) == ("look-up", "small", "brief", "lookup")
    assert route.max_tokens <= 256
    assert route.small
    assert route.k <= 5


@pytest.mark.parametrize("question", ORDINARY)
def test_an_ordinary_question_has_room(question: str) -> None:
    route = ROUTER.route(question)
    assert (route.name, route.model, route.style, route.reason) == ("standard", "small", "", "ordinary")
    assert route.max_tokens > 1_000


@pytest.mark.parametrize("question", COURTESIES)
def test_a_courtesy_asks_for_no_fact(question: str) -> None:
    assert ROUTER.route(question) == ROUTER.route(ORDINARY[0])


@pytest.mark.parametrize("question", ORDERS)
def test_an_order_of_two_words_is_weighed(question: str) -> None:
    assert not is_term(question)


@pytest.mark.parametrize("question", ["And why?", "what about  part-time staff", "how about Lyon?"])
def test_a_few_words_go_on_and_many_do_not(question: str) -> None:
    assert ROUTER.route(question).reason == "continues"
    assert ROUTER.route(question + " as it was told us last year").reason != "continues"


@pytest.mark.parametrize("question", HARD_ONES)
def test_a_hard_question_goes_to_the_large_model(question: str) -> None:
    route = ROUTER.route(question)
    assert (route.name, route.model, route.style, route.reason) == ("hard", "large", "thorough", "hard")
    assert not route.small
    assert route.passage_tokens > ROUTER.route(LOOKUPS[0]).passage_tokens


@pytest.mark.parametrize("question", [*LOOKUPS, *ORDINARY, *HARD_ONES, ""])
def test_who_wants_the_large_model_gets_it(question: str) -> None:
    route = ROUTER.route(question, large=True)
    assert (route.name, route.model, route.small, route.reason) == ("large", "large", False, "asked")


@pytest.mark.parametrize("question", [LOOKUPS[0], ORDINARY[0], HARD])
@pytest.mark.parametrize("model", [EXTRACT, "some-model"])
def test_with_one_model_routes_differ_but_none_escalates(model: str, question: str) -> None:
    router = Router(Settings(chat_model=model))
    route = router.route(question)
    assert (route.name, route.model) == (ROUTER.route(question).name, model)
    assert not route.small
    assert router.escalate(route) is None


def test_routing_can_be_switched_off() -> None:
    router = Router(TWO.model_copy(update={"routing": "off"}))
    assert {router.route(question) for question in (*LOOKUPS, *ORDINARY, *HARD_ONES)} == {
        Route("standard", "large", 5, 4_096, "off")
    }
    assert router.route(LOOKUPS[0], large=True).name == "large"


def test_routing_can_be_tilted() -> None:
    def large(tilt: str) -> int:
        router = Router(TWO.model_copy(update={"routing": tilt}))
        return sum(not router.route(asked.text).small for asked in questions(MEASURED))

    assert large("thrifty") < large("balanced") < large("generous")


def test_a_small_models_answer_can_be_handed_on() -> None:
    for question in (LOOKUPS[0], ORDINARY[0]):
        route = ROUTER.route(question)
        larger = ROUTER.escalate(route)
        assert larger is not None
        assert (larger.model, larger.small, larger.style) == ("large", False, route.style)
        assert larger.max_tokens > 1_000
        assert ROUTER.escalate(larger) is None
    assert ROUTER.escalate(ROUTER.route(HARD)) is None


@pytest.mark.parametrize("question", ["why?", "And in winter?", "Go on", "为什么呢？", "那冬天呢？", "继续"])
def test_what_goes_on_from_a_hard_question_is_hard(question: str) -> None:
    route = ROUTER.route(question)
    hard = History("", [Exchange(HARD, "Buy."), Exchange("why?", "It is cheaper.")])
    easy = History("", [Exchange(HARD, "Buy."), Exchange(LOOKUPS[0], "Ann.")])
    assert ROUTER.settle(route, hard, SURE).model == "large"
    assert ROUTER.settle(route, hard, SURE).reason == "continues"
    assert ROUTER.settle(route, easy, SURE).model == "small"
    assert ROUTER.settle(route, History(), SURE).name == "standard"


def test_a_lookup_whose_passages_are_doubtful_gets_room() -> None:
    route = ROUTER.route(LOOKUPS[0])
    assert ROUTER.settle(route, History(), Found((PASSAGE,), 0.55)).reason == "unsure"
    assert ROUTER.settle(route, History(), SURE) == route
    assert ROUTER.settle(route, History(), Found(searched=False)) == route


@pytest.mark.parametrize("question", [LOOKUPS[0], ORDINARY[0], HARD])
def test_that_nothing_was_found_is_why(question: str) -> None:
    route = ROUTER.route(question)
    settled = ROUTER.settle(route, History(), Found())
    assert settled == replace(route, reason="nothing found")
    assert ROUTER.settle(route, History(), SURE) == route


def test_what_was_asked_for_is_never_settled_otherwise() -> None:
    route = ROUTER.route(LOOKUPS[0], large=True)
    for found in (Found(), SURE, Found((PASSAGE,), 0.55)):
        assert ROUTER.settle(route, History("", [Exchange(HARD, "Buy.")]), found) == route


@given(st.text(max_size=600), st.booleans())
def test_any_text_has_a_route_whose_reason_is_known(question: str, large: bool) -> None:
    route = ROUTER.route(question, large=large)
    assert route.reason in REASONS
    assert ROUTER.settle(route, History(), Found()).reason in REASONS
    assert route.name in ("look-up", "standard", "hard", "large")


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_costs_no_more_than_a_few_long_ones(text: str) -> None:
    def took(question: str) -> float:
        began = process_time()
        for _ in range(20):
            ROUTER.route(question)
        return process_time() - began

    clause = "What does the lease of the office in Lyon say about pets and plants? "
    long = min(took(clause * 20) for _ in range(3))
    assert min(took(text) for _ in range(3)) < 6 * long + 0.02
