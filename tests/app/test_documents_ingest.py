"""The library follows the files: idempotent, resumable, nothing stale, nothing lost. With fakes behind it."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from app.documents.ingest import Library, ingest
from app.documents.progress import Progress
from app.errors import TurnError
from app.retrieval import Passage
from app.retrieval.lexical import TantivyIndex
from tests.app.made import FakeEmbedder, FakeIndex, FakeLexical, FakeStore, library, pdf

LONG = "\n\n".join(f"# Part {n}\n\nPart {n} tells about the number {n}." for n in range(20))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "notes"
    (root / "deep" / "er").mkdir(parents=True)
    (root / "a.md").write_text("# A\n\nAlpha.", encoding="utf-8")
    (root / "deep" / "b.txt").write_text("Beta.", encoding="utf-8")
    (root / "deep" / "er" / "城墙.md").write_text("# 城墙\n\n建于明朝。", encoding="utf-8")
    return root


def texts(library: Library) -> list[str]:
    assert isinstance(library.index, FakeIndex)
    return library.index.texts


def worded(library: Library) -> list[str]:
    assert isinstance(library.lexical, FakeLexical)
    return sorted(passage.text for _, passage in library.lexical.stored.values())


def embedded(library: Library) -> list[str]:
    assert isinstance(library.embedder, FakeEmbedder)
    return library.embedder.embedded


async def test_a_folder_is_read_at_every_depth(folder: Path) -> None:
    lib = library()
    summary = await ingest(folder, lib)
    assert texts(lib) == ["Alpha.", "Beta.", "建于明朝。"]
    assert (len(summary.added), summary.embedded, summary.more) == (3, 3, False)


async def test_the_second_time_nothing_is_embedded(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    summary = await ingest(folder, lib)
    assert (len(summary.unchanged), summary.embedded, summary.added) == (3, 0, [])


async def test_a_changed_file_replaces_its_passages(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    (folder / "a.md").write_text("# A\n\nOmega.", encoding="utf-8")
    summary = await ingest(folder, lib)
    assert texts(lib) == ["Beta.", "Omega.", "建于明朝。"]
    assert summary.replaced == [(folder / "a.md").as_uri()]


async def test_what_is_no_longer_in_the_folder_leaves_nothing(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    (folder / "deep" / "b.txt").unlink()
    summary = await ingest(folder, lib)
    assert (texts(lib), len(summary.removed)) == (["Alpha.", "建于明朝。"], 1)


async def test_a_path_that_is_gone_is_removed_with_everything_below(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    (folder / "a.md").unlink()
    await ingest(folder / "a.md", lib)
    assert texts(lib) == ["Beta.", "建于明朝。"]
    (folder / "deep").rename(folder.parent / "elsewhere")
    await ingest(folder / "deep", lib)
    assert texts(lib) == []


async def test_a_neighbour_with_a_longer_name_is_left_alone(folder: Path) -> None:
    lib = library()
    neighbour = folder.with_name("notes-2")
    neighbour.mkdir()
    (neighbour / "c.txt").write_text("Gamma.")
    await ingest(neighbour, lib)
    await ingest(folder, lib)
    assert "Gamma." in texts(lib)


async def test_an_interrupted_ingestion_embeds_only_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text(LONG)
    lib = replace(library(), embedder=FakeEmbedder(fails_after=8))
    with pytest.raises(TurnError):
        await ingest(tmp_path, lib)
    kept = embedded(lib)
    assert kept
    again = replace(lib, embedder=FakeEmbedder())
    summary = await ingest(tmp_path, again)
    assert len(texts(again)) == 20
    assert not set(kept) & set(embedded(again))
    assert len(summary.added) == 1


async def test_an_interrupted_file_that_is_deleted_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text(LONG)
    lib = replace(library(), embedder=FakeEmbedder(fails_after=8))
    with pytest.raises(TurnError):
        await ingest(tmp_path, lib)
    (tmp_path / "long.md").unlink()
    await ingest(tmp_path, lib)
    assert texts(lib) == []


async def test_a_budget_ends_a_call_and_the_next_goes_on(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text(LONG)
    lib, calls, more = library(), 0, True
    while more:
        more = (await ingest(tmp_path / "long.md", lib, budget_s=0)).more
        calls += 1
    assert calls > 3
    assert len(embedded(lib)) == len(set(embedded(lib))) == len(texts(lib)) == 20


async def test_an_index_that_lost_its_passages_is_filled_again(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    fresh = replace(lib, index=FakeIndex())
    await ingest(folder, fresh)
    assert len(texts(fresh)) == 3


async def test_another_embedder_embeds_anew(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    other = replace(lib, embedder=FakeEmbedder("other"), index=FakeIndex())
    assert (await ingest(folder, other)).embedded == 3


async def test_headings_are_embedded_with_a_passage_but_file_names_are_not(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    assert sorted(embedded(lib)) == ["A\nAlpha.", "Beta.", "城墙\n建于明朝。"]


async def test_a_passage_says_where_it_lies(tmp_path: Path) -> None:
    text = "# Handbook\n\nIntro.\n\n## Starting it\n\nType make run."
    (tmp_path / "h.md").write_text(text)
    lib = library()
    await ingest(tmp_path, lib)
    assert isinstance(lib.index, FakeIndex)
    passage = next(p for _, p in lib.index.stored.values() if p.text == "Type make run.")
    assert passage.title == "Handbook › Starting it"
    assert passage.uri == (tmp_path / "h.md").as_uri()
    assert text[passage.start : passage.end] == passage.text


async def test_bad_files_are_named_and_the_rest_goes_on(folder: Path) -> None:
    (folder / "empty.txt").touch()
    (folder / "scan.pdf").write_bytes(pdf([]))
    (folder / "lost.md").symlink_to(folder / "nowhere.md")
    lib = library()
    summary = await ingest(folder, lib)
    assert {r.path.name: r.reason.split()[1] for r in summary.refused} == {
        "empty.txt": "empty", "scan.pdf": "a", "lost.md": "a"}
    assert len(texts(lib)) == 3


async def test_a_file_too_large_is_refused_before_it_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.documents.files.LARGEST", 10)
    summary = await ingest(folder / "a.md", library())
    assert "too large" in summary.refused[0].reason


async def test_a_document_that_became_unreadable_leaves_no_stale_passage(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    (folder / "a.md").write_text("")
    summary = await ingest(folder, lib)
    assert (texts(lib), len(summary.refused)) == (["Beta.", "建于明朝。"], 1)


async def test_hidden_and_unknown_files_are_counted_and_loops_end(folder: Path) -> None:
    (folder / ".hidden.md").write_text("x")
    (folder / "~$lock.docx").write_text("x")
    (folder / "picture.png").write_bytes(b"x")
    (folder / ".git").mkdir()
    (folder / ".git" / "x.md").write_text("x")
    (folder / "deep" / "loop").symlink_to(folder)
    summary = await ingest(folder, library())
    assert (len(summary.added), summary.skipped) == (3, 3)


async def test_owners_do_not_touch_one_another(folder: Path) -> None:
    store, index = FakeStore(), FakeIndex()
    mine = Library("me", store, index, FakeLexical(), FakeEmbedder())
    yours = Library("you", store, index, FakeLexical(), FakeEmbedder())
    await ingest(folder, mine)
    await ingest(folder, yours)
    assert len(index.stored) == 6
    (folder / "a.md").unlink()
    await ingest(folder, mine)
    assert len(await store.under("you", "")) == 3
    assert len(index.stored) == 5


async def test_progress_ends_where_it_said_it_would(folder: Path) -> None:
    (folder / "long.md").write_text(LONG)
    seen: list[Progress] = []
    await ingest(folder, library(), report=seen.append)
    last = seen[-1]
    assert (last.files_done, last.files_total, last.passages_done, last.passages_total) == (4, 4, 23, 23)
    assert last.seconds_left == 0
    done = [progress.passages_done for progress in seen]
    assert done == sorted(done)


@pytest.mark.skipif(os.getuid() == 0, reason="root may list every folder")
async def test_a_folder_that_cannot_be_listed_keeps_its_documents(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    (folder / "deep").chmod(0)
    try:
        summary = await ingest(folder, lib)
    finally:
        (folder / "deep").chmod(0o755)
    assert (summary.removed, len(summary.refused), len(texts(lib))) == ([], 1, 3)


async def test_both_indexes_follow_the_files(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    assert worded(lib) == texts(lib)
    (folder / "a.md").write_text("# A\n\nOmega.", encoding="utf-8")
    (folder / "deep" / "b.txt").unlink()
    await ingest(folder, lib)
    assert worded(lib) == texts(lib) == ["Omega.", "建于明朝。"]


async def test_what_was_ingested_before_there_were_words_gets_them(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    without = replace(lib, lexical=FakeLexical())
    summary = await ingest(folder / "a.md", without)
    assert (worded(without), summary.embedded) == (texts(lib), 0)


async def test_an_end_between_the_two_indexes_heals(tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text(LONG)
    lib = replace(library(), lexical=FakeLexical(fails_after=8))
    with pytest.raises(TurnError):
        await ingest(tmp_path, lib)
    assert len(worded(lib)) < len(texts(lib))
    assert isinstance(lib.lexical, FakeLexical)
    lib.lexical.fails_after = None
    await ingest(tmp_path, lib)
    assert worded(lib) == texts(lib)
    assert len(texts(lib)) == 20


@pytest.mark.parametrize("damage", [
    lambda folder: (folder / "meta.json").write_text(""),
    lambda folder: (folder / "meta.json").write_text("garbage"),
    lambda folder: next(folder.glob("*.store")).unlink(),
])  # fmt: skip
@pytest.mark.parametrize("added", [True, False])
async def test_a_damaged_index_of_words_is_made_anew(
    folder: Path, tmp_path: Path, damage: Callable[[Path], object], added: bool
) -> None:
    lib = replace(library(), lexical=TantivyIndex(tmp_path / "lexical"))
    await ingest(folder, lib)
    damage(tmp_path / "lexical")
    if added:
        (folder / "late.md").write_text("Gamma.")
    assert len((await ingest(folder, lib)).added) == added
    assert await lib.lexical.ids() == await lib.index.ids()
    assert len(texts(lib)) == 3 + added


async def test_a_damaged_index_of_nothing_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "lexical").mkdir()
    (tmp_path / "lexical" / "meta.json").touch()
    (tmp_path / "empty").mkdir()
    lib = replace(library(), lexical=TantivyIndex(tmp_path / "lexical"))
    await ingest(tmp_path / "empty", lib)
    assert await lib.lexical.count() == 0


async def test_an_index_of_words_that_cannot_be_used_is_told(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(TurnError, match=r"^The lexical index cannot be used\.$"):
        await ingest(folder, replace(library(), lexical=TantivyIndex(tmp_path / "file" / "lexical")))


async def test_words_of_passages_that_are_gone_go(folder: Path) -> None:
    lib = library()
    await ingest(folder, lib)
    await lib.lexical.add("gone", [Passage("gone", "Gone.", "", "file:///gone.md", None, 0, 5)])
    await ingest(folder, lib)
    assert worded(lib) == texts(lib)
    assert len(texts(lib)) == 3


async def test_healing_keeps_to_the_budget_and_goes_on(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.documents.healing.PAGE", 1)
    lib = library()
    await ingest(folder, lib)
    without, seen = replace(lib, lexical=FakeLexical()), list[Progress]()
    first = await ingest(folder, without, budget_s=0, report=seen.append)
    assert (first.more, len(worded(without))) == (True, 1)
    assert (seen[0].passages_done, seen[0].passages_total) == (0, 3)
    while (await ingest(folder, without, budget_s=0)).more:
        pass
    assert worded(without) == texts(lib)
