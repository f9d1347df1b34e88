"""One session: a plan on hosts on one day. The request is stored before, failures after, so it can be resumed.

    DIR/reports/DAY/*.json                 one report per host, the truth (`folder`)
    DIR/sessions/DAY-PLAN-N/session.json   what was asked, and which hosts answered or failed, and why
    DIR/sessions/DAY-PLAN-N/plan           the plan; sessions/payload/ has the copies of the core

The same directory, plan, day and number are the same session: hosts that answered are not measured again.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope import __version__
from tierscope.errors import MachineError, ResultError, TierscopeError, UsageError, reason
from tierscope.files import write_atomically
from tierscope.fleet import suite_runs
from tierscope.fleet.engines import Answer, Job, engines
from tierscope.fleet.folder import report_path
from tierscope.fleet.host_report import MOST_SESSIONS, HostReport
from tierscope.fleet.payload import payload_of
from tierscope.fleet.payload.report import Asked, report_of
from tierscope.fleet.plan import FleetPlan
from tierscope.fleet.same_plan import same_plan

SESSIONS, STATE, PLAN = "sessions", "session.json", "plan"
DAY_LETTERS = len("2026-01-01")  # with which the name of a session's folder begins
SCHEMA = 1
WAITED_S = 3600.0  # beyond its limit; answers of 10,000 hosts are read one after the other
EVERY_S = 1.0  # the state is written so often at most while hosts answer
Tell = Callable[[str, str], None]
"""Takes a host and why it failed, "" if it answered."""


class Session(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The request and its answers. hosts: name -> facts of the user; answered: host -> its report's file."""

    schema: int = SCHEMA
    via: str
    plan_name: str
    plan: str
    day: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$")]
    session: Annotated[int, Meta(ge=0, le=MOST_SESSIONS)]
    tierscope: str = __version__
    limit_s: float = 60.0
    at_once: int = 16
    together: bool = False
    hosts: dict[str, dict[str, str]]
    answered: dict[str, str] = {}
    failed: dict[str, str] = {}
    begun: float = 0.0  # seconds since 1970, by the controller's clock; 0 if an older version wrote it

    @property
    def missing(self) -> tuple[str, ...]:
        """Return hosts without a report, in their order."""
        return tuple(host for host in self.hosts if host not in self.answered)

    @property
    def folder(self) -> str:
        """Name of its folder."""
        return f"{self.day}-{self.plan_name}-{self.session}"


def begin(directory: Path, asked: Session, plan: FleetPlan) -> Session:
    """Return the session, as it was left if it exists; UsageError where another plan has its name."""
    folder = directory / SESSIONS / asked.folder
    if (folder / STATE).exists():
        old = load(folder)
        if old.plan != plan.digest:
            raise UsageError(
                f"{folder} is a session of another plan ({old.plan}, now {plan.digest}); "
                f"give --session {asked.session + 1}"
            )
        old.hosts |= asked.hosts
        old.via, old.limit_s, old.at_once, old.together = asked.via, asked.limit_s, asked.at_once, asked.together
        asked = old
    else:
        asked.begun = time.time()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / PLAN, plan.text.encode())
        _save(folder, asked)
    except OSError as error:
        raise MachineError(f"{folder} cannot be written: {reason(error)}; free some space, or name another") from error
    return asked


def load(folder: Path) -> Session:
    """Return the stored state; ResultError where there is none."""
    try:
        found = msgspec.json.decode((folder / STATE).read_bytes(), type=Session)
    except OSError as error:
        raise ResultError(f"{folder} is not a session: {reason(error)}; see tierscope fleet run") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ResultError(f"{folder / STATE} is damaged: {error}; run tierscope fleet run again") from error
    found.plan = same_plan(found.plan)
    return found


def sessions(directory: Path, day: str = "") -> list[Session]:
    """Return the sessions of a fleet's day, by default of the last one, as they began; none where nothing was run."""
    found = {path.parent for path in (directory / SESSIONS).glob(f"{day or '*'}-*/{STATE}")}
    last = max((path.name[:DAY_LETTERS] for path in found), default="")
    of_day = [load(path) for path in sorted(found) if path.name.startswith(last)]
    return sorted(of_day, key=lambda one: (one.begun, one.session))


