"""The words of the line under an answer and of its waterfall; `web.words` merges them into its tables."""

from web import words_latency

EN = {
    "first_token": "first token",
    "first_token_server": "From the question's arrival at the server to the first word of the answer.",
    "first_token_seen": "From the key or click that asked to the first word on your screen.",
    "total": "total",
    "pace": "{n} tokens/s",
    "cached": "cached",
    "not_cached": "not cached",
    "details": "details",
    "waterfall": "Where the time went",
    "waterfall_back": "Back to the conversation",
    "waterfall_submit": "Counted from the key or click that asked; browser and server on one clock.",
    "waterfall_arrival": "The server's part only, from the question's arrival: no browser has reported.",
    "waterfall_hidden": "The tab was in the background at some time, so its times are not a reader's wait.",
    "waterfall_resumed": "The stream broke and was taken up again, so its times are not a reader's wait.",
    "waterfall_none": "Nothing was measured of this turn.",
    "waterfall_stage": "stage",
    "waterfall_start": "from",
    "waterfall_took": "took",
    "waterfall_meaning": "what it is",
    "waterfall_first_text": "first text",
    "side_browser": "browser and network",
    "side_server": "this server",
    "side_model": "model",
    "side_gap": "unaccounted for",
    "prompt_budget": "What the model read",
    "prompt_estimated": "about {n} tokens, estimated",
    "prompt_counted": "{n} tokens by the provider's count",
    "prompt_cached": "{n} of them ({share}%) from its prefix cache",
    "prompt_prefix": "prefix",
    "prompt_prefix_help": "A hash of all before the last message: a prefix cache hits where it is the same.",
    "prompt_instructions": "instructions",
    "prompt_history": "history",
    "prompt_passages": "passages",
    "prompt_question": "question",
}

ZH = {
    "first_token": "首词元",
    "first_token_server": "从问题到达服务器到答案第一个字的时间。",
    "first_token_seen": "从按键或点击提问到屏幕上出现第一个字的时间。",
    "total": "总计",
    "pace": "每秒 {n} 词元",
    "cached": "来自缓存",
    "not_cached": "未用缓存",
    "details": "详情",
    "waterfall": "时间花在哪里",
    "waterfall_back": "返回会话",
    "waterfall_submit": "从提问的按键或点击算起，浏览器与服务器在同一时钟上。",
    "waterfall_arrival": "只有服务器的部分，从问题到达算起：还没有浏览器报告。",
    "waterfall_hidden": "标签页曾在后台，所以这些时间不是读者的等待。",
    "waterfall_resumed": "流曾中断后续接，所以这些时间不是读者的等待。",
    "waterfall_none": "这一轮没有任何测量。",
    "waterfall_stage": "阶段",
    "waterfall_start": "开始",
    "waterfall_took": "用时",
    "waterfall_meaning": "含义",
    "waterfall_first_text": "首段文字",
    "side_browser": "浏览器与网络",
    "side_server": "本服务器",
    "side_model": "模型",
    "side_gap": "未归因",
    "prompt_budget": "模型读了什么",
    "prompt_estimated": "估计约 {n} 个词元",
    "prompt_counted": "服务商计 {n} 个词元",
    "prompt_cached": "其中 {n} 个（{share}%）来自前缀缓存",
    "prompt_prefix": "前缀",
    "prompt_prefix_help": "最后一条消息之前全部内容的散列：只有相同时，前缀缓存才可能命中。",
    "prompt_instructions": "指令",
    "prompt_history": "历史",
    "prompt_passages": "段落",
    "prompt_question": "问题",
}

# Stages have the names that /latency gives them; what nothing accounts for is called that.
_GAPS = {
    "en": ("unaccounted for", "none of the stages ran: waiting for the processor, say"),
    "zh": ("未归因", "没有任何阶段在运行，例如在等处理器"),
}
STAGES = {language: table | {"gap": _GAPS[language]} for language, table in words_latency.MEASURES.items()}


def stage(name: str, language: str) -> tuple[str, str]:
    """The name of a stage or mark, and a line on what it is; one that is not known is called by its own."""
    return STAGES[language].get(name, (name, ""))
