"""The small model's rewriting of a follow-up: what it is asked, and what is made of its reply."""

import pytest

from app.errors import TurnError
from app.followups import ModelRewriter, RulesOnly, open_rewriter
from app.followups.rewriting import INSTRUCTIONS, SHOWN, prompt
from app.models import Chunk
from app.prompt import Exchange
from app.routing import Router
from app.settings import EXTRACT, MEASURING, Settings
from tests.fakes import FakeModel, raising

HISTORY = [Exchange(f"Question {n}?", f"Answer {n}.") for n in range(6)]
RULES = "How many vacation days do employees get, for students?"
ROUTER = Router(Settings(chat_model="large", chat_model_small="small"))


async def rewritten(*pieces: str, question: str = "And for students?", rules: str = RULES) -> str:
    model = FakeModel(chunks=[Chunk(piece) for piece in pieces])
    return await ModelRewriter(model, ROUTER).rewrite(question, HISTORY, rules)


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("How many vacation days do students get?", "How many vacation days do students get?"),
        ("  How many days do students get?\n", "How many days do students get?"),
        ('"How many days do students get?"', "How many days do students get?"),
        ("Rewritten question: How many days do students get?", "How many days do students get?"),
        ("Question: **How many days do students get?**", "How many days do students get?"),
        ("", RULES),
        ("  \n ", RULES),
        ("\0", RULES),
        ("Here it is:\nHow many days do students get?", RULES),
        ("word " * 80, RULES),
        ("word " * 10_000, RULES),
        ("I don't know. The sources do not say how many vacation days students get.", RULES),
        ("I cannot answer this question about students.", RULES),
        ("Sure! [1]", RULES),
        ("Paris is the capital of France.", RULES),
        ("那学生有几天年假？", RULES),
    ],
)
async def test_a_reply_is_taken_when_it_is_one_question(said: str, taken: str) -> None:
    assert await rewritten(said) == taken


@pytest.mark.parametrize(
    ("said", "taken"),
    [
        ("“学生有几天年假？”", "学生有几天年假？"),
        ("问题：学生有几天年假？", "学生有几天年假？"),
        ("年假几天？", "年假几天？"),
        ("我不知道。资料没有提到学生的年假。", "员工每年有几天年假，学生？"),
        ("巴黎是法国的首都。", "员工每年有几天年假，学生？"),
    ],
)
async def test_a_chinese_reply_too(said: str, taken: str) -> None:
    assert await rewritten(said, question="那学生呢？", rules="员工每年有几天年假，学生？") == taken


async def test_a_question_of_small_words_has_the_rules_words_to_share() -> None:
    told = await rewritten("Why do employees get so many?", question="why?", rules=RULES)
    assert told == "Why do employees get so many?"


async def test_a_reply_may_come_in_pieces() -> None:
    assert await rewritten("How many ", "days?", "") == "How many days?"


async def test_a_model_that_talks_on_is_not_heard_out() -> None:
    heard_out = raising(AssertionError("heard out"))
    model = FakeModel(chunks=[Chunk("word " * 50)] * 10, before={5: heard_out})
    assert await ModelRewriter(model, ROUTER).rewrite("why?", HISTORY, RULES) == RULES
    assert model.closed


async def test_a_failing_model_is_told_of() -> None:
    model = FakeModel(before={0: raising(TurnError("upstream_failed", "down"))})
    with pytest.raises(TurnError):
        await ModelRewriter(model, ROUTER).rewrite("why?", HISTORY, RULES)


def test_the_prompt_is_small_and_ends_with_the_question() -> None:
    told = prompt("那学生呢？" * 900, [Exchange("问" * 4_000, "答" * 4_000)] * 9)
    assert [message.role for message in told] == ["system", "user"]
    assert told[0].content == INSTRUCTIONS
    assert len(told[1].content) < 200 * 2 * SHOWN + 400
    last = prompt("And\nfor students?", HISTORY)[1].content
    assert last.endswith("A: Answer 5.\nLast question: And for students?")
    assert "Question 2?" not in prompt("why?", HISTORY)[1].content


@pytest.mark.parametrize(
    ("model", "kind"), [(EXTRACT, RulesOnly), (MEASURING, RulesOnly), ("some-model", ModelRewriter)]
)
async def test_only_a_language_model_that_can_be_trusted_is_asked(model: str, kind: type) -> None:
    rewriter = open_rewriter(Settings(chat_model=model), FakeModel(), ROUTER)
    assert isinstance(rewriter, kind)
    if kind is RulesOnly:
        assert await rewriter.rewrite("why?", HISTORY, RULES) == RULES
