"""A session of a fleet as a command: what is asked, a line for each host that fails, and the status."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from tierscope.cli import door
from tierscope.cli.words import read_words
from tierscope.errors import Exit, UsageError
from tierscope.fleet.confirm_plan import read_plan as read_confirm
from tierscope.fleet.engines import engines
from tierscope.fleet.host_report import MOST_SESSIONS, HostReport
from tierscope.fleet.plan import read_plan
from tierscope.fleet.session import SESSIONS, Session, begin, last_session, measure, sessions
from tierscope.fleet.session_hosts import read_hosts
from tierscope.printable import printable

PLAN_S, SUITE_S = 60, 3600  # that a plan, and a suite, may take on a host
SHOWN = 40  # hosts that failed, one line each; the state file has all


class Wanted(NamedTuple):
    """The words of `fleet run`."""

    plan: str
    words: tuple[str, ...]
    via: str
    hosts: Path | None
    out: Path
    session: int
    together: bool
    at_once: int
    limit: int | None
    confirm: bool


def run(wanted: Wanted) -> int:
    """Begin or continue the session of today; return the status."""
    plan, engine = read_plan(wanted.plan, read_words(wanted.words)), engines[wanted.via]
    given = read_hosts(wanted.hosts) if wanted.hosts else {}
    session = wanted.session
    asked = read_confirm(wanted.out) if wanted.confirm else None
    if asked is not None:
        if asked.plan != plan.digest:
            raise UsageError(f"the confirming sessions are of plan {asked.plan}, and {plan.name} is {plan.digest}")
        given = {host: given.get(host, {}) for host in (*asked.suspects, *asked.controls)}
        session = session or _next(wanted.out, plan.name)
    hosts = {host: given.get(host, {}) for host in engine.hosts(tuple(given))}
    state = Session(
        via=wanted.via, plan_name=plan.name, plan=plan.digest, day=_today(), session=session, hosts=hosts,
        limit_s=float(wanted.limit or (SUITE_S if plan.suite else PLAN_S)), at_once=wanted.at_once,
        together=wanted.together,
    )  # fmt: skip
    state = begin(wanted.out, state, plan)
    status = _measured(wanted.out, state)
    if asked is not None:
        _strangers(wanted.out, state, asked.machines)
    return status


def resume(directory: Path) -> int:
    """Continue the last session, or the one that is named."""
    return _measured(*last_session(directory))


def _measured(directory: Path, state: Session) -> int:
    before = len(state.answered)
    if before:
        door.message(f"{before} of {len(state.hosts)} hosts answered before and are not measured again")
    state = measure(directory, state, _tell)
    door.line(_sentence(state, directory))
    for host in state.missing[:SHOWN]:
        door.line(f"  {host}: {printable(state.failed.get(host, 'not measured'))}")
    if more := len(state.missing[SHOWN:]):
        door.line(f"  and {more} more: {directory / SESSIONS / state.folder / 'session.json'}")
    if state.missing:
        door.line(f"Next: tierscope fleet resume {directory}")
    return int(_status(state))


def _strangers(directory: Path, state: Session, machines: Mapping[str, str]) -> None:
    """Name the hosts that answered as other machines than those that were judged: host -> machine."""
    for host, machine in machines.items():
        if path := state.answered.get(host):
            now = msgspec.json.decode((directory / path).read_bytes(), type=HostReport).machine
            if now != machine.removesuffix(f"@{host}"):
                door.line(f"  {host}: is now another machine than the one that was judged; was it renamed?")


def _tell(host: str, why: str) -> None:
    door.message(f"{host}: {printable(why) if why else 'answered'}")


def _sentence(state: Session, directory: Path) -> str:
    failed = f", {len(state.missing)} did not" if state.missing else ""
    name = f"{state.plan_name} on {state.day}" + (f", session {state.session}" if state.session else "")
    return f"fleet: {len(state.answered)} of {len(state.hosts)} hosts answered{failed}; {name}; {directory}"


def _status(state: Session) -> Exit:
    if not state.missing:
        return Exit.GOOD
    return Exit.INCONCLUSIVE if state.answered else Exit.CANNOT


def _next(directory: Path, plan: str) -> int:
    taken = [one.session for one in sessions(directory, _today()) if one.plan_name == plan]
    if (number := max(taken, default=0) + 1) > MOST_SESSIONS:
        raise UsageError(
            f"{directory} has {number - 1} sessions of {plan} today, and a day has no more; continue tomorrow"
        )
    return number


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
