"""The words on the lab's plots and tables, English and Chinese."""

from collections.abc import Mapping
from dataclasses import dataclass

from e2e.lab.studies.streams import STREAMS_AT_ONCE


@dataclass(frozen=True, slots=True)
class Words:
    """`titles` by plot; `variants` by study and variant, and `pattern` by study for those not named there."""

    titles: Mapping[str, str]
    variants: Mapping[str, Mapping[str, str]]
    pattern: Mapping[str, str]
    columns: Mapping[str, str]
    length_axes: tuple[str, str]
    cap_axes: tuple[str, str]
    prefill: str
    decode: str
    total: str
    then: str
    measured: str

    def variant(self, study: str, key: str) -> str:
        said = self.variants.get(study, {}).get(key)
        return said or self.pattern.get(study, "{key}").format(key=key)


EN = Words(
    titles={
        "length": "Prefill and decode against prompt length (p50)",
        "prefix": "TTFT when the prompt is known but for a change",
        "passages": "TTFT with 5 passages and with 20",
        "streams": "TTFT of one stream, and of four at once",
        "streams-decode": "Time per output token, one stream and four at once",
        "cap": "What a cap on output shortens (p50)",
        "leaving": "TTFT of the next question when a reader has left",
    },
    variants={
        "prefix": {"end": "changed behind 1,024 tokens", "middle": "changed in the middle",
                   "start": "changed in the first word"},
        "streams": {"alone": "one stream", "queued": f"{STREAMS_AT_ONCE} at once, one slot",
                    "shared": f"{STREAMS_AT_ONCE} at once, {STREAMS_AT_ONCE} slots"},
        "cap": {f"{cap} then": f"the next question, behind {cap}" for cap in (32, 128, 512)},
        "leaving": {"nobody": "nobody was there", "decode": "left during decode",
                    "prefill": "left during prefill"},
    },
    pattern={"length": "{key} tokens", "passages": "{key} passages", "cap": "an answer of {key} tokens"},
    columns={"variant": "", "prompt_tokens": "prompt tokens", "cached_tokens": "remembered",
             "ttft": "TTFT, ms", "tpot": "TPOT, ms", "total": "total, ms", "n": "n"},
    length_axes=("prompt tokens", "ms"),
    cap_axes=("output tokens", "ms"),
    prefill="prefill: time to first token",
    decode="decode: time per output token",
    total="this answer, in total",
    then="the next question's first token",
    measured="p50 [least, most]. {cpu}, {cores} cores, load {load} before it began, {day}, `make lab`.",
)

ZH = Words(
    titles={
        "length": "预填充与解码随提示词长度的变化（p50）",
        "prefix": "提示词只改一处时的首词元时间",
        "passages": "5 段与 20 段的首词元时间",
        "streams": "一个流与同时四个流的首词元时间",
        "streams-decode": "一个流与同时四个流的每词元时间",
        "cap": "限制输出长度能缩短什么（p50）",
        "leaving": "有人离开之后，下一问的首词元时间",
    },
    variants={
        "prefix": {"end": "改动在 1,024 个词元之后", "middle": "改动在中间", "start": "改动在第一个词"},
        "streams": {"alone": "单独一个", "queued": f"同时 {STREAMS_AT_ONCE} 个，一个槽位",
                    "shared": f"同时 {STREAMS_AT_ONCE} 个，{STREAMS_AT_ONCE} 个槽位"},
        "cap": {f"{cap} then": f"排在 {cap} 个词元之后的下一问" for cap in (32, 128, 512)},
        "leaving": {"nobody": "前面没有人", "decode": "解码时离开", "prefill": "预填充时离开"},
    },
    pattern={"length": "{key} 个词元", "passages": "{key} 段", "cap": "{key} 个词元的回答"},
    columns={"variant": "", "prompt_tokens": "提示词的词元", "cached_tokens": "其中记得的",
             "ttft": "首词元，毫秒", "tpot": "每词元，毫秒", "total": "总计，毫秒", "n": "n"},
    length_axes=("提示词的词元数", "毫秒"),
    cap_axes=("输出词元数", "毫秒"),
    prefill="预填充：首词元时间",
    decode="解码：每词元时间",
    total="这个回答的总时间",
    then="下一问的首词元时间",
    measured="p50 [最小, 最大]。{cpu}，{cores} 核，开始前负载 {load}，{day}，`make lab`。",
)

LANGUAGES = {"en": EN, "zh": ZH}
