"""The wait that people judge, as the browser saw it, relative to what the upstream was told to take.

The bounds are loose enough for two noisy cores; `python -m e2e.bench ttft` holds the real budgets.
"""

from e2e.pages import Chat
from e2e.timing import ask, percentiles

UPSTREAM_MS = 150
QUESTIONS = (
    "How do I start it?",
    "How do I add my own documents?",
    "Which file formats can be read?",
    "How do I connect a language model?",
    "What is time to first token?",
    "What happens when I close the tab?",
    "How do I stop an answer?",
    "What does prefill mean?",
    "Which environment variables are there?",
    "Why is a number in brackets not a link?",
    "Where is the data kept?",
    "The port is taken, what now?",
    "Can I fork it and sell it?",
    "What happens to a deleted file?",
    "How are scanned pages handled?",
    "怎样启动它？",
    "怎样添加我自己的文档？",
    "可以读取哪些文件格式？",
    "怎样连接一个语言模型？",
    "什么是首个词元时间？",
    "关闭标签页以后会怎样？",
    "怎样停止一个回答？",
    "预填充是什么意思？",
    "有哪些环境变量？",
    "为什么有的编号不是链接？",
    "数据保存在哪里？",
    "端口被占用了怎么办？",
    "我可以复刻并出售它吗？",
    "删除的文件会怎样？",
    "没有接语言模型时会怎样回答？",
)


def test_what_is_added_to_the_upstream_stays_small(chat: Chat) -> None:
    seen = [ask(chat, f"{question} sim-ttft{UPSTREAM_MS}-itl10-n20") for question in QUESTIONS]
    assert all(one.progress <= one.source < one.token for one in seen)
    progress = percentiles(one.progress for one in seen)
    source = percentiles(one.source for one in seen)
    added = percentiles(one.token - UPSTREAM_MS for one in seen)
    print(f"\nprogress {progress}, source {source}, added to the first token {added}")
    assert progress["p50"] <= 150
    assert progress["p95"] <= 600
    assert source["p50"] <= 250
    assert source["p95"] <= 800
    assert 0 <= added["p50"] <= 250
    assert added["p95"] <= 800
