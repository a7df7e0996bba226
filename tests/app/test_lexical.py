"""The index by words, on the real engine: what it finds, who may write, and how it lives through trouble."""

import asyncio
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from app.errors import TurnError
from app.retrieval import VERSION, Passage, forget_earlier, open_lexical
from app.retrieval.damage import clear
from app.retrieval.lexical import TantivyIndex
from app.retrieval.words import asked, phrases, words
from app.settings import Settings
from tests.app.made import FakeIndex

ROOT = Path(__file__).parents[2]
WRITE = """
import asyncio, sys
from pathlib import Path
from app.retrieval import Passage
from app.retrieval.lexical import TantivyIndex
passage = Passage("late", "The ferry leaves at noon. 渡轮中午开。", "Ferries", "file:///f.md", None, 0, 9)
asyncio.run(TantivyIndex(Path(sys.argv[1])).add("f", [passage]))
"""
REFUSED = """
import asyncio, os, sys
from pathlib import Path
from app.errors import TurnError
from app.retrieval import Passage
from app.retrieval.lexical import TantivyIndex
async def add():
    await asyncio.to_thread(int)  # imports what only root may
    if os.getuid() == 0:  # who may read everything
        os.setgroups([])
        os.setgid(65_534)
        os.setuid(65_534)
    await TantivyIndex(Path(sys.argv[1])).add("f", [Passage("a", "b", "", "", None, 0, 1)])
try:
    asyncio.run(add())
except TurnError as error:
    print(error.message)
"""
HOLD = """
import sys, tantivy
from app.retrieval.lexical import HEAP
writer = tantivy.Index.open(sys.argv[1]).writer(HEAP, num_threads=1)
print("held", flush=True)
sys.stdin.read()
"""
TEXTS = {
    "errors": "ERR_CONN-504 is logged when an upstream gives no answer.",
    "release": "Harbour v2.3.1 repairs exports. It costs 1,000 euros and came on 2026-04-17.",
    "other": "Harbour v2.3.10 repairs imports.",
    "code": "Call open_session() or sendParcel() first; the part is A-1023.",
    "wall": "城墙建于明朝，高十二米。",
    "wide": "臺灣的圖書館收藏了許多古書。",
    "made": "A PDF is made by the printer.",
    "plain": "The runners were running along the café at 3.14 km.",
}


DAMAGES: list[Callable[[Path], object]] = [
    lambda folder: (folder / "meta.json").write_text(""),
    lambda folder: (folder / "meta.json").write_text("garbage"),
    lambda folder: [path.write_bytes(b"") for path in folder.glob("*.store")],
    lambda folder: next(folder.glob("*.store")).unlink(),
]


def passage(id: str, text: str, title: str = "") -> Passage:
    return Passage(id, text, title, f"file:///{id}.md", 3, 0, len(text))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "lexical" / "shared.1"


@pytest.fixture
def public() -> Iterator[Path]:
    """Where another user may look; pytest's own folders are closed."""
    with tempfile.TemporaryDirectory() as above:
        Path(above).chmod(0o755)
        yield Path(above, "shared.1")


@pytest.fixture
async def index(folder: Path) -> TantivyIndex:
    made = TantivyIndex(folder)
    await made.add("d", [passage(id, text) for id, text in TEXTS.items()])
    return made


async def found(index: TantivyIndex, question: str) -> list[str]:
    return [each.id for each in await index.search(question, 10)]


@pytest.mark.parametrize(("question", "first"), [
    ("What is ERR_CONN-504?", "errors"),
    ("err_conn 504", "errors"),
    ("errconn504", "errors"),
    ("what does CONN mean", "errors"),
    ("v2.3.1", "release"),
    ("What is new in 2.3.10?", "other"),
    ("who paid 1000?", "release"),
    ("2026-04-17", "release"),
    ("open_session", "code"),
    ("how do I call sendParcel()?", "code"),
    ("send a parcel", "code"),
    ("A1023", "code"),
    ("城墙", "wall"),
    ("明朝的什么建筑？", "wall"),
    ("台湾有图书馆吗", "wide"),
    ("城牆多高", "wall"),
    ("who runs", "plain"),
    ("CAFE", "plain"),
    ("３．１４", "plain"),
    ("who makes PDFs", "made"),
    ('"along the café"', "plain"),
])  # fmt: skip
async def test_words_find_their_passage(index: TantivyIndex, question: str, first: str) -> None:
    assert (await found(index, question))[:1] == [first]


