"""The interface's words, English and Chinese. Keys are what the templates ask for."""

from dataclasses import dataclass

from starlette.requests import Request

from web import words_latency, words_measures, words_turn

LANGUAGE_COOKIE = "lang"

EN = {
    "name": "Prelude",
    "new_chat": "New chat",
    "conversations": "Conversations",
    "no_conversations": "No conversations yet",
    "thread": "Questions and answers",
    "menu": "Conversations",
    "skip": "Skip to the question",
    "ask": "Ask your documents…",
    "send": "Send",
    "stop": "Stop",
    "hint": "Enter sends · Shift+Enter new line · Esc stops",
    "welcome": "What would you like to know?",
    "welcome_more": "Answers come from {count} passages of your documents, with their sources.",
    "welcome_empty": "No documents yet. Add some with: make ingest FROM=folder",
    "banner": "This is not a language model: it quotes sentences from your documents. "
    "To connect one, set {base} and {model}.",
    "banner_measuring": "{model} is a small model for measuring waits: do not trust its answers.",
    "banner_ollama": "An Ollama answers on this machine: {base}={address} would connect it.",
    "you": "You asked",
    "answer": "Answer",
    "sources": "Sources",
    "source": "Source {n}",
    "no_sources": "Nothing in your documents seems to bear on this.",
    "page": "p. {page}",
    "close": "Close",
    "copy": "Copy",
    "copied": "Copied",
    "retry": "Retry",
    "again": "Ask again",
    "delete": "Delete",
    "delete_sure": "Delete this conversation?",
    "other_language": "中文",
    "documents_from": "From",
    "noscript": "Asking needs JavaScript; reading does not.",
    "status_running": "Working on it",
    "status_done": "The answer is complete",
    "status_failed": "The answer ended early",
    "unreachable": "The server cannot be reached. Nothing is lost: try again.",
    "reconnecting": "The connection broke. Trying again …",
    "empty": "The question is empty: write something first.",
    "too_long": "The question has {length} characters; {limit} is the most.",
    "not_found": "There is no such page here, or it is not yours.",
    "home": "Start a new chat",
    **words_turn.EN,
    **words_latency.EN,
    **words_measures.EN,
}

EN_EXAMPLES = [
    "How do I add my own documents?",
    "How do I connect a language model?",
    "What is time to first token?",
]

ZH = {
    "name": "Prelude",
    "new_chat": "新会话",
    "conversations": "会话",
    "no_conversations": "还没有会话",
    "thread": "问答",
    "menu": "会话列表",
    "skip": "跳到提问框",
    "ask": "向您的文档提问…",
    "send": "发送",
    "stop": "停止",
    "hint": "Enter 发送 · Shift+Enter 换行 · Esc 停止",
    "welcome": "想了解什么？",
    "welcome_more": "答案来自您文档中的 {count} 个段落，并附上来源。",
    "welcome_empty": "还没有文档。用这条命令添加：make ingest FROM=文件夹",
    "banner": "尚未连接语言模型：这里只从您的文档中摘引句子。要连接语言模型，请设置 {base} 和 {model}。",
    "banner_measuring": "{model} 是用来测量等待时间的小模型，它的回答不可信。",
    "banner_ollama": "这台机器上有 Ollama 在运行：设置 {base}={address} 即可连接。",
    "you": "您的问题",
    "answer": "回答",
    "sources": "来源",
    "source": "来源 {n}",
    "no_sources": "您的文档里似乎没有与此相关的内容。",
    "page": "第 {page} 页",
    "close": "关闭",
    "copy": "复制",
    "copied": "已复制",
    "retry": "重试",
    "again": "再问一次",
    "delete": "删除",
    "delete_sure": "删除这个会话吗？",
    "other_language": "English",
    "documents_from": "来自",
    "noscript": "提问需要 JavaScript，阅读不需要。",
    "status_running": "正在处理",
    "status_done": "回答已完成",
    "status_failed": "回答提前结束",
    "unreachable": "连接不到服务器。内容没有丢失，请再试一次。",
    "reconnecting": "连接中断，正在重试……",
    "empty": "问题是空的：请先写点什么。",
    "too_long": "问题有 {length} 个字符，最多 {limit} 个。",
    "not_found": "这里没有这个页面，或者它不属于您。",
    "home": "开始新会话",
    **words_turn.ZH,
    **words_latency.ZH,
    **words_measures.ZH,
}

ZH_EXAMPLES = ["怎样添加我自己的文档？", "怎样连接一个语言模型？", "什么是首词元时间？"]

ZH_FAILURES = {
    "stopped": "已停止。",
    "interrupted": "回答途中服务器停止了。",
    "upstream_unreachable": "连接不到模型的服务器。",
    "upstream_timeout": "模型没有及时回答。",
    "upstream_refused": "模型的服务器拒绝了请求。",
    "upstream_failed": "模型的服务器出错了。",
    "upstream_cut": "模型的回答在结束前中断了。",
    "internal": "这里出了错，已记录下来。",
}


@dataclass(frozen=True, slots=True)
class Words:
    """One language's words: `words("key", name=value)`; step and failure texts by their own methods."""

    language: str
    table: dict[str, str]
    examples: list[str]
    steps: dict[str, dict[str, str]]
    failures: dict[str, str]

    def __call__(self, key: str, **values: object) -> str:
        return self.table[key].format(**values)

    def step(self, name: str, state: str, detail: str) -> str:
        """What a step says; a step that these tables do not know says its name."""
        return self.steps.get(name, {}).get(state, name).format(detail=detail)

    def route(self, name: str) -> str:
        return words_turn.ROUTES[self.language].get(name, name)

    def reason(self, key: str) -> str:
        """Why a route was taken."""
        return words_turn.REASONS[self.language].get(key, key)

    def retracted(self, reason: str, model: str) -> str:
        """Why a text was withdrawn, and who answers instead."""
        table = words_turn.RETRACTED[self.language]
        return table.get(reason, table["refused"]).format(model=model)

    def part(self, name: str) -> str:
        """What a part of the prompt is called."""
        return self.table.get(f"prompt_{name}", name)

    def failure(self, kind: str, message: str) -> str:
        return self.failures.get(kind, message)


LANGUAGES = {
    "en": Words("en", EN, EN_EXAMPLES, words_turn.EN_STEPS, {}),
    "zh": Words("zh", ZH, ZH_EXAMPLES, words_turn.ZH_STEPS, ZH_FAILURES),
}


def words_for(request: Request) -> Words:
    """By the cookie of the language switch, else by the browser's first language that there is."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    if chosen in LANGUAGES:
        return LANGUAGES[chosen]
    for part in request.headers.get("accept-language", "").split(","):
        language = part.split(";")[0].strip().split("-")[0].lower()
        if language in LANGUAGES:
            return LANGUAGES[language]
    return LANGUAGES["en"]