def last_session(directory: Path) -> tuple[Path, Session]:
    """Return the fleet's directory and its last session, or the one whose folder is named; ResultError for none."""
    if (directory / STATE).is_file():
        return directory.absolute().parent.parent, load(directory)
    if not (found := sessions(directory)):
        raise ResultError(f"{directory} has no session; begin one: tierscope fleet run --out {directory}")
    return directory, found[-1]


def measure(directory: Path, asked: Session, tell: Tell = lambda _host, _why: None) -> Session:
    """Measure the hosts that are missing; every host ends in `answered` or in `failed`."""
    folder = directory / SESSIONS / asked.folder
    plan = FleetPlan(asked.plan_name, (folder / PLAN).read_text(encoding="utf-8"))
    if plan.digest != asked.plan:
        raise ResultError(f"{folder / PLAN} was changed since the session began; begin another: give --session")
    hosts = asked.missing
    with _only_one(folder), _stored(folder, asked) as lock:
        keep = _Keeper(directory, folder, asked, tell, lock)
        job = Job(payload_of(plan), folder.resolve(), asked.limit_s, asked.at_once, asked.together)
        engine = engines[asked.via]
        if hosts and plan.suite:
            suite_runs.measure(engine, plan.suite, job, hosts, keep.known, keep.keep)
        elif hosts:
            engine.measure(job, hosts, keep.take)
    return asked


class _Keeper:
    """Stores each answer as it comes."""

    def __init__(self, directory: Path, folder: Path, asked: Session, tell: Tell, lock: threading.Lock) -> None:
        self._directory, self._folder, self._asked, self._tell, self._lock = directory, folder, asked, tell, lock
        self._started = self._saved = time.time()

    def take(self, host: str, answer: Answer) -> None:
        """Store what a bundle contains, or the reason why there is none."""
        earliest = time.time() - self._asked.limit_s - WAITED_S
        self._keep(host, lambda: self._stored(host, answer, max(self._started, earliest)))

    def keep(self, host: str, found: HostReport | TierscopeError) -> None:
        """Store a report, or the reason why there is none."""

        def stored() -> str:
            if isinstance(found, TierscopeError):
                raise found
            return write_report(self._directory, found)

        self._keep(host, stored)

    def known(self, host: str, earliest: float | None = None) -> Asked:
        """Return what is known of a measurement before it; earliest: its begin, that of the session if not given."""
        own = self._asked
        return Asked(host, own.plan, own.day, own.session, own.hosts.get(host, {}), earliest or self._started)

    def _keep(self, host: str, stored: Callable[[], str]) -> None:
        why, path = "", ""
        try:
            path = stored()
        except TierscopeError as error:
            why = str(error) or type(error).__name__
        except Exception as error:  # noqa: BLE001 (what one host sent is that host's alone)
            why = f"its answer cannot be read: {type(error).__name__}: {error}"
        with self._lock:
            if path:
                self._asked.answered[host] = path
                self._asked.failed.pop(host, None)
            else:
                self._asked.failed[host] = why[:600]
            if time.time() - self._saved > EVERY_S:
                self._saved = time.time()
                _save(self._folder, self._asked)
            self._tell(host, why)

    def _stored(self, host: str, answer: Answer, earliest: float) -> str:
        if isinstance(answer, MachineError):
            raise answer
        return write_report(self._directory, report_of(answer, self.known(host, earliest)))


def write_report(directory: Path, report: HostReport) -> str:
    """Write one report; return its path below the directory."""
    path = report_path(directory, report)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(path, msgspec.json.encode(report, order="deterministic"))
    return str(path.relative_to(directory))


@contextmanager
def _stored(folder: Path, asked: Session) -> Iterator[threading.Lock]:
    """Write the state at the end, however it ends."""
    lock = threading.Lock()
    try:
        yield lock
    finally:
        with lock:
            _save(folder, asked)


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    import fcntl

    with (folder / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(f"another process runs the session {folder.name}; wait for its end") from error
        yield


def _save(folder: Path, asked: Session) -> None:
    write_atomically(folder / STATE, msgspec.json.format(msgspec.json.encode(asked), indent=1))
