"""Latency scenarios as model names: `sim` and parts in any order, joined by `-`: `sim-ttft200-itl20-n80`.

Times are milliseconds from the request's arrival on one absolute schedule; chunks count from 1 and hold one
token each. `AT` names a chunk, and a part that has one may be given again for another.

| part | meaning | without it |
|---|---|---|
| `ttftMS` | wait before the first token | 0 |
| `itlMS` | time between tokens | 0 |
| `nTOKENS` | length of the answer | 80; `mdlong` 2,000; `md` its own |
| `preMS` | prefill for each prompt token that is not cached, added to the wait | 0 |
| `quadMS` | prefill for each squared prompt token, less that of the cached ones | 0 |
| `cacheany` `cachenone` | any shared prefix is cached; none is | OpenAI's: from 1,024 in steps of 128 |
| `cacheexplicit` | GPT-5.6's rule: cached up to a breakpoint that an earlier prompt marked too | |
| `early` | headers and the role chunk go out at once, not with the first token | |
| `emptyN` | N empty content chunks after the role chunk; implies `early` | 0 |
| `burstK` | K tokens in one write | 1 |
| `jitterMS` | up to MS later a token, by a fixed seed | 0 |
| `seedN` | another such series | 0 |
| `stallAT-MS` | a pause before chunk AT; everything later shifts | |
| `gateAT` `gates` | holds before chunk AT, or before each, until `POST /gates/{id}` opens it | |
| `cutAT` | the connection closes after chunk AT, without an end; 0 is after the headers | |
| `resetAT` | the same by a TCP reset | |
| `hangAT` | nothing comes after chunk AT; 0 is not even a header (but for `early`) | |
| `malformedAT` `malformed` | after chunk AT, or 1, comes a line of broken JSON; the stream goes on | |
| `splitbytes` | a write ends between the bytes of every character that has more than one | |
| `statusCODE` | answers with this error, e.g. 429 or 500, after the wait | |
| `statusCODExN` | does so N times for a prompt, then succeeds | |
| `retryafterS` | adds `Retry-After` to the error | |
| `refuseFIELD` | answers 400 to a body that has this field, and names it, e.g. `refuseprediction` | |
| `strict` `vague` | answers 422 to any optional field, and names all; 400, and names none | |
| `effortsVALUES` | takes only these efforts of reasoning, e.g. `effortslow.high` | all |
| `en` `zh` `md` `mdlong` | English, Chinese, a rich markdown document, that document to any length | `en` |
| `pass` `passzh` `short` `shortzh` | no answer: says that it does not know; is one word | |
| `tagNAME` | nothing: sets one test's model apart from another's | |

This module knows names and texts, not sockets or clocks.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from dev.standin import content

Cache = Literal["openai", "explicit", "any", "none"]


class UnknownPart(ValueError):
    """One sentence that names the part and the grammar."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A model name taken apart; the table above gives each field's meaning."""

    kind: str = "en"
    tokens: int | None = None
    ttft: float = 0.0
    itl: float = 0.0
    pre: float = 0.0
    quad: float = 0.0
    cache: Cache = "openai"
    early: bool = False
    empty: int = 0
    burst: int = 1
    jitter: float = 0.0
    seed: int = 0
    stalls: Mapping[int, float] = field(default_factory=dict)
    gates: frozenset[int] = frozenset()
    gated: bool = False
    cut: int | None = None
    reset: int | None = None
    hang: int | None = None
    malformed: int | None = None
    split: bool = False
    status: int | None = None
    times: int | None = None
    retry_after: float | None = None
    refused: frozenset[str] = frozenset()
    strict: bool = False
    vague: bool = False
    efforts: tuple[str, ...] = ()
    tag: str = ""

    def prefill(self, prompt: int, cached: int) -> float:
        """Milliseconds before the first token for a prompt of so many tokens."""
        return self.ttft + self.pre * (prompt - cached) + self.quad * (prompt**2 - cached**2)


_N, _MS = r"(\d+)", r"(\d+(?:\.\d+)?)"
_Read = Callable[["re.Match[str]"], dict[str, Any]]


def _int(name: str) -> _Read:
    return lambda found: {name: int(found[1])}


def _float(name: str) -> _Read:
    return lambda found: {name: float(found[1])}


def _is(name: str, value: Any) -> _Read:
    return lambda found: {name: value}


