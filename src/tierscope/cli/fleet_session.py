"""A session of a fleet as a command: what is asked, a line for each host that fails, and the status."""

from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from tierscope.cli import door
from tierscope.cli.words import read_words
from tierscope.errors import Exit, UsageError
from tierscope.fleet.confirm_plan import read_plan as read_confirm
from tierscope.fleet.engines import engines
from tierscope.fleet.plan import read_plan
from tierscope.fleet.session import SESSIONS, Session, begin, load, measure, sessions
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
    if wanted.confirm:
        asked = read_confirm(wanted.out)
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
    return _measured(wanted.out, begin(wanted.out, state, plan))


def resume(directory: Path) -> int:
    """Continue the last session, or the one that is named."""
    folder = sessions(directory)[-1]
    return _measured(folder.parent.parent, load(folder))


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
    taken = [load(one).session for one in (directory / SESSIONS).glob(f"{_today()}-{plan}-*")]
    return max(taken, default=0) + 1


def _today() -> str:
    return datetime.now(UTC).date().isoformat()
