"""Which questions lean on the conversation, and what becomes of them, in both languages."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.followups import stand_alone
from app.prompt import Exchange

HOSTILE = {
    "long": "and what about it? " * 420,
    "emoji": "😀" * 400,
    "NUL": "\0" * 400,
    "marks": "?!…。，" * 80,
    "pronouns": "it " * 130,
    "它": "它" * 400,
    "8,000": "那学生呢？" * 1_600,
}


def after(*questions: str) -> list[Exchange]:
    return [Exchange(question, "An answer [1].") for question in questions]


@pytest.mark.parametrize(
    ("before", "question", "names"),
    [
        ("What is throat cancer?", "Is it treatable?", "throat cancer"),
        ("What is throat cancer?", "What are its symptoms?", "throat cancer"),
        ("Tell me about the Neverending Story film.", "What are the main themes?", "Neverending Story film"),
        ("Who was Marie Curie?", "Where was she born?", "Marie Curie"),
        ("How many vacation days do employees get?", "And for students?", "vacation days"),
        ("How many vacation days do employees get?", "what about part-time staff", "vacation days"),
        ("How many vacation days do employees get?", "in 2023?", "vacation days"),
        ("What does the heat pump cost?", "why?", "heat pump"),
        ("Is chilli a stew?", "How about goulash?", "stew"),
        ("What is the range of the e-bike?", "What about its price?", "e-bike"),
        ("Which port does the message queue listen on?", "Can I change it?", "message queue"),
        ("How do I restart the search index?", "How long does that take?", "search index"),
        ("How do I restart the search index?", "tell me more", "search index"),
        ("Which plans are there for teams?", "Which one is the cheapest?", "plans"),
        ("员工每年有几天年假？", "那学生呢？", "年假"),
        ("热泵要多少钱？", "它能用几年？", "热泵"),
        ("热泵要多少钱？", "为什么？", "热泵"),
        ("热泵要多少钱？", "有什么缺点？", "热泵"),
        ("居里夫人是谁？", "她出生在哪里？", "居里夫人"),
        ("专业版包含哪些功能？", "价格是多少？", "专业版"),
        ("专业版的价格是多少？", "团队版呢", "价格"),
        ("有哪些报销标准？", "第二个呢", "报销标准"),
        ("怎样重启搜索索引？", "会丢数据吗？", "搜索索引"),
        ("出差住宿标准是多少？", "那实习生呢", "住宿标准"),
        ("How many vacation days do employees get?", "And how many do students get?", "vacation days"),
        ("How do I add my own documents?", "And can I delete them?", "documents"),
        ("How do I add my own documents?", "Are there any limits?", "documents"),
        ("What is throat cancer?", "Are there any side effects?", "throat cancer"),
    ],
)
def test_a_follow_up_gets_its_subject(before: str, question: str, names: str) -> None:
    told = stand_alone(question, after(before))
    assert names in told
    assert told != question


@pytest.mark.parametrize(
    "question",
    [
        "What does the lease say about pets?",
        "But what does TPOT mean?",
        "And who can see my conversations?",
        "Are there keyboard shortcuts?",
        "So when does the library close?",
        "How do I reset my password?",
        "Is it possible to delete an account?",
        "What does it mean to be a vegan?",
        "What time is it in Tokyo?",
        "If you don't eat any meat, is it bad for you?",
        "How do I restart the router when it hangs?",
        "What is this document about?",
        "Who signed the framework contract?",
        "Why do turkeys lose their feathers?",
        "Which breeds are there that can be left alone?",
        "And how do I delete my account for good?",
        "How many people work in the Lyon branch?",
        "How many departments are there?",
        "Who leads the IT team in Lyon?",
        "什么是败血症？",
        "加那利群岛属于哪个国家？",
        "租约对宠物有什么规定？",
        "怎样重置我的密码？",
        "这份文件讲了什么？",
        "其他部门的年假规定是什么？",
        "尤其是实习生的工资怎么算？",
        "员工应该怎样申请年假？",
        "路由器重启后它连不上网怎么办？",
        "谁签了框架合同？",
        "从机场到酒店有多远？",
    ],
)
def test_a_question_that_stands_alone_is_left_so(question: str) -> None:
    for before in ("热泵要多少钱？", "What does a heat pump cost?"):
        assert stand_alone(question, after(before)) == ""


@pytest.mark.parametrize("question", ["Is it treatable?", "why?", "那学生呢？", "它能用几年？"])
def test_without_a_conversation_nothing_is_leant_on(question: str) -> None:
    assert stand_alone(question, []) == ""


def test_the_subject_is_that_of_the_last_question_that_names_one() -> None:
    conversation = after("What is throat cancer?", "Is it treatable?", "Tell me about lung cancer.")
    assert stand_alone("What are its symptoms?", conversation) == "What are lung cancer's symptoms?"
    conversation = after("热泵要多少钱？", "它能用几年？", "什么是太阳能板？")
    assert stand_alone("它有什么缺点？", conversation) == "太阳能板有什么缺点？"


def test_a_subject_lasts_through_follow_ups() -> None:
    conversation = after("What is a 529 plan?", "How does it work?", "What are the main advantages?", "why?")
    assert "529 plan" in stand_alone("How long have they been around?", conversation)


def test_a_mere_part_of_the_subject_does_not_take_its_place() -> None:
    conversation = after("Tell me about Ann Arbor.", "Tell me about when the city was founded.")
    assert "Ann Arbor" in stand_alone("How big is it?", conversation)


def test_he_and_she_are_people() -> None:
    conversation = after("Where are turkeys from?", "Why did Ben Franklin like them?")
    assert "Ben Franklin" in stand_alone("When did he die?", conversation)


def test_what_comes_out_is_cut_to_a_question_and_to_one_line() -> None:
    assert len(stand_alone("why?", after("What does the lease say about pets? " * 11))) == 300
    assert "\n" not in stand_alone("And\nfor\nstudents?", after("How many\nvacation days are there?"))


@pytest.mark.parametrize(
    ("before", "question", "told"),
    [
        ("怎样添加我自己的文档？", "最多能上传多少？", "文档最多能上传多少？"),
        ("怎样添加我自己的文档？", "如何备份", "文档如何备份？"),
        ("如何查看更新日志？", "它有多长？", "更新日志有多长？"),
        ("我想取消订单", "它有什么限制？", "订单有什么限制？"),
        ("备份策略是什么？", "它有什么限制？", "备份策略有什么限制？"),
        ("设置页面在哪里？", "它有什么限制？", "设置页面有什么限制？"),
        ("如何备份", "最多多久？", ""),
        ("如何安装？", "它有什么限制？", ""),
    ],
)
def test_what_is_to_be_done_is_no_subject(before: str, question: str, told: str) -> None:
    assert stand_alone(question, after(before)) == told


def test_languages_may_change_within_a_conversation() -> None:
    assert "heat pump" in stand_alone("它能用几年？", after("What does a heat pump cost?"))
    assert "热泵" in stand_alone("Is it noisy?", after("热泵要多少钱？"))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_costs_no_more_than_a_few_friendly_ones(text: str) -> None:
    def took(question: str, conversation: list[Exchange]) -> float:
        began = time.process_time()
        for _ in range(20):
            stand_alone(question, conversation)
        return time.process_time() - began

    friendly = min(took(f"What does it cost in {n}?", after("What is a heat pump?")) for n in range(3))
    assert min(took(text, after(text + str(n))) for n in range(3)) < 200 * friendly + 0.05


@given(st.text(max_size=500), st.lists(st.text(max_size=200), max_size=5))
def test_what_comes_out_is_one_short_line_or_nothing(question: str, earlier: list[str]) -> None:
    told = stand_alone(question, after(*earlier))
    assert len(told) <= 300
    assert len(told.splitlines()) <= 1