# A part's pattern and what it sets; a mapping or a set adds to what an earlier part gave.
_PARTS: dict[str, tuple[str, _Read]] = {
    "ttftMS": (f"ttft{_MS}", _float("ttft")),
    "itlMS": (f"itl{_MS}", _float("itl")),
    "nTOKENS": (f"n{_N}", _int("tokens")),
    "preMS": (f"pre{_MS}", _float("pre")),
    "quadMS": (f"quad{_MS}", _float("quad")),
    "cacheany": ("cacheany", _is("cache", "any")),
    "cachenone": ("cachenone", _is("cache", "none")),
    "cacheexplicit": ("cacheexplicit", _is("cache", "explicit")),
    "early": ("early", _is("early", True)),
    "emptyN": (f"empty{_N}", lambda found: {"empty": int(found[1]), "early": True}),
    "burstK": ("burst([1-9]\\d*)", _int("burst")),
    "jitterMS": (f"jitter{_MS}", _float("jitter")),
    "seedN": (f"seed{_N}", _int("seed")),
    "stallAT-MS": (f"stall{_N}-{_MS}", lambda found: {"stalls": {int(found[1]): float(found[2])}}),
    "gateAT": (f"gate{_N}", lambda found: {"gates": frozenset([int(found[1])])}),
    "gates": ("gates", _is("gated", True)),
    "cutAT": (f"cut{_N}", _int("cut")),
    "resetAT": (f"reset{_N}", _int("reset")),
    "hangAT": (f"hang{_N}", _int("hang")),
    "malformedAT": (f"malformed{_N}?", lambda found: {"malformed": int(found[1] or 1)}),
    "splitbytes": ("splitbytes", _is("split", True)),
    "statusCODE": ("status([45]\\d\\d)", _int("status")),
    "statusCODExN": (
        f"status([45]\\d\\d)x{_N}",
        lambda found: {"status": int(found[1]), "times": int(found[2])},
    ),
    "retryafterS": (f"retryafter{_MS}", _float("retry_after")),
    "refuseFIELD": ("refuse([a-z_]+)", lambda found: {"refused": frozenset([found[1]])}),
    "strict": ("strict", _is("strict", True)),
    "vague": ("vague", _is("vague", True)),
    "effortsVALUES": ("efforts([a-z.]+)", lambda found: {"efforts": tuple(found[1].split("."))}),
    **{kind: (kind, _is("kind", kind)) for kind in content.LENGTHS},
    "tagNAME": ("tag([A-Za-z0-9_.]+)", lambda found: {"tag": found[1]}),
}
_PATTERNS = {name: re.compile(pattern) for name, (pattern, _) in _PARTS.items()}
GRAMMAR = "sim[-part]… with the parts " + " ".join(_PARTS)


def is_scenario(model: str) -> bool:
    return model == "sim" or model.startswith("sim-")


_NAMED = r"sim(?:-[A-Za-z0-9_.]+)+"


def first_named(text: str, label: str = "") -> str:
    """The first scenario that a text names behind `label:`, or else without any; an empty string if none."""
    labelled = re.search(rf"\b{re.escape(label)}:({_NAMED})", text) if label else None
    found = labelled or re.search(rf"(?<!\w:)\b({_NAMED})", text)
    return found[1] if found else ""


@lru_cache(maxsize=1000)
def parse(model: str) -> Scenario:
    """The scenario in a name; UnknownPart when one of its parts is none."""
    given: dict[str, Any] = {}
    for part in _split(model):
        for name, value in _read(part, model).items():
            before = given.get(name)
            given[name] = before | value if isinstance(value, dict | frozenset) and before else value
    return Scenario(**given)


def text(model: str) -> str:
    """The exact whole text that a scenario streams when nothing ends it early."""
    return "".join(chunks(parse(model)))


def chunks(scenario: Scenario) -> tuple[str, ...]:
    return content.chunks(scenario.kind, scenario.tokens)


def _split(model: str) -> list[str]:
    """The parts of a name; a stall's time belongs to the stall."""
    rest = model.removeprefix("sim").removeprefix("-")
    return re.findall(r"stall\d+-[^-]*|[^-]+|(?<=-)(?=-|$)", rest) if rest else []


def _read(part: str, model: str) -> dict[str, Any]:
    for name, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(part):
            return _PARTS[name][1](found)
    raise UnknownPart(f"'{part}' in '{model}' is no part of a scenario; the grammar is {GRAMMAR}.")
