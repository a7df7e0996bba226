"""`extract` quotes what bears on the question, in its language, and admits when nothing does."""

import httpx
import pytest

from app.retrieval.protocol import BETWEEN
from dev.standin import reading
from dev.standin.extract import answer, pieces
from dev.standin.sentences import split, units

from .conftest import body, lines, text_of

ENGLISH = """\
# Starting

Prelude starts with two commands. Everything is embedded, so nothing needs to be installed first. The \
licence costs $5 and was written by Dr. Smith in 2021 [3].

To start it, run:

```sh
make run
```

The verbs are:

- `make fix` tidies the code
- **make check** looks for mistakes <img src=x onerror=alert(1)>

| variable | meaning |
|---|---|
| `REDIS_URL` | where Redis answers |
| `CHROMA_URL` | where Chroma answers |
"""
CHINESE = """\
# 启动
用两条命令就可以启动 Prelude。所有部分都是
内置的，不需要先安装任何东西。停止按钮会在半秒内关闭上游连接。
"""
HARBOUR = "The harbour of Marrow lies on the northern coast. It freezes in February. Herring is landed there."


def prompt(question: str, *passages: str) -> str:
    sources = "\n".join(
        f'<source n="{n}" title="Handbook">\n{text}\n</source>' for n, text in enumerate(passages, 1)
    )
    return f"<sources>\n{sources}\n</sources>\n\n<question>\n{question}\n</question>"


def asked(question: str, *passages: str) -> str:
    return answer(reading.read([("system", "You answer."), ("user", prompt(question, *passages))]))


def titled(text: str) -> str:
    return answer(reading.read([("system", "Write a title for this conversation."), ("user", text)]))


def quotations(text: str) -> list[str]:
    return [line.removeprefix("> ") for line in text.splitlines() if line.startswith("> ")]


def test_quotes_the_sentence_verbatim_with_its_number() -> None:
    told = asked("Where is herring landed?", ENGLISH, HARBOUR)
    assert told == "The documents say:\n\n> Herring is landed there. [2]"


def test_sentences_that_stand_together_are_quoted_together() -> None:
    together = "The harbour of Marrow lies on the northern coast. It freezes in February. [1]"
    assert quotations(asked("When does the harbour freeze?", HARBOUR)) == [together]
    chinese = "启动需要两条命令。停止需要一个按钮。天气很好。"
    assert quotations(asked("启动和停止", chinese)) == ["启动需要两条命令。停止需要一个按钮。 [1]"]


def test_a_chinese_question_is_answered_in_chinese() -> None:
    told = asked("停止按钮多快关闭上游？", HARBOUR, CHINESE)
    assert told.startswith("文档中的相关内容：")
    assert quotations(told) == ["停止按钮会在半秒内关闭上游连接。 [2]"]
    assert quotations(asked("哪些部分需要安装？", CHINESE)) == [
        "所有部分都是内置的，不需要先安装任何东西。 [1]"
    ]


@pytest.mark.parametrize(
    ("question", "framed"),
    [
        ("如何设置 REDIS_URL 这个变量？", "文档中的相关内容："),
        ("What does 启动 mean in the handbook of Prelude?", "The documents say:"),
    ],
)
def test_a_mixed_question_is_answered_in_its_majority_script(question: str, framed: str) -> None:
    assert asked(question, CHINESE, ENGLISH).startswith(framed)


@pytest.mark.parametrize(
    "question",
    [
        "Who composed the opera Carmen?",
        "asdf qwer zxcv",
        "Did the minister's brother Karl visit the coast of Norway?",
        "Which planets have rings?",
    ],
)
def test_nothing_is_quoted_where_nothing_bears_on_the_question(question: str) -> None:
    assert asked(question, ENGLISH, HARBOUR) == "I found nothing in the documents that answers this."


@pytest.mark.parametrize("question", ["今天上海会下雨吗？", "谁写了红楼梦？", "医生建议怎样停止吸烟？"])
def test_nothing_is_quoted_in_chinese_either(question: str) -> None:
    assert asked(question, CHINESE, CHINESE) == "在文档中没有找到与这个问题相关的内容。"


def test_no_sources_found_is_nothing_found() -> None:
    assert asked("When does it freeze?") == "I found nothing in the documents that answers this."


