"""Chinese follow-ups: how one leans, what a question is about, and how the two are put together. Pure."""

import re
from collections.abc import Iterator

from app.followups.kinds import Kind

_MARKS = "？?。！!，,；;：: 　吧啊呀哦呢嘛了"
_ASKING = (
    "因为什么|为什么|为啥|为何|怎么样|怎么办|怎么|怎样|如何|什么时候|什么地方|什么|哪一年|哪年|哪天|哪里|哪儿|哪些|哪个|哪|谁|多少钱|多少|几点|几天|几年|几个|几"
    "|多久|多长|多大|多高|多远|多快|多重|是否|能不能|能否|可不可以|有没有|是不是|会不会|要不要|吗"
)
_POLITE = "请问一下|请问|麻烦|你好|您好|谢谢|帮我|告诉我|我想知道|想知道|想问一下|想问|我想|能否|可否|请|一下"
_SMALL = (
    "可以|能够|需要|应该|必须|以及|或者|还是|关于|对于|介绍|解释|说明|描述|总结|概述|列出|说说|讲讲|谈谈|主要|一般|通常|具体"
    "|现在|目前|的话|之间|进行|使用|意思|含义|定义|区别|历史|作用|意义|包含|包括|默认|监听|支持|提供|规定|这款|这种|我们|你们|自己"
    "|我|你|您|的|有(?![效限机关])|是|在(?![线职])|会(?![议员计话场])|(?<![太阳热功性可智技效动])能(?![力源量效耗级])|要(?![求点])|被|把"
    "|对(?![象比账接话])|和(?![平解])|与|跟|或|及|也|都(?!市)|还|就|才|又|再|很|最|更(?![新换改正])|地(?![址区点铁方图板下])"
    "|用(?![户途品电水])|从|到(?![期账岗货])|给|让"
)
_FRAGMENT = re.compile(
    rf"(?:那么|那|还有|以及|或者|可是|但是|然后|另外|再|换成|如果是|要是)(?!时|年|个|些|里|次|本|部|篇|座|家|位|种|样)[^，,。]{{1,12}}(?:呢|吗)?[？?！。]*$"
    r"|[^，,。？?]{1,10}呢[？?！。]*$"
    rf"|(?:那|可)?(?:{_ASKING}|真的|确定|例如|比如)(?:呢|啊|呀|吗|的)?[？?！。]*$"
    r"|(?:请)?(?:继续|接着说|详细(?:说说|一点|点|讲讲)?|再详细(?:一)?点|展开(?:说说|讲讲)?|举(?:个|一个)?例(?:子)?|还有吗|还有别的吗|然后呢|还有呢)[吧呢？?。]*$"
    r"|(?:在|对|对于|用|按|从|到)[^，,。到是有]{1,6}(?:呢)?[？?]$"
)
_PERSONAL = "它们|他们|她们|它|他|她"
_DEICTIC = (
    "文件|文档|项目|手册|应用|软件|系统|页面|网站|工具|产品|程序|资料|对话|聊天"
    "|年|月|周|次|里|时候|边|家公司"
)
_COUNTED = "(?:个|些|种|样|款|位|本|部|座|家|场|份|篇|项)"
_PRONOUN = re.compile(
    rf"(?P<personal>(?<!其)(?:{_PERSONAL})(?!人))"
    r"|(?P<owning>(?<![尤极与如及])其(?![实中他余它次间]))"
    rf"|(?P<pointing>(?:这|(?<![\u4e00-\u9fff])那|那(?=[个些种])|(?<!应)该|(?<![因如])此)(?!{_COUNTED}?(?:{_DEICTIC}|么))"
    rf"{_COUNTED}?(?=[\u4e00-\u9fff？?，,]|$)"
    r"|上述|上面|前者|后者|第[一二三四五六七八九十\d]+[个种条项款](?![\u4e00-\u9fff]{4})|另一[个种]|另外一[个种]|别的|其[他它](?:的|呢|吗)|同样)"
)
_STARTS_BARE = re.compile(
    rf"(?:也|又|还|都|只|一共|总共|同时)|(?:{_ASKING})"
    r"|(?:有|是|会|能|可以|需要|要|应该|主要|最早|最大|最小|最好|最)"
)
# What somebody wants to do, which is not what they speak of: cut from a topic behind "how" and the like.
_DOING = (
    "添加|增加|新增|加入|删除|移除|清除|清空|安装|卸载|设置|配置|使用|修改|更改|更新|升级|更换|调整|创建|新建|上传|下载|导入|导出|启动|停止|重启"
    "|重置|运行|连接|切换|查看|查询|打开|关闭|取消|申请|提交|登录|注册|启用|禁用|开启|保存|备份|恢复|迁移|部署|编辑|选择|限制|访问|调用|发送"
    "|购买|办理|报销|处理|解决|避免|防止|测量|优化|管理|分享|找到|得到|获得|获取"
)
_WANTED = re.compile("怎么|怎样|如何|可以|能够|能否|能不能|可否|可不可以|想|需要|应该|请|帮我|要(?![求点])")
_DONE = re.compile(_DOING)
_RELATIONS = (
    "作者|症状|原因|影响|副作用|好处|优点|缺点|优缺点|利弊|区别|类型|种类|价格|费用|票价|要求|条件|结果|结论|意义|成员|主题|人物|主角|历史|起源"
    "|含义|人口|首都|面积|风险|例外|限制|步骤|期限|截止日期|后果|治疗方法|来源|成分|功能|例子|组成|用途|保修期|尺寸|重量|高度|长度|年龄|日期|地址|名字"
    "|标题|颜色|替代品|竞争对手|目标|特点|特征|流程|材料|时间|地点|负责人|标准|比例|上限|下限|金额|结局|导演|评价|性能"
)
_RELATION = re.compile(
    rf"(?:主要|常见|具体|最大|最)?的?(?:{_RELATIONS})(?:都)?(?:是|有|在|怎么样|如何|多少|多长|多大|谁|什么|哪些|呢|吗|包括|为)*"
    rf"(?:{_ASKING})?[？?。]*$"
)
_LEAD = re.compile(r"(?:那么|那|还有|以及|或者|可是|但是|然后|另外|再|换成|如果是|要是)+")
_NOISE = re.compile(rf"{_POLITE}|{_ASKING}|{_SMALL}|[{_MARKS}“”\"'（）()]")
_BARE_LENGTH = 3  # characters of content up to which a question without a subject leans


