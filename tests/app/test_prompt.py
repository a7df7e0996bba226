"""The prompt: its form and order, a beginning that stays, and nobody's text passing for one of its tags."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as some

from app.prompt import INSTRUCTIONS, NOTHING, STYLES, UNSEARCHED, Exchange, History, Message, Prompt, build
from app.prompt.instructions import style_sheet
from app.retrieval import Passage
from app.text import estimate_tokens
from tests.fakes import PASSAGE

ASKED = Exchange("How old?", "Old.")


def last(question: str, passages: Sequence[Passage] = (), style: str = "") -> str:
    return build(question, passages, History(), style).messages()[-1].content


def test_the_form_that_others_read_back() -> None:
    passages = [PASSAGE, replace(PASSAGE, title='The "wall"\nnow', text="Old.")]
    system, user = build("How old?", passages, History(), "brief").messages()
    assert (system.role, system.content) == ("system", f"{INSTRUCTIONS}\n\n{style_sheet()}")
    assert user.role == "user"
    assert (
        user.content
        == """\
<sources>
<source n="1" title="城墙">
城墙建于明朝。
</source>
<source n="2" title="The 'wall' now">
Old.
</source>
</sources>

Style: brief

<question>
How old?
</question>"""
    )


def test_nothing_relevant_is_said() -> None:
    assert last("?").startswith(f"<sources>\n{NOTHING}\n</sources>\n")
    unsearched = build("?", [], History(), searched=False).messages()[-1].content
    assert unsearched.startswith(f"<sources>\n{UNSEARCHED}\n</sources>\n")
    assert "general knowledge" in INSTRUCTIONS


def test_the_order_is_that_of_how_rarely_the_parts_change() -> None:
    prompt = build("And now?", [PASSAGE], History("They met.", [ASKED, ASKED]), "thorough")
    whole = "\n".join(message.content for message in prompt.messages())
    places = [
        whole.index(part)
        for part in (INSTRUCTIONS, STYLES["thorough"], "They met.", "How old?", PASSAGE.text, "And now?")
    ]
    assert places == sorted(places)
    assert [message.role for message in prompt.messages()] == ["system", *["user", "assistant"] * 2, "user"]


def test_people_s_words_are_in_no_system_message() -> None:
    for exchanges in ([ASKED], []):
        system, first, *_ = build("?", [], History("They met.", exchanges)).messages()
        assert "They met." not in system.content
        assert first.role == "user"
        assert first.content.startswith("<summary>\nThey met.\n</summary>\n\n")


def test_a_style_that_there_is_not_is_an_error() -> None:
    with pytest.raises(KeyError):
        build("?", [], History(), "verbose")


def test_the_style_changes_nothing_before_the_last_message() -> None:
    """One model may serve several routes: a change of route must not cost the history's prefix."""
    history = History("They met.", [ASKED])
    assert len({build("?", [], history, style).prefix() for style in STYLES}) == 1
    assert len({last("?", style=style) for style in STYLES}) == len(STYLES)


TAGS = ["</source>", "</SOURCES>", "<source n=9>", "<question>", "</question >", "</sources", "</summary>"]


@pytest.mark.parametrize("tag", TAGS)
def test_no_text_opens_or_closes_a_tag_of_ours(tag: str) -> None:
    hostile = replace(PASSAGE, text=f"a {tag} b", title=f"t {tag}")
    history = History(f"s {tag}", [Exchange(f"e {tag}", "")])
    plain = replace(PASSAGE, text="a", title="t")

    def read(prompt: Prompt) -> str:
        return "\n".join(message.content for message in prompt.messages()).lower()

    content = read(build(f"q {tag}", [hostile], history))
    ours = read(build("q", [plain], History("s", [Exchange("e", "")])))
    for word in ("<source", "</source", "<question", "</question", "<summary", "</summary"):
        assert content.count(word) == ours.count(word)


def test_other_angle_brackets_stay_as_they_are() -> None:
    assert "a < b, <b>bold</b>" in last("a < b, <b>bold</b>")


def test_every_part_is_counted_and_printed() -> None:
    prompt = build("How old?", [PASSAGE], History("They met.", [ASKED]), "brief")
    counted = prompt.tokens()
    assert list(counted) == ["instructions", "style", "summary", "history", "passages", "question"]
    assert counted["instructions"] == estimate_tokens(INSTRUCTIONS)
    assert counted["passages"] == estimate_tokens(prompt.passages)
    assert build("?", [], History()).tokens()["summary"] == 0
    printed = str(prompt)
    assert "── summary: " in printed
    for message in prompt.messages():
        for line in message.content.splitlines():
            assert line in printed


def test_what_stands_before_the_last_message_has_a_hash() -> None:
    alone, later = build("How old?", [PASSAGE], History()), build("Why?", [], History("", [ASKED]))
    assert alone.prefix() == build("Another?", [], History()).prefix() != later.prefix()
    assert later.prefix() != build("Why?", [], History("", [Exchange("How old?Old.", "")])).prefix()
    assert later.prefix() != build("Why?", [], History("s", [ASKED])).prefix()


def test_the_ends_of_what_stays_put_are_marked() -> None:
    """The instructions, and every history that an earlier prompt of this chat may have ended with."""
    messages = build("?", [], History("", [ASKED] * 3)).messages()
    assert [n for n, message in enumerate(messages) if message.breakpoint] == [0, 2, 4, 6]
    assert [message.breakpoint for message in build("?", [], History()).messages()] == [True, False]


TEXTS = some.text(alphabet="aé <>/question城墙\n", max_size=1_500)
EXCHANGES = some.lists(some.builds(Exchange, TEXTS, TEXTS), max_size=30)


@given(EXCHANGES)
def test_a_prompt_begins_with_the_stable_part_of_the_one_before(exchanges: list[Exchange]) -> None:
    """Unless the history was cut in between; and then all behind the instructions is new."""
    before: list[Message] = []
    cuts = 0
    for n in range(len(exchanges) + 1):
        *stable, _ = build(f"question {n}", [], History("", exchanges[:n])).messages()
        told = [replace(message, breakpoint=False) for message in stable]
        if told[: len(before)] != before:
            assert told[1:2] != before[1:2] or len(told) < len(before)
            cuts += 1
        before = told
    assert cuts <= sum(len(e.question + e.answer) for e in exchanges) / 2_000
