"""The words of a turn's steps, its route and what can be done with it; `web.words` merges them."""

EN = {
    "edit": "Edit",
    "editing": "Asks this question in place of the earlier one.",
    "cancel": "Cancel",
    "ask_larger": "Ask {model}",
    "unsearched": "Your documents could not be searched.",
    "busy": "An answer is being written: wait for it, or stop it with Esc.",
    "replaced": "Asked again below.",
}

EN_STEPS = {
    "history": {
        "running": "Recalling the conversation",
        "done": "Recalled {detail} earlier",
        "failed": "Went on without the conversation",
        "skipped": "Conversation not recalled",
    },
    "search": {
        "running": "Searching your documents",
        "done": "Found {detail} passages",
        "failed": "Went on without documents",
        "skipped": "Search not finished",
    },
    "search-warm": {"done": "Found {detail} passages while you typed"},
    "dense": {"failed": "Went on without the search by meaning"},
    "lexical": {"failed": "Went on without the search by words"},
    "rewrite": {
        "running": "Working out what is meant",
        "done": "Searched for “{detail}”",
        "failed": "Took the question by simple rules",
        "skipped": "Not worked out",
    },
    "meant": {"failed": "Searched for the words alone, not for what is meant"},
    "earlier": {"failed": "Went on without the earlier answer"},
    "escalate": {"done": "The small model passed"},
    "prefill": {"running": "The model is reading", "done": "First token", "skipped": "No answer yet"},
    "decode": {"running": "Writing", "done": "Written", "skipped": "Ended early"},
}

ZH = {
    "edit": "修改",
    "editing": "将代替之前的问题重新提问。",
    "cancel": "取消",
    "ask_larger": "换 {model} 回答",
    "unsearched": "未能检索您的文档。",
    "busy": "正在回答：请等它结束，或按 Esc 停止。",
    "replaced": "已在下方重新提问。",
}

ZH_STEPS = {
    "history": {
        "running": "正在回顾会话",
        "done": "回顾了之前 {detail} 轮",
        "failed": "未能回顾会话，继续回答",
        "skipped": "未回顾会话",
    },
    "search": {
        "running": "正在检索您的文档",
        "done": "找到 {detail} 个段落",
        "failed": "未能检索文档，继续回答",
        "skipped": "检索未完成",
    },
    "search-warm": {"done": "输入时已找到 {detail} 个段落"},
    "dense": {"failed": "未能按含义检索，继续回答"},
    "lexical": {"failed": "未能按词语检索，继续回答"},
    "rewrite": {
        "running": "正在理解所指",
        "done": "检索了“{detail}”",
        "failed": "按简单规则理解了问题",
        "skipped": "未能理解所指",
    },
    "meant": {"failed": "只按字面检索，未能按所指检索"},
    "earlier": {"failed": "未能取得之前的回答，继续回答"},
    "escalate": {"done": "小模型没有回答"},
    "prefill": {"running": "模型正在阅读", "done": "首词元", "skipped": "尚未生成"},
    "decode": {"running": "生成中", "done": "已生成", "skipped": "提前结束"},
}

RETRACTED = {
    "en": {
        "refused": "The small model passed; {model} answers instead.",
        "too short": "The small model said next to nothing; {model} answers instead.",
        "failed": "The small model failed; {model} answers instead.",
    },
    "zh": {
        "refused": "小模型没有回答，改由 {model} 回答。",
        "too short": "小模型几乎什么都没说，改由 {model} 回答。",
        "failed": "小模型出错了，改由 {model} 回答。",
    },
}

# A route and why it was taken, by the keys of app.routing.
ROUTES = {
    "en": {"look-up": "look-up", "standard": "standard", "hard": "hard question", "large": "large model"},
    "zh": {"look-up": "查找", "standard": "普通", "hard": "难题", "large": "大模型"},
}
REASONS = {
    "en": {
        "lookup": "asks for one fact",
        "ordinary": "nothing hard in it",
        "hard": "compares, reasons or has several parts",
        "asked": "you asked for it",
        "continues": "goes on from the question before",
        "unsure": "the passages may not hold the fact",
        "nothing found": "no passage bears on it",
        "refused": "the small model passed",
        "too short": "the small model said next to nothing",
        "failed": "the small model failed",
        "off": "routing is off",
    },
    "zh": {
        "lookup": "只问一个事实",
        "ordinary": "没有难点",
        "hard": "需要比较、推理，或有几个部分",
        "asked": "应您的要求",
        "continues": "接着上一个问题",
        "unsure": "段落里可能没有这个事实",
        "nothing found": "没有相关段落",
        "refused": "小模型没有回答",
        "too short": "小模型几乎什么都没说",
        "failed": "小模型出错了",
        "off": "路由已关闭",
    },
}
