"""How long a program takes here: the same command several times, and what the kernel charges to each.

One run before the others is dropped, since it fills the page cache. Every run gets the same standard input, so that it
must be a file; what the program prints is dropped.
The first run also shows whether it starts processes. If it does, each run states all of them (`simulated.family`).
Where the system lets nobody follow them, their time is what the kernel adds up when the program has waited for them.
Blind to: what the program leaves behind for its next run, such as files.
Source: Linux manual pages, proc(5), /proc/PID/stat, fields 16 and 17.
"""

import os
import stat
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np

from tierscope.arrays import Floats
from tierscope.errors import UsageError
from tierscope.host.others import Others, cpus_between
from tierscope.host.system import System
from tierscope.predict.program.crowded import crowded
from tierscope.predict.program.printed import printed
from tierscope.simulated.family import Family, family_of, family_words
from tierscope.stats.median import Interval, median
from tierscope.units import show_seconds

LEAST, MOST = 5, 15  # runs
SHORTEST_S = 0.01  # of user time: the kernel charges it by ticks of 1 to 10 ms
RAN = 0.8  # of the wall time that the kernel charges, below which the program mostly waits
SPENT_S = 4.0  # for runs beyond LEAST
STANDARD_INPUT = 0
PIPE = "standard input is a pipe, which one run alone could read: each run got an empty one; give a file with <"
CHILDREN = slice(13, 15)  # words behind the name: user and system ticks of children


@dataclass(frozen=True, slots=True)
class Native:
    """Seconds of one run, with the 95 % interval of their median. user_s: of all threads together."""

    wall_s: Interval
    user_s: Interval
    system_s: float
    runs: int
    notes: tuple[str, ...] = ()
    said: str = ""  # "": it prints something else each time, or a process that it left behind prints on
    children_s: float = 0.0  # CPU time of processes that it started and waited for, of user_s and system_s
    families: tuple[Family, ...] = ()  # its processes in each run; (): it starts none, or nobody can follow them
    apart: bool = False  # whether this is one process of several, without the time of the others (`members`)
    others_cpus: float | None = None  # that other programs used meanwhile; None: not known

    @property
    def cpus(self) -> float:
        """Return how many CPUs it used on average."""
        return (self.user_s.middle + self.system_s) / self.wall_s.middle if self.wall_s.middle > 0 else 0.0

    @property
    def noise_share(self) -> float | None:
        """Return half of the interval of the time, over the time: the difference of the program from itself.

        None where the kernel charged no time to it.
        """
        return self.user_s.relative if self.user_s.middle > 0 else None


def measured(command: Sequence[str], limit_s: float) -> Native:
    """Return the measurement. UsageError for a program that fails, or takes longer than `limit_s`, with the
    next step.
    """
    return alternately(command, limit_s, [os.environ])[0]


def alternately(command: Sequence[str], limit_s: float, environments: Sequence[Mapping[str, str]]) -> list[Native]:
    """Return one measurement for each environment. Their runs alternate, so that a machine that drifts does so for all.

    Errors as of `measured`.
    """
    watched = [_starts_others(command, limit_s, environment) for environment in environments]
    found: list[list[_Once]] = [[] for _ in environments]
    began, spent, others = perf_counter(), SPENT_S * len(environments), Others(System())
    first = others.mark()
    while len(found[-1]) < LEAST or (len(found[-1]) < MOST and perf_counter() - began < spent):
        for runs, environment in zip(found, environments, strict=True):
            runs.append(_once(command, limit_s, environment, watched=all(watched)))
    last = others.mark()
    used = cpus_between(first, last) if first and last else None
    return [_beside(_native(runs), used) for runs in found]


def _beside(native: Native, others_cpus: float | None) -> Native:
    """Return it with the CPUs that other programs used, and a note if they left too few."""
    crowd = crowded(native.cpus, others_cpus)
    return replace(native, others_cpus=others_cpus, notes=(*native.notes, *([crowd] if crowd else [])))


def _starts_others(command: Sequence[str], limit_s: float, environment: Mapping[str, str]) -> bool:
    """Run it once, and return whether it starts processes that can be followed; False if it only works unfollowed."""
    try:
        first = _once(command, limit_s, environment, watched=True).family
    except _FailedError:  # such as a program with the rights of another user, which the kernel does not grant then
        first = None
    if first is None:
        _once(command, limit_s, environment, watched=False)
    return first is not None and len(first.processes) > 1