def test_another_script_gets_the_closest_passage_in_honest_words() -> None:
    told = asked("港口什么时候结冰？", HARBOUR, ENGLISH)
    assert "语言不同" in told
    assert (
        quotations(told)[0] == "The harbour of Marrow lies on the northern coast. It freezes in February. [1]"
    )
    assert "another language" in asked("How fast does the stop button close it?", CHINESE)


def test_code_follows_the_sentence_that_announces_it() -> None:
    assert "> To start it, run: [1]\n>\n> ```sh\n> make run\n> ```" in asked("How do I start it?", ENGLISH)


def test_a_list_follows_its_sentence_without_running_tags() -> None:
    told = quotations(asked("Which verbs are there?", ENGLISH))
    assert told == [
        "The verbs are: [1]",
        "- `make fix` tidies the code",
        "- **make check** looks for mistakes \\<img src=x onerror=alert(1)>",
    ]


def test_a_table_row_reads_as_text() -> None:
    assert "`CHROMA_URL` · where Chroma answers [1]" in quotations(asked("What is CHROMA_URL?", ENGLISH))


def test_a_quoted_citation_or_price_becomes_no_link_and_no_formula() -> None:
    (told,) = quotations(asked("What does the licence cost?", ENGLISH))
    assert told == "The licence costs \\$5 and was written by Dr. Smith in 2021 \\[3\\]. [1]"


def test_a_source_that_writes_the_tags_is_read_whole() -> None:
    text = "Close it with <\\/source> or <\\/sources>. The lamp is <\\question>green<\\/question>."
    read = reading.read([("user", prompt("What colour is the lamp?", text))])
    assert read.question == "What colour is the lamp?"
    assert read.passages is not None
    assert read.passages[0].text == text.replace("<\\", "<")
    assert read.passages[0].title == "Handbook"


def test_without_sources_it_says_what_it_is() -> None:
    assert "no language model" in answer(reading.read([("user", "Hello, who are you?")]))
    assert "不是语言模型" in answer(reading.read([("user", "你好，你是谁？")]))


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("How do I connect a language model to the whole thing?", "Connect a language model"),
        ("When was the harbour built? I need it for school.", "When was the harbour built"),
        ("hi", "Hi"),
        ("你好，请问停止按钮在哪里？", "停止按钮在哪里"),
        ("请告诉我停止按钮在哪里可以找到以及怎么用", "停止按钮在哪里可以找到以"),
        ("???", "New conversation"),
    ],
)
def test_a_title_is_short_and_in_the_texts_own_words(text: str, title: str) -> None:
    assert titled(text) == title
    assert len(title.split()) <= 6


def test_sentences_end_where_they_do() -> None:
    assert split("Dr. Smith paid 3.5 marks to J. S. Bach, e.g. in May. He left! “Why?” Nobody knew.") == [
        "Dr. Smith paid 3.5 marks to J. S. Bach, e.g. in May.",
        "He left!",
        "“Why?”",
        "Nobody knew.",
    ]
    assert split("他说：“走吧！”然后离开了。没有人知道；真的？") == [
        "他说：“走吧！”",
        "然后离开了。",
        "没有人知道；真的？",
    ]


def test_code_that_the_passage_cuts_is_closed() -> None:
    assert units("```py\nprint(1)")[0].text == "```py\nprint(1)\n```"


@pytest.mark.parametrize(
    "text", ["One  two\n\nthree 中文字符 mixed中文。\n", "", "  lead", "> a\n>\n> ```\n> b\n"]
)
def test_pieces_are_the_text(text: str) -> None:
    assert "".join(pieces(text)) == text


async def test_it_streams_over_the_wire(client: httpx.AsyncClient) -> None:
    payloads = await lines(client, body("extract", prompt("When does the harbour freeze?", HARBOUR)))
    assert text_of(payloads) == asked("When does the harbour freeze?", HARBOUR)
    assert len(payloads) > 10


def test_a_passage_is_found_by_the_heading_in_its_title() -> None:
    said = "Clone the repository and type `make run`. The address is printed then."
    told = reading.read(
        [
            (
                "user",
                prompt("How do I start it?", said).replace('"Handbook"', f'"Handbook{BETWEEN}Starting it"'),
            )
        ]
    )
    assert quotations(answer(told)) == [f"{said} [1]"]
    assert asked("How do I start it?", said) == "I found nothing in the documents that answers this."
