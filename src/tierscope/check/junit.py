"""JUnit XML of a check: one test case for each point.

A point that failed is a `failure`. One that is not known is `skipped`, as JUnit 5 reports a test whose assumption is
false: it has neither passed nor failed. A check that could not be made is an `error`.
Source: Jenkins xUnit plugin, junit-10.xsd; JUnit 5 User Guide, "Assumptions".
"""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime

from tierscope.check.judge import FAILED, NOT_KNOWN, Checked, Judged
from tierscope.check.text import sentence, told
from tierscope.errors import TierscopeError
from tierscope.printable import printable

NAME = "tierscope.check"


def report(found: Checked, seconds: float) -> bytes:
    """Return the document of a check. seconds: that it took."""
    result = found.run.result
    suite = _suite(len(found.points), found.count(FAILED), 0, found.count(NOT_KNOWN), seconds)
    suite.set("hostname", printable(result.machine.hostname))
    properties = ET.SubElement(suite, "properties")
    for name, value in (("run", str(found.run.path)), ("suite", result.suite), ("origin", result.origin)):
        ET.SubElement(properties, "property", name=name, value=printable(value))
    for one in found.points:
        _case(suite, one)
    ET.SubElement(suite, "system-out").text = printable(sentence(found))
    return _document(suite)


def error(problem: TierscopeError, seconds: float) -> bytes:
    """Return the document of a check that could not be made."""
    suite = _suite(1, 0, 1, 0, seconds)
    case = ET.SubElement(suite, "testcase", classname=NAME, name="check", time="0")
    message = printable(str(problem))
    ET.SubElement(case, "error", message=message, type=type(problem).__name__).text = message
    return _document(suite)


def _suite(tests: int, failures: int, errors: int, skipped: int, seconds: float) -> ET.Element:
    counts = {"tests": tests, "failures": failures, "errors": errors, "skipped": skipped}
    times = {"time": f"{seconds:.3f}", "timestamp": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"}
    return ET.Element("testsuite", {"name": NAME, **{name: str(count) for name, count in counts.items()}, **times})


def _case(suite: ET.Element, one: Judged) -> None:
    name = f"{one.threshold.name}: {one.point}" if one.threshold.name else one.point
    case = ET.SubElement(
        suite,
        "testcase",
        classname=f"{NAME}.{one.threshold.measure.table.name}",
        name=printable(f"{name}, {one.threshold.asked}"),
        time="0",
    )
    message = printable(told(one))
    if one.verdict == FAILED:
        ET.SubElement(case, "failure", message=message, type="threshold").text = message
    elif one.verdict == NOT_KNOWN:
        ET.SubElement(case, "skipped", message=f"not known: {message}")
    ET.SubElement(case, "system-out").text = "\n".join(map(printable, (one.said, *one.reasons)))


def _document(suite: ET.Element) -> bytes:
    root = ET.Element("testsuites", {key: suite.attrib[key] for key in ("tests", "failures", "errors", "time")})
    root.append(suite)
    ET.indent(root)
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode").encode() + b"\n"
