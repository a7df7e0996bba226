"""What is asked: filler of a given length, and the prompts that Prelude builds from its own handbook."""

import random
from collections.abc import Sequence
from functools import cache

from app.documents.parse import parse
from app.documents.split import split
from app.prompt import History, build
from app.retrieval import Passage
from e2e.questions import QUESTIONS
from e2e.stack import ROOT

COMMON = """\
the of and to in is that for it as was with be by on not he his but at are this have from or had an they
which one you were all her she there would their we him been has when who will no more if out so up said
what its about than into them can only other time new some could these two may first then do any like my
now over such our man me even most made after also did many before must through years where much your
way well down should each just those people how too little state good very make world still see own work
long here get both between life being under never day same another know while last might us great old
year off come since against go came right used"""
WORDS = COMMON.split()  # each is one token to SmolLM2
TEMPLATE_TOKENS = 14  # what the chat template puts around a system and a user message
SYSTEM_WORDS = 8


def filler(tokens: int, seed: str) -> list[dict[str, str]]:
    """A prompt of about `tokens` tokens that shares no beginning with one of another seed."""
    chance = random.Random(seed)
    words = chance.choices(WORDS, k=max(1, tokens - TEMPLATE_TOKENS - SYSTEM_WORDS))
    return chat(" ".join(chance.choices(WORDS, k=SYSTEM_WORDS)), " ".join(words))


def chat(system: str, user: str) -> list[dict[str, str]]:
    return [{"role": "system", "content": system}, {"role": "user", "content": user}]


@cache
def passages() -> Sequence[Passage]:
    """The handbook's English ones, split as ingestion splits them; the model's tokenizer knows no Chinese."""
    return [
        Passage(id=f"{path.name}:{piece.start}", text=piece.text, title=path.stem, uri=path.name,
                page=piece.page, start=piece.start, end=piece.end)
        for path in sorted((ROOT / "dev" / "handbook" / "en").glob("*.md"))
        for piece in split(parse(path.name, path.read_bytes()))
    ]


def question(k: int, seed: str) -> list[dict[str, str]]:
    """A question about the handbook with `k` of its passages, as Prelude would send it.

    The same seed asks the same; two counts of passages share no beginning but the instructions.
    """
    chance = random.Random(seed)
    asked, found = chance.choice(QUESTIONS), chance.sample(passages(), len(passages()))
    prompt = build(asked, found[-k:], History())
    return [{"role": each.role, "content": each.content} for each in prompt.messages()]
