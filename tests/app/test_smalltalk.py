"""What is only said, and what is asked politely, in both languages."""

import timeit

import pytest

from app.retrieval.smalltalk import is_small_talk


@pytest.mark.parametrize("said", [
    "🎉🎉🎉", "hello 👋🎉", "👍", "?", "…", "。。。", "", " ", "\0",
    "Thank you very much!", "thanks", "Thanks a lot.", "many thanks", "Bye", "goodbye", "hi", "Hello there!",
    "OK", "ok, thanks", "sure", "Great, thank you so much", "good morning", "See you later", "Of course.",
    "That's all, thanks.", "that was very helpful", "who are you?", "what can you do?", "yes please", "HELLO",
    "你好", "您好！", "你好👋", "谢谢", "谢谢你", "非常感谢！", "太感谢了", "謝謝", "再见", "再見", "拜拜",
    "辛苦了", "好的", "好的，谢谢", "好吧", "嗯", "对", "是的", "不是", "知道了", "明白了，谢谢你", "没问题",
    "太好了", "早上好", "晚安", "哈哈哈", "在吗？", "你是谁？", "谢谢，很有帮助", "OK谢谢", "ＯＫ",
])  # fmt: skip
def test_it_asks_nothing(said: str) -> None:
    assert is_small_talk(said)


@pytest.mark.parametrize("asked", [
    "hello, when does the train leave?", "thanks, and the price?", "great wall", "goodbye letter", "help",
    "1370", "C", "v2", "What is IT?", "what does the WHO say", "什么是IT", "bananas 🎉", "history", "Okinawa",
    "sure-fire methods", "thanksgiving", "there's a leak",
    "你好，城墙多高？", "感谢信怎么写", "了解城墙", "银行", "好感", "墙", "晚上好冷怎么办", "谢绝参观",
    "明白纸", "再见列宁",
])  # fmt: skip
def test_it_asks_something(asked: str) -> None:
    assert not is_small_talk(asked)


@pytest.mark.parametrize("unit", [
    "ha", "h", "hm", " ", "thank you ", "thanks a ", "that is very ", "非常", "谢", "多", "🎉", "A", "bye-",
])  # fmt: skip
def test_it_takes_time_by_its_length(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        return min(timeit.repeat(lambda: is_small_talk(text), number=1, repeat=5))

    assert seconds(16_000) < 60 * seconds(800)  # by its square it would be 400
