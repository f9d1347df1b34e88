"""The reports of one day, each read on its own: what cannot be used is listed with a reason and stops nothing."""

import json
import math
import os
import re
import stat
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from tierscope.errors import reason
from tierscope.fleet.host_report import SCHEMA, HostReport
from tierscope.fleet.outliers_result import Listed
from tierscope.fleet.same_plan import same_plan
from tierscope.printable import printable

LARGEST = 4 << 20  # bytes: 4096 numbers of a long name each fit
CLOCK_S = 3 * 3600.0  # a report without the fact of its offset is listed that is so far outside its day
_DECODER = msgspec.json.Decoder(HostReport)
_KEYS = len(HostReport.__struct_fields__)
_COLON = re.compile(rb'"\s*:')


class RepeatedKeyError(ValueError):
    """A JSON object states one key twice."""


def read_day(folder: Path, cloned: set[str]) -> tuple[list[HostReport], list[Listed]]:
    """Return the usable reports of one day, one per (machine, plan, session), and what was set aside or is odd.

    cloned: machine identities that several hosts share; those that are found on this day are added.
    """
    reports, listed = [], []
    for name in sorted(entry.name for entry in os.scandir(folder) if entry.name.endswith(".json")):
        try:
            reports.append(_read(folder / name, folder.name))
        except (ValueError, RecursionError) as error:
            listed.append(Listed(f"{folder.name}/{printable(name)}", printable(str(error))[:300]))
        except OSError as error:
            listed.append(Listed(f"{folder.name}/{printable(name)}", reason(error)))
    reports = [*_told_apart(reports, cloned, listed)]
    return [*_once(reports, listed)], [*listed, *_remarks(reports)]


def _read(path: Path, day: str) -> HostReport:
    """Return one report; ValueError states what is wrong with it."""
    text = _bytes(path)
    report = _DECODER.decode(text)
    if report.schema > SCHEMA:
        raise ValueError(f"schema {report.schema} is from a later version; this one reads up to {SCHEMA}")
    if report.day != day:
        raise ValueError(f"it states the day {report.day}, but is in the folder of {day}")
    expected = _KEYS + len(report.facts) + sum(len(one.__struct_fields__) for one in report.numbers)
    if len(_COLON.findall(text)) != expected:  # a colon in a value, or a key twice
        json.loads(text, object_pairs_hook=_unique)
    _check(report)
    return msgspec.structs.replace(report, plan=same_plan(report.plan))


def _bytes(path: Path) -> bytes:
    number = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        facts = os.fstat(number)
        if not stat.S_ISREG(facts.st_mode):
            raise ValueError("it is not a regular file")
        if facts.st_size > LARGEST:
            raise ValueError(f"it has {facts.st_size} bytes; a report has at most {LARGEST}")
        return os.read(number, LARGEST + 1)
    finally:
        os.close(number)


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise RepeatedKeyError(f"it states {twice!r} twice")
    return found


def _check(report: HostReport) -> None:
    if not math.isfinite(report.at):
        raise ValueError("its clock is not a number")
    if len({one.metric for one in report.numbers}) != len(report.numbers):
        raise ValueError("it states a metric twice")
    for one in report.numbers:
        if not one.low <= one.value <= one.high or not math.isfinite(one.high):
            raise ValueError(f"{one.metric}: {one.value} is not in its interval {one.low} to {one.high}")


def _told_apart(reports: list[HostReport], cloned: set[str], listed: list[Listed]) -> Iterator[HostReport]:
    """Yield the reports; hosts that share a machine identity get one each, of identity and name.

    cloned: identities that were shared before; those of this day are added. An identity is shared where two hosts
    report the same session with it. Two names in different sessions are one machine that was renamed.
    """
    hosts: dict[str, dict[tuple[str, int], dict[str, HostReport]]] = defaultdict(lambda: defaultdict(dict))
    for report in reports:
        hosts[report.machine][report.plan, report.session][report.host] = report
    for machine, by_session in hosts.items():
        most = max(by_session.values(), key=len)
        if len(most) > 1:
            cloned.add(machine)
            listed.append(Listed(printable(machine), _shared(most)))
    for report in reports:
        if report.machine in cloned:
            yield msgspec.structs.replace(report, machine=f"{report.machine}@{report.host}")
        else:
            yield report


def _shared(hosts: dict[str, HostReport]) -> str:
    """Return why hosts may share an identity: a copied image, or two names of one machine."""
    shown = ", ".join(map(printable, sorted(hosts)[:5])) + (", ..." if len(hosts) > 5 else "")
    own = Counter(report.facts.get("hostname", "") for report in hosts.values())
    name, count = own.most_common(1)[0]
    why = "a copied image? give each its own /etc/machine-id"
    if name and count > 1:
        why = f"{count} of them call themselves {printable(name)}: if that is one machine, list it once"
    return f"{len(hosts)} hosts report this machine identity: {shown}; {why}; they are kept apart by name"


def _once(reports: list[HostReport], listed: list[Listed]) -> Iterator[HostReport]:
    """Yield the first report of each key; a copy is not a second measurement."""
    seen: dict[tuple[str, str, int], HostReport] = {}
    for report in sorted(reports, key=lambda one: one.at):
        key = (report.machine, report.plan, report.session)
        if key in seen:
            alike = "the same" if report == seen[key] else "another"
            listed.append(Listed(printable(report.host), f"{alike} report of session {report.session} on {report.day} "
                                 "is there twice; the first is used"))  # fmt: skip
        else:
            seen[key] = report
            yield report


def _remarks(reports: list[HostReport]) -> Iterator[Listed]:
    """Yield what is odd about the day as a whole: clocks, plans, versions."""
    if not reports:
        return
    day = reports[0].day
    begin = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()
    for report in reports:
        away = max(begin - report.at, report.at - begin - 86400)
        if offset := _offset(report):
            yield Listed(printable(report.host), f"its clock is at least {abs(offset) / 3600:.1f} h "
                         f"{'ahead of' if offset > 0 else 'behind'} that of the controller")  # fmt: skip
        elif away > CLOCK_S:
            yield Listed(printable(report.host), f"its clock is {away / 3600:.1f} h away from {day}")
    for what, values, then in (
        ("plans", Counter(one.plan for one in reports), "only reports of one plan are compared, see --plan"),
        ("versions of Tierscope", Counter(one.tierscope for one in reports), "the version is a fact of each host"),
    ):
        if len(values) > 1:
            shown = ", ".join(f"{printable(value)} ({count})" for value, count in values.most_common(5))
            yield Listed(day, f"{len(values)} {what}: {shown}; {then}")


def _offset(report: HostReport) -> int:
    """Return how many seconds the host's clock was ahead of the controller's, 0 where the report states none."""
    text = report.facts.get("clock_offset_s", "")
    return int(text) if re.fullmatch(r"-?[0-9]{1,12}", text) else 0