def _native(runs: Sequence["_Once"]) -> Native:
    walls, users, systems, children = np.array([one[:4] for one in runs]).T
    notes = ((PIPE,) if _input_kind() == "pipe" else ()) + _waited(walls, users + systems)
    said = {one.said for one in runs}
    same = said.pop() if len(said) == 1 else ""
    families = [one.family for one in runs if one.family]
    return Native(
        median(walls), median(users), float(np.median(systems)), len(runs), notes, same, float(np.median(children)),
        tuple(families) if len(families) == len(runs) else (),
    )  # fmt: skip


def _waited(walls: Floats, charged: Floats) -> tuple[str, ...]:
    """Return a note where the program mostly waits; walls, charged: seconds, shape (runs,)."""
    share = float(np.median(charged / walls))
    if share >= RAN:
        return ()
    note = (
        f"it ran for {share:.0%} of its wall time here and waited otherwise, for a file or for a CPU that others used; "
        "the time there contains these waits, so repeat it on an idle machine"
    )
    return (note,)


class _Once(NamedTuple):
    """Seconds of a run, the digest of what it printed, and its processes if they were followed."""

    wall: float
    user: float
    system: float
    children: float
    said: str
    family: Family | None


class _FailedError(UsageError):
    """The program ended with a status other than 0."""


def _once(command: Sequence[str], limit_s: float, environment: Mapping[str, str], *, watched: bool) -> _Once:
    """Run it once. Without a family if the system lets nobody follow processes; the times are then of no use."""
    with printed() as output, tempfile.TemporaryFile() as facts:
        words = family_words(facts.fileno(), command) if watched else list(command)
        timed = _timed(words, command[0], limit_s, environment, (output.descriptor, facts.fileno() if watched else -1))
        facts.seek(0)
        family = family_of(facts.read()) if watched else None
    if watched and family is None:
        return _Once(*timed.seconds, output.digest, None)
    status = timed.status if family is None else family.status
    if status:
        raise _FailedError(_failure(command[0], status, timed.said))
    if family is None:
        return _Once(*timed.seconds, output.digest, None)
    user, system = (sum(getattr(one, name) for one in family.processes) for name in ("user_s", "system_s"))
    before = sum(one.before_s for one in family.processes)
    children = sum(one.cpu_s for one in family.processes[1:]) + before
    return _Once(family.wall_s, user + before, system, children, output.digest, family)


class _Timed(NamedTuple):
    seconds: tuple[float, float, float, float]
    status: int
    said: str


def _timed(
    words: Sequence[str], name: str, limit_s: float, environment: Mapping[str, str], streams: tuple[int, int]
) -> _Timed:
    """Run words. name: of the program. streams: of its output, and one more that it gets, -1 for none."""
    output, more = streams
    with same_input() as given, printed() as said:
        began = perf_counter()
        child = subprocess.Popen(
            words, stdin=given, stdout=output, stderr=said.descriptor, env=environment,
            pass_fds=[more] if more >= 0 else [],
        )  # fmt: skip
        late = threading.Timer(limit_s, child.kill)
        late.start()
        try:
            os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
            wall = perf_counter() - began
            children = _children_s(child.pid)
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            child.kill()
            raise
        finally:
            over = not late.is_alive()
            late.cancel()
    child.returncode = os.waitstatus_to_exitcode(status)
    if over:
        raise UsageError(f"{name} takes longer than {show_seconds(limit_s)}; "
                         "take a smaller case, or a larger --limit")  # fmt: skip
    return _Timed((wall, usage.ru_utime, usage.ru_stime, children), child.returncode, said.last_line)


def _children_s(ended: int) -> float:
    """Return the CPU time of the processes that one which has ended had waited for; 0 where /proc does not state it."""
    try:
        behind_name = Path(f"/proc/{ended}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, behind_name[CHILDREN])) / os.sysconf("SC_CLK_TCK")


def _failure(name: str, status: int, said: str) -> str:
    how = f"signal {-status}" if status < 0 else f"status {status}"
    last = f" ({said})" if said else ""
    step = "the time of a failure predicts nothing: give it arguments and input with which it succeeds"
    terminal = "" if status < 0 else "; if it needs a terminal, give its input as a file, with <"
    return f"{name} ended with {how}{last}; {step}{terminal}"


@contextmanager
def same_input() -> Iterator[int]:
    """Return a descriptor of standard input from its beginning; of nothing where it cannot be read twice."""
    path = f"/proc/self/fd/{STANDARD_INPUT}" if _input_kind() == "file" else os.devnull
    given = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        yield given
    finally:
        os.close(given)


def _input_kind() -> str:
    try:
        mode = os.fstat(STANDARD_INPUT).st_mode
    except OSError:
        return "none"
    if stat.S_ISREG(mode):
        return "file"
    return "pipe" if stat.S_ISFIFO(mode) else "none"