async def test_a_hit_is_the_whole_passage_with_its_share(index: TantivyIndex) -> None:
    stored = Passage("x", "Zebra 斑马", "Animals › Stripes", "file:///z.md", 7, 3, 11)
    await index.add("z", [stored])
    (hit,) = await index.search("zebra", 3)
    assert 0 < hit.score <= 1
    assert (hit.id, hit.text, hit.title, hit.uri, hit.page, hit.start, hit.end) == (
        "x", "Zebra 斑马", "Animals › Stripes", "file:///z.md", 7, 3, 11)  # fmt: skip
    half = (await index.search("zebra unicorns", 3))[0].score
    assert half < hit.score


async def test_headings_count_as_words(index: TantivyIndex) -> None:
    await index.add("h", [passage("headed", "Wait a minute.", "Handbook › Thermostat")])
    assert await found(index, "thermostat") == ["headed"]


@pytest.mark.parametrize("question", [
    "", " ", "?", "the of and", "的了吗", "\0", "\ud800 \udfff", "😀🎉", "a" * 8_000, "城墙" * 4_000,
    "words: AND OR NOT +a -b ~2 ^3 (", '")(*[]{}\\/:!&|', 'text:"城墙" OR id:*', "v" * 300 + "-1" * 300,
    "“”「」",
])  # fmt: skip
async def test_hostile_questions_are_questions(index: TantivyIndex, question: str) -> None:
    for hit in await index.search(question, 5):
        assert 0 <= hit.score <= 1


async def test_hostile_passages_are_kept(index: TantivyIndex) -> None:
    await index.add("e", [passage("bad", "zebra \ud800 \0 😀")])
    assert await found(index, "zebra") == ["bad"]


async def test_documents_are_replaced_and_removed(index: TantivyIndex) -> None:
    await index.add("e", [passage("one", "giraffe"), passage("two", "giraffe")])
    await index.add("e", [passage("one", "zebra"), passage("three", "zebra")])
    assert await found(index, "giraffe") == ["two"]
    await index.remove("e", keep=["one"])
    assert (await found(index, "giraffe zebra"), await index.count()) == (["one"], len(TEXTS) + 1)
    await index.remove("e")
    await index.remove("never there")
    assert (await index.ids(), await found(index, "zebra")) == (set(TEXTS), [])


async def test_what_is_not_there_finds_nothing(folder: Path) -> None:
    index = TantivyIndex(folder)
    await index.warm()
    assert (await index.search("城墙", 5), await index.count(), await index.ids()) == ((), 0, set())


