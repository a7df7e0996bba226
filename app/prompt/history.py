"""How much of a conversation a prompt carries: cut in blocks, so that its beginning stays put for many turns.

A history that slid by one exchange a turn would begin anew with every question, and no prefix cache would
hold any of it. So it grows until it has passed `HIGH` tokens; then the worker cuts it down to `LOW` and
writes a summary of what it cut. Until it has, prompts carry the longer history. Should no worker come, what
has passed `CAP` is cut in the same way without a summary, by the exchanges alone.

With answers of 200 tokens that makes a cut every seven or eight turns, each of which has up to `LOW` tokens
read once more. Prompts hold from 500 to 2,200 tokens of history.
"""

from collections.abc import Sequence
from dataclasses import replace

from app.prompt.parts import Exchange
from app.text import ends_of, estimate_tokens

HIGH, LOW, CAP = 2_000, 500, 3_000  # tokens
MANY = 24  # exchanges after which a history is due, however short they are
MOST = 40  # and after which it is cut without a summary
FEW = 8  # exchanges that a cut leaves at the most
LONGEST_QUESTION, LONGEST_ANSWER = 500, 1_500  # tokens; of a longer one its two ends are told


def trimmed(exchange: Exchange) -> Exchange:
    """The exchange as prompts hold it. By itself alone, so that it looks the same in each of them."""
    return replace(
        exchange,
        question=ends_of(exchange.question, LONGEST_QUESTION),
        answer=ends_of(exchange.answer, LONGEST_ANSWER),
    )


def tokens_of(exchange: Exchange) -> int:
    held = trimmed(exchange)
    return estimate_tokens(held.question) + estimate_tokens(held.answer)


def is_due(exchanges: Sequence[Exchange]) -> bool:
    """Whether the worker should cut them."""
    return len(exchanges) > MANY or sum(map(tokens_of, exchanges)) > HIGH


def cut(exchanges: Sequence[Exchange]) -> int:
    """How many go, the oldest: the newest `LOW` tokens stay, always the last one, and the one before it if
    both fit into twice that."""
    start, kept = len(exchanges), 0
    while start > max(0, len(exchanges) - FEW):
        room = (LOW * 10, 2 * LOW, LOW)[min(2, len(exchanges) - start)]
        kept += tokens_of(exchanges[start - 1])
        if kept > room:
            break
        start -= 1
    return start


def capped(exchanges: Sequence[Exchange], cap: int = CAP) -> Sequence[Exchange]:
    """What is left when nobody has cut: folded from the first, so that it depends on nothing but them."""
    start, total = 0, 0
    for end, exchange in enumerate(exchanges, 1):
        total += tokens_of(exchange)
        if total > cap or end - start > MOST:
            start += cut(exchanges[start:end])
            total = sum(map(tokens_of, exchanges[start:end]))
    return exchanges[start:]