def kind(question: str) -> Kind:
    """How the question leans on what came before."""
    asked = re.sub(rf"^(?:{_POLITE}|[，, ])+", "", question.strip())
    if _FRAGMENT.match(asked) and len(asked) <= 16:
        return Kind.FRAGMENT
    if any(not _has_antecedent(asked[: found.start()], found) for found in _PRONOUN.finditer(asked)):
        return Kind.PRONOUN
    is_bare = _STARTS_BARE.match(asked) and not asked.startswith("什么是")
    if _RELATION.match(asked) or (is_bare and len(_content(asked)) <= _BARE_LENGTH):
        return Kind.RELATION
    return Kind.NONE


def topic(question: str) -> str:
    """The phrase that the question is most likely about: what stands before 的, or its longest piece."""
    owned = re.search(r"([^，,。？?的]{2,14})的[^，,。？?]{1,8}", question)
    owner = max(_nouns(owned[1]), key=len, default="") if owned else ""
    return (owner or max(_nouns(question), key=len, default=""))[:16]


def _nouns(text: str) -> Iterator[str]:
    """The pieces that are not small, each without what is done with it."""
    end = 0
    for noise in (*_NOISE.finditer(text), None):
        piece = text[end : noise.start() if noise else len(text)].strip()
        if piece and (done := _DONE.match(piece)) and _WANTED.search(text[:end]):
            piece = piece[done.end() :]
        yield piece
        end = noise.end() if noise else end


def name(question: str) -> str:
    """Names look like other words here."""
    return ""


def introduces(question: str, topic: str) -> bool:
    """Whether the conversation is about this from now on."""
    return len(topic) > 1


def join(question: str, kind: Kind, topic: str, name: str, before: str) -> str:
    """The question with its topic, or a fragment behind the question that it goes on from."""
    asked = question.strip().rstrip(_MARKS[:10])
    if kind is Kind.FRAGMENT:
        rest = _LEAD.sub("", asked, count=1).rstrip("呢吗")
        return f"{before.rstrip(_MARKS[:10])}，{rest or asked}？"
    if kind is Kind.PRONOUN and (pronoun := _replaceable(asked)):
        owning = "的" if pronoun["owning"] else ""
        return f"{asked[: pronoun.start()]}{topic}{owning}{asked[pronoun.end() :]}？"
    return f"{topic}{'的' if _RELATION.match(asked) else ''}{asked}？"


def _replaceable(asked: str) -> "re.Match[str] | None":
    return next((found for found in _PRONOUN.finditer(asked) if not found["pointing"]), None)


def _has_antecedent(before: str, found: "re.Match[str]") -> bool:
    """Whether the question itself names what the pronoun stands for."""
    return not found["pointing"] and len(_content(before)) >= 3


def _content(text: str) -> str:
    return _NOISE.sub("", text)