async def test_owners_and_strange_names_stay_apart(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    owners = ["shared", "../shared", "SHARED", "城"]
    for owner in owners:
        await open_lexical(settings, owner).add("d", [passage(f"of {owner}", "zebra")])
    for owner in owners:
        assert await found(open_lexical(settings, owner), "zebra") == [f"of {owner}"]
    assert folders_under(tmp_path) == folders_under(tmp_path / "lexical")  # whatever an owner is called


async def test_another_process_writes_and_a_reader_sees_it(index: TantivyIndex, folder: Path) -> None:
    assert await found(index, "渡轮") == []
    await process(WRITE, folder)
    assert await found(index, "渡轮") == ["late"]


async def test_a_writer_waits_for_another_process(index: TantivyIndex, folder: Path) -> None:
    holder = await hold(folder)
    adding = asyncio.create_task(index.add("e", [passage("one", "giraffe")]))
    done, _ = await asyncio.wait([adding], timeout=0.3)
    assert not done
    assert await found(index, "城墙") == ["wall"]  # readers do not wait
    holder.kill()  # as a crash would: nothing is left locked
    await holder.wait()
    await adding
    assert await found(index, "giraffe") == ["one"]


async def test_a_writer_gives_up_in_a_sentence(
    index: TantivyIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.retrieval.lexical.PATIENCE", 0.2)
    holder = await hold(folder)
    with pytest.raises(TurnError, match="has been held by another writer"):
        await index.remove("d")
    holder.kill()
    await holder.wait()


async def test_writers_of_one_process_take_turns(index: TantivyIndex) -> None:
    await asyncio.gather(*(index.add(f"d{n}", [passage(f"n{n}", "zebra")]) for n in range(8)))
    assert await index.count() == len(TEXTS) + 8


async def test_a_lost_folder_comes_back(index: TantivyIndex, folder: Path) -> None:
    shutil.rmtree(folder)
    assert await found(index, "城墙") == []
    await index.add("d", [passage("again", TEXTS["wall"])])
    assert await found(index, "城墙") == ["again"]


@pytest.mark.parametrize("damage", DAMAGES)
async def test_a_damaged_index_is_one_sentence_and_is_made_anew(
    index: TantivyIndex, folder: Path, damage: Callable[[Path], object]
) -> None:
    damage(folder)
    with pytest.raises(TurnError) as caught:
        await TantivyIndex(folder).search("城墙", 5)
    assert caught.value.message == "The lexical index is damaged."
    await index.add("d", [passage("again", TEXTS["wall"])])
    assert await found(index, "城墙") == ["again"]


async def test_writers_that_find_the_same_damage_clear_it_once(index: TantivyIndex, folder: Path) -> None:
    DAMAGES[0](folder)
    await asyncio.gather(
        *(TantivyIndex(folder).add(f"d{n}", [passage(f"n{n}", "zebra")]) for n in range(6))
    )
    assert await index.ids() == {f"n{n}" for n in range(6)}


async def test_damage_waits_for_whoever_writes(
    index: TantivyIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.retrieval.lexical.PATIENCE", 0.2)
    holder = await hold(folder)
    DAMAGES[0](folder)
    with pytest.raises(TurnError, match="has been held by another writer"):
        await index.add("e", [passage("one", "giraffe")])
    assert any(name.endswith(".store") for name in names_in(folder))
    holder.kill()
    await holder.wait()


async def test_what_may_not_be_read_is_left_alone(public: Path) -> None:
    index = TantivyIndex(public)
    await index.add("d", [passage(id, text) for id, text in TEXTS.items()])
    (public / "meta.json").chmod(0)
    before = names_in(public)
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", REFUSED, str(public), cwd=ROOT, stdout=subprocess.PIPE
    )
    told = (await child.communicate())[0].decode().strip()
    assert told == "The lexical index may not be read or not be written by this user."
    assert names_in(public) == before
    (public / "meta.json").chmod(0o600)
    assert await index.count() == len(TEXTS)


@pytest.mark.parametrize("says", ["", "IoError { Os { code: 13, kind: PermissionDenied } }"])
async def test_what_was_made_good_meanwhile_is_not_cleared(
    index: TantivyIndex, folder: Path, says: str
) -> None:
    def probe() -> None:
        if says:
            raise ValueError(says)

    with pytest.raises(ValueError, match="PermissionDenied") if says else nullcontext():
        clear(folder, probe)
    assert await index.count() == len(TEXTS)


async def test_what_the_system_refuses_is_no_damage(index: TantivyIndex, folder: Path) -> None:
    kept = (folder / "meta.json").rename(folder.parent / "kept")
    (folder / "meta.json").mkdir()
    with pytest.raises(TurnError, match="cannot be used"):
        await index.add("e", [passage("one", "giraffe")])
    (folder / "meta.json").rmdir()
    kept.rename(folder / "meta.json")
    assert await index.count() == len(TEXTS)


async def test_readers_are_not_told_where_it_lies(
    index: TantivyIndex, folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    DAMAGES[1](folder)
    for call in (index.search("zebra", 1), index.count(), index.ids()):
        with pytest.raises(TurnError) as caught:
            await call
        assert "/" not in caught.value.message
    assert str(folder) in caplog.text


async def test_earlier_versions_go_and_nothing_else_does(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    await open_lexical(settings).add("d", [passage("a", "b")])
    own = tmp_path / "lexical" / f"shared.{VERSION}"
    others = {own.with_name(name) for name in (f"shared.{VERSION + 1}", "shared-too.0", "shared.x")}
    earlier = own.with_name(f"shared.{VERSION - 1}")
    for folder in (*others, earlier):
        folder.mkdir()
    forget_earlier(settings)
    assert set(own.parent.iterdir()) == {own, *others}


async def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "lexical").touch()
    with pytest.raises(TurnError, match="cannot be used"):
        await TantivyIndex(tmp_path / "lexical" / "shared").add("d", [passage("a", "b")])


async def test_mending_makes_it_what_the_index_says(index: TantivyIndex) -> None:
    truth = FakeIndex()
    await truth.add("d", [passage("wall", "tower"), passage("new", "zebra")], [[1.0], [1.0]])
    await index.mend(["wall", "new", "plain", "never"], truth)
    assert await index.ids() == set(TEXTS) - {"plain"} | {"new"}
    assert (await found(index, "tower zebra"), await found(index, "明朝")) == (["wall", "new"], [])


async def test_a_mending_that_fails_gives_the_lock_back(
    index: TantivyIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.retrieval.lexical.PATIENCE", 0.2)

    class Gone(FakeIndex):
        async def passages(self, ids: object) -> list[tuple[str, Passage]]:
            raise TurnError("retrieval_failed", "Gone.")

    with pytest.raises(TurnError, match=r"Gone\.") as caught:
        await index.mend(["wall"], Gone())
    assert caught.traceback  # which holds on to everything that was there
    await index.add("e", [passage("one", "giraffe")])
    assert await index.count() == len(TEXTS) + 1


@pytest.mark.parametrize(("question", "names", "others"), [
    ("错误码 E-4012 是什么意思", {"e4012"}, {"错误", "误码", "e", "4012"}),
    ("what does foo_bar() return?", {"foobar"}, {"foo", "bar", "return"}),
    ("Who is Maria Keller?", set(), {"maria", "keller"}),
])  # fmt: skip
def test_a_question_is_its_words_and_names(question: str, names: set[str], others: set[str]) -> None:
    said = asked(question)
    assert {word for word, is_name in said.items() if is_name} == names
    assert {word for word, is_name in said.items() if not is_name} == others


@pytest.mark.parametrize(("one", "other"), [
    ("PDFs", "PDF"), ("many PDFs here", "many PDF here"), ("读取PDFs的", "读取PDF的"), ("APIs2", "APIs2"),
])  # fmt: skip
def test_acronyms_have_a_plural(one: str, other: str) -> None:
    assert words(one) == words(other)
    assert asked(one) == asked(other)


def test_other_capitals_have_none() -> None:
    assert words("HTMLsx USs. DNS OS") == [*words("HTMLsx"), "us", "dns", "os"]


def test_a_document_keeps_every_word() -> None:
    assert words("The wall 城墙") == ["the", "wall", "城", "城墙", "墙"]
    assert phrases("“open the door” or 「城墙」") == [["open", "the", "door"], ["城", "城墙", "墙"]]


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def folders_under(folder: Path) -> set[Path]:
    return {path.parent for path in folder.rglob("meta.json")}


async def process(code: str, folder: Path) -> None:
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(folder), cwd=ROOT)
    assert await child.wait() == 0


async def hold(folder: Path) -> asyncio.subprocess.Process:
    """Another process that has the writer's lock until it is killed."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLD, str(folder), cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert child.stdout
    assert await child.stdout.readline() == b"held\n"
    return child
