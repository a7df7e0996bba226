"""The scenarios' file: what ships is right, and a wrong one says in one line what is wrong, and where."""

from pathlib import Path

import pytest

from e2e.latency.scenario import BadFile, load

GOOD = """
[stages]
embed = 80
[scenarios.quick]
about = "A quick one"
upstream = "sim-ttft200"
budgets = { ttft_p95 = 500 }
"""


def test_what_ships_can_be_meant_and_covers_the_ways_to_wait() -> None:
    scenarios, stages = load()
    assert {"pleasant", "slow-prefill", "stalls", "long-answer", "follow-ups", "many"} <= set(scenarios)
    assert {scenario.door for scenario in scenarios.values()} == {"browser", "http"}
    assert all(scenario.budgets for scenario in scenarios.values())
    assert {"send", "queue", "embed", "dense", "prefill", "gap", "deliver", "loop", "calls"} <= {
        budget.measure for budget in stages
    }


def test_a_forks_own_file(tmp_path: Path) -> None:
    scenarios, stages = load(written(tmp_path, GOOD))
    assert scenarios["quick"].upstream == "sim-ttft200"
    assert [(one.name, one.limit) for one in stages] == [("embed_p50", 80.0)]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("ttft_p95", "ttff_p95", ("scenarios.quick", "'ttff_p95'", "such as ttft_p95")),
        ("= 500", '= "soon"', ("scenarios.quick", "ttft_p95 is 'soon'", "milliseconds")),
        ("= 500", "= -5", ("scenarios.quick", "ttft_p95 is -5", "milliseconds")),
        ("sim-ttft200", "gpt-5", ("scenarios.quick", "'gpt-5'", "sim[-part]")),
        ("sim-ttft200", "sim-ttfx200", ("scenarios.quick", "'ttfx200'", "ttftMS")),
        ("embed = 80", "embd = 80", ("stages: 'embd_p50'", "embed")),
        ('about = "A quick one"', "", ("scenarios.quick", "about")),
        ("[stages]\nembed = 80", "", ("stages",)),
        ("upstream =", "turns = 1\nupstream =", ("scenarios.quick", ">= 3", "turns")),
        ("upstream =", "rate = 0\nupstream =", ("> 0", "rate")),
        ("upstream =", 'door = "ftp"\nupstream =', ("'ftp'", "door")),
        ("upstream =", 'corpus = "no-folder"\nupstream =', ("'no-folder'", "'handbook' or a folder")),
        ("upstream =", "tunrs = 5\nupstream =", ("scenarios.quick", "tunrs")),
        ("[stages]", "[stages", ("line 2",)),
        ("A quick one", "A \x00 one", ("line 5",)),
    ],
)
def test_a_wrong_file_says_in_one_line_what_is_wrong(
    tmp_path: Path, old: str, new: str, said: tuple[str, ...]
) -> None:
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(BadFile) as error:
        load(path)
    line = str(error.value)
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    assert line.endswith(".")
    assert not line.endswith("..")
    for part in said:
        assert part in line


def test_a_file_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"cannot be read: No such file"):
        load(tmp_path / "none.toml")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(GOOD.replace("A quick one", "Zügig").encode("latin-1"))
    with pytest.raises(BadFile, match=r"latin\.toml: .*utf-8"):
        load(latin)


def written(folder: Path, text: str) -> Path:
    path = folder / "scenarios.toml"
    path.write_text(text, encoding="utf-8")
    return path
