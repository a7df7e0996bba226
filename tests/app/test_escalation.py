"""When a small model's answer counts as none: tables of sentences, cut anywhere, in both languages."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.routing import REASONS
from app.routing.escalation import REFUSED, TOO_SHORT, WATCHED, unanswered

REFUSALS = """\
I don't know.
I don't know the answer to that.
I do not know what the deadline is.
Sorry, I don't know.
I'm sorry, but I don't know.
I’m afraid I can’t answer that.
I cannot answer this question.
I cannot answer this question based on the provided sources.
I can't help with that.
I'm unable to answer this question from the documents.
I am unable to provide this information.
I was not able to find any information about the parental leave.
I couldn't find any mention of a deposit in the sources.
I could not find the answer.
I have no information about that.
I have no idea.
I don't have any information on the warranty.
I don't have access to your calendar.
I do not have enough information to answer.
I'm not sure.
I'm not sure what you mean by that.
As an AI language model, I cannot provide legal advice.
As an AI assistant, I don't have access to real-time data.
Unfortunately, the sources do not say when the office opens.
The sources do not mention a price.
The provided sources do not contain any information about refunds.
The sources don't say.
The documents do not specify the interest rate.
The provided context does not mention the author.
The given passages do not include enough information to answer.
The text doesn't state who signed it.
The source does not explain how to reset the device.
None of the sources mention this model.
None of the provided documents answer the question.
Based on the provided sources, I cannot determine the year.
According to the documents provided, there is no information about parking.
There is no information about this in the sources.
There's no mention of overtime in the provided documents.
There is not enough information to answer the question.
No relevant information was found.
No information is given about the second phase.
This is not mentioned in the sources.
The answer is not given in the documents.
The question cannot be answered from the sources.
This question can't be answered.
Not mentioned in the sources.
Insufficient information.
N/A
Unknown.
**I don't know.**
> The sources do not say.
我不知道。
抱歉，我不知道。
很抱歉，我无法回答这个问题。
对不起，我不清楚这个问题的答案。
我无法回答。
无法回答。
无法根据提供的资料回答这个问题。
作为一个AI语言模型，我无法提供法律建议。
作为人工智能助手，我不能回答这个问题。
文档中没有提到退款期限。
文档没有说明价格。
资料中未提及作者是谁。
提供的资料中没有相关信息。
根据提供的资料，我无法确定具体年份。
根据现有文档，没有找到关于停车的信息。
抱歉，资料里没有提到。
来源中并未说明谁签了字。
上下文中没有关于保修的信息。
所提供的内容没有包含任何关于加班的说明。
文中没有给出答案。
没有找到相关内容。
未找到与押金有关的信息。
我没有找到任何相关资料。
目前无法确定。
我不确定。
不知道。
很遗憾，参考资料中没有提及该型号。
在文档中找不到这项规定。
这个问题无法回答。
信息不足，无法判断。
未提及。
我没有足够的信息来回答这个问题。
暂时无法提供相关信息。
""".splitlines()

ANSWERS = """\
The deadline is 31 March [1].
Yes.
No.
42
Paris
About 30 days [2].
You cannot cancel after 14 days [1].
I don't know of any limit other than the 5 MB for avatars [3].
It is not possible to delete an account yourself [2].
The policy does not allow pets in the building [1].
The contract does not mention a deposit, which means that none is due [4].
The document does not need a signature [1].
Documents that do not contain a date are rejected [2].
The sources do not say when, but the handbook names April [1].
The sources do not agree: one says five days, the other seven [1][2].
The sources do not mention a price. However, the list from May has one: 30 euros [2].
The documents do not specify a year, although the footer says 2019.
If you don't know your password, choose "Forgot password" [1].
When you cannot answer a call, it goes to voicemail [1].
"I don't know" is a valid answer in the survey [2].
Say "I cannot answer that" and hang up [3].
Refunds take five days. The sources do not say more.
He said: I don't know.
Unknown devices are blocked [1].
Unknown callers go to voicemail.
Not mentioned parts are covered by the general terms [1].
I would choose the second option, since it costs less [2].
As an AI company, they publish their models [1].
As an administrator, you can reset it [1].
Sorry pages are shown when the server is down [2].
Based on the sources, the answer is 12 [1].
According to the documents, the fee is 20 euros [1].
From the text it follows that she left in 1902 [2].
There is no fee [1].
There is no deadline in the contract [1].
No.  There is a lift in building B [2].
None.
Nothing has to be paid [1].
Not before noon [1].
The documents do not mention a fee for pupils [1].
There is no information about a deposit in the documents of 2019 [3].
The information does not leave the device [3].
The text does not wrap unless the flag is set [1].
The context does not change between calls [2].
Insufficient funds cause error 51 [1].
I cannot be reached is the status shown when the phone is off [2].
We do not have pets in the office; guide dogs are allowed [1].
The sources never expire [1].
是的。
不是。
是的，可以 [1]。
截止日期是3月31日 [1]。
三十天。
无
不能退款，超过14天就不行 [1]。
不知道密码时，请点击“忘记密码” [1]。
不知道怎么办的用户可以拨打热线 [2]。
无法回答的问题会转给人工客服 [1]。
无法登录时请重启路由器 [2]。
无法取消，因为订单已经发货 [1]。
“我不知道”也是有效的回答 [1]。
如果文档中没有提到，就按总则处理 [2]。
文档没有签名也有效 [1]。
文档不需要签字 [1]。
资料不能带出阅览室 [3]。
信息不会离开设备 [2]。
合同没有规定押金，所以不用交 [1]。
资料没有提到价格，但五月的清单写着30元 [2]。
文档中没有说明年份。不过页脚写的是2019年 [1]。
根据资料，答案是12 [1]。
根据文档，费用是20元 [1]。
作为管理员，您可以重置密码 [1]。
作为一家人工智能公司，他们公开模型 [1]。
没有费用 [1]。
文档没有说明学生要付费 [2]。
没有截止日期 [2]。
我们没有宠物区 [1]。
未知来电会转到语音信箱 [1]。
来源可靠，没有问题 [1]。
抱歉页面会在服务器停机时显示 [2]。
信息不足时系统会提示补充 [1]。
他说：我不知道。
退款需要五天。资料没有说更多。
I cannot answer calls before 9 am.
I cannot answer the door while the alarm is set [1].
No information is available to third parties.
The question cannot be answered with yes or no: it depends on the plan.
This question cannot be answered in one word, it depends.
The documents do not state a maximum. The default is 5.
The documents do not state a maximum. Five is the default.
I'm not sure. It is 5.
I don't know. The office in Lyon has two lifts.
The sources do not give a date. They name April [1].
没有相关信息泄露。
没有关于押金的信息会被保存。
我无法确定是否为三天。
我不确定是否是三天。
文档没有规定上限。默认是五个。
我不确定。应该是5天。
""".splitlines()

SHORT = [
    *("", "   ", "\n", "…", "[1]", "**", "[1][2]", "\0", "-", "好的。", "答案是："),
    *("Answer:", "The answer is:", "OK.", "Sure!", "Here is the answer:", "Certainly."),
    *("当然可以。", "Answer: [1]"),
]
AGREED = ["当然可以[1]。", "Certainly [1].", "Of course. [2]", "Sure [1][2]", "好的【1】。"]
HOSTILE = {
    "sorry": "sorry, " * 1_200,
    "manners": "根据资料，" * 1_600,
    "emoji": "😀" * 8_000,
    "the": "the " * 2_000,
    "NUL": "\0" * 8_000,
    "blank": " " * 8_000,
    "refusals": "I don't know " * 600,
    "one character": "我" * 8_000,
    "half a phrase": "according to " * 700,
}


def first_alarm(text: str, step: int = 3) -> str:
    """As a stream would hear it: piece by piece while it is watched, and the whole in the end."""
    for end in range(step, min(len(text), WATCHED) + step, step):
        if reason := unanswered(text[:end], whole=False):
            return reason
    return unanswered(text, whole=True)


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_heard(text: str) -> None:
    assert first_alarm(text) == REFUSED


@pytest.mark.parametrize("text", ANSWERS)
@pytest.mark.parametrize("behind", ["", " More about this stands in the handbook, on page four [2]."])
def test_an_answer_is_left_alone(text: str, behind: str) -> None:
    assert first_alarm(text + behind, step=1) == ""


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_is_heard_before_the_answer_is_whole(text: str) -> None:
    more = "请您联系客服，他们会帮您查询。" if "。" in text else " Please ask the person in charge of it."
    assert unanswered(text + "\n" + more, whole=False) == REFUSED


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_that_goes_on_to_answer_is_kept(text: str) -> None:
    turn = "不过，手册第四页写着三十天 [2]。" if "。" in text else " However, page four says thirty days [2]."
    assert first_alarm(text + "\n" + turn, step=1) == ""


@pytest.mark.parametrize("text", REFUSALS)
def test_a_refusal_further_down_does_not_count(text: str) -> None:
    assert first_alarm("The deadline is 31 March [1]. " + text) == ""
    assert first_alarm("截止日期是3月31日 [1]。" + text) == ""


@pytest.mark.parametrize("text", SHORT)
def test_next_to_nothing_is_too_short_once_it_is_whole(text: str) -> None:
    assert unanswered(text, whole=True) == TOO_SHORT
    assert unanswered(text, whole=False) == ""


@pytest.mark.parametrize("text", AGREED)
def test_a_yes_with_a_source_is_not_too_short(text: str) -> None:
    assert first_alarm(text, step=1) == ""


@pytest.mark.parametrize(
    "more",
    [
        " Please ask in room 12.",
        " I can only answer questions about 2019.",
        " The sources do not mention room 12.",
        " It is a matter of opinion.",
    ],
)
def test_a_next_sentence_that_gives_no_answer_changes_nothing(more: str) -> None:
    for text in REFUSALS[:40]:
        assert first_alarm(text + more, step=1) == REFUSED


@given(st.text(max_size=400), st.booleans())
def test_any_text_is_judged(text: str, whole: bool) -> None:
    assert unanswered(text, whole=whole) in ("", REFUSED, TOO_SHORT)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_costs_no_more_than_a_friendly_one(text: str) -> None:
    def took(said: str) -> float:
        began = time.process_time()
        for _ in range(50):
            unanswered(said, whole=True)
        return time.process_time() - began

    answer = "The deadline is the 31st of March, as the handbook says [1]. " * 8
    friendly = min(took(answer) for _ in range(3))
    assert min(took(text) for _ in range(3)) < 100 * friendly + 0.05


def test_the_tables_are_large_and_reasons_are_known() -> None:
    assert len(set(REFUSALS)) >= 60
    assert len(set(ANSWERS)) >= 60
    assert {REFUSED, TOO_SHORT} <= set(REASONS)
