"""A result as JUnit XML, which every CI reads: a scenario is a suite, a budget a case."""

import re
from xml.etree import ElementTree as Xml

from e2e.latency.result import Part, Result

HEAD = '<?xml version="1.0" encoding="utf-8"?>\n'
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, production 2


def write(result: Result) -> str:
    root = Xml.Element("testsuites", name="latency")
    for part in result.parts:
        root.append(_suite(part))
    Xml.indent(root)
    return HEAD + NO_XML.sub("\ufffd", Xml.tostring(root, encoding="unicode"))


def _suite(part: Part) -> Xml.Element:
    cases = [_case(part, finding.budget.name, finding.sentence, finding.state) for finding in part.findings]
    if part.run.refused:
        cases.append(_case(part, "generator", part.run.refused, "broken"))
    if part.run.lost:
        cases.append(_case(part, "turns", part.run.lost, "broken"))
    failures = sum(case.find("failure") is not None for case in cases)
    skipped = sum(case.find("skipped") is not None for case in cases)
    suite = Xml.Element("testsuite", name=part.run.name, tests=str(len(cases)), failures=str(failures),
                        skipped=str(skipped))  # fmt: skip
    suite.extend(cases)
    return suite


def _case(part: Part, name: str, sentence: str, state: str) -> Xml.Element:
    case = Xml.Element("testcase", classname=f"latency.{part.run.name}", name=name)
    if state in ("broken", "unknown"):
        Xml.SubElement(case, "failure", message=sentence).text = sentence
    elif state == "unsure":
        Xml.SubElement(case, "skipped", message=sentence)
    else:
        Xml.SubElement(case, "system-out").text = sentence
    return case
