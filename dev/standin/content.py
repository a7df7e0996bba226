"""The texts that scenarios stream, token by token, the same on every run.

English and Chinese prose carries the number of the chunk that begins each sentence, so that a test sees at
once where a stream was cut or doubled. The markdown document holds everything a renderer may stumble on.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import count, cycle, islice

from dev.standin.extract import pieces

# tokens by default; 0 is the whole text
LENGTHS = {"en": 80, "zh": 80, "md": 0, "mdlong": 2000, "pass": 0, "passzh": 0, "short": 0, "shortzh": 0}

_ENGLISH = (
    "Morning light moves across the quiet harbour while the boats are still tied.",
    "A clerk counts the barrels, writes a number down and counts them again.",
    "Nobody hurries, because the tide decides when the day begins.",
    "Above the roofs a bell rings twice, and the market opens its shutters.",
    "Bread, salt and rope change hands before the first ship is ready to leave.",
    "By noon the square is loud, and the clerk has finished his list.",
    "Rain comes from the west in the afternoon and washes the stones clean.",
    "In the evening the lamps are lit one after another along the water.",
)
_CHINESE = (
    "清晨的阳光照在安静的港口上，船还没有离开码头。",
    "管账的人数着木桶，写下一个数字，然后再数一遍。",
    "没有人着急，因为潮水决定一天从什么时候开始。",
    "屋顶上的钟敲了两下，市场打开了窗板。",
    "第一条船出发以前，面包、盐和绳子已经换了主人。",
    "到了中午广场热闹起来，账本也写完了。",
)
_PARAGRAPH = 4  # sentences

MARKDOWN = """\
# A document with everything in it

Plain text, **bold**, *italic*, ~~struck~~, `code` and **_both_ at once**. A [link](https://example.com/a?b=1&c=2),
a bare https://example.com address and a citation [1].

中文里的**重点内容**也要显示正确，**“引号”**旁边的强调也是；这里有一个引用[2]，还有全角标点：**注意！**后面接着文字。

## Code

```python
def greet(name: str) -> str:
    # <b>not bold</b> & not an entity: &amp;
    return f"Hello, {name}! 你好，世界"
```

```html
<script>alert("code is text")</script>
```

Inline `<img src=x onerror=alert(2)>` is code too.

## Table

| Part | What it does | 耗时 |
|:-----|:------------:|-----:|
| embed | turns a question into 384 numbers | 11 ms |
| search | finds `k` passages, **fast** | 5 ms |
| 合并 | 把两个列表合成一个 | 1 ms |

## Lists

1. First
   - nested with *emphasis*
   - nested again
     1. deeper
     2. 更深一层
2. Second, with a paragraph below it.

   The paragraph below it.
3. Third
   ```sh
   make run
   ```

- [ ] open task
- [x] done task

## Math

Inline $e^{i\\pi} + 1 = 0$ stands in a line, and a block stands alone:

$$
\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}
$$

A price of $5 and another of $7 are no formula.

> A quotation
> over two lines, with a citation [1].

## What must never run or load

<img src="x" onerror="window.pwned=1">
<script>window.pwned=2</script>
[press me](javascript:window.pwned=3), ![remote](https://remote.invalid/pixel.png) and an unknown source [99].

---

The end. 完。
"""


WHOLE = {
    "md": MARKDOWN,
    "mdlong": MARKDOWN,
    "pass": "I don't know. The sources do not say anything about this.",
    "passzh": "我不知道。资料里没有提到这一点。",
    "short": "Yes.",
    "shortzh": "是。",
}


def chunks(kind: str, tokens: int | None = None) -> tuple[str, ...]:
    """The first `tokens` chunks of a kind's text, each one token long."""
    wanted = LENGTHS[kind] if tokens is None else tokens
    return _chunks(kind, wanted) if wanted else _document(kind) if tokens is None else ()


@lru_cache(maxsize=64)
def _chunks(kind: str, tokens: int) -> tuple[str, ...]:
    return tuple(islice(_endless(kind), tokens))


@lru_cache(maxsize=len(WHOLE))
def _document(kind: str) -> tuple[str, ...]:
    return tuple(pieces(WHOLE[kind]))


def _endless(kind: str) -> Iterator[str]:
    if kind in WHOLE:
        return _repeated(_document(kind))
    return _prose(_CHINESE, "（{}）", "") if kind == "zh" else _prose(_ENGLISH, "({})", " ")


def _repeated(document: tuple[str, ...]) -> Iterator[str]:
    for first in count():
        yield document[0] if first == 0 else "\n\n" + document[0]
        yield from document[1:]


def _prose(sentences: tuple[str, ...], numbered: str, space: str) -> Iterator[str]:
    at = 1
    for place, sentence in enumerate(cycle(sentences)):
        lead = "" if place == 0 else space if place % _PARAGRAPH else "\n\n"
        yield lead + numbered.format(at)
        words = pieces(space + sentence)
        yield from words
        at += 1 + len(words)
