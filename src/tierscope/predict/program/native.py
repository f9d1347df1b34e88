"""How long a program takes here: the same command several times, and what the kernel charges to each.

One run before the others is dropped, since it fills the page cache. Every run gets the same standard input, so that it
must be a file; what the program prints is dropped.
The time of processes that it started is kept apart: the kernel adds it up when the program has waited for them.
Blind to: what the program leaves behind for its next run, such as files.
Source: Linux manual pages, proc(5), /proc/PID/stat, fields 16 and 17.
"""

import os
import stat
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np

from tierscope.arrays import Floats
from tierscope.errors import UsageError
from tierscope.host.others import Others, cpus_between
from tierscope.host.system import System
from tierscope.predict.program.crowded import crowded
from tierscope.predict.program.printed import printed
from tierscope.stats.median import Interval, median
from tierscope.units import show_seconds

LEAST, MOST = 5, 15  # runs
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
    for environment in environments:
        _once(command, limit_s, environment)
    found: list[list[_Once]] = [[] for _ in environments]
    began, spent, others = perf_counter(), SPENT_S * len(environments), Others(System())
    first = others.mark()
    while len(found[-1]) < LEAST or (len(found[-1]) < MOST and perf_counter() - began < spent):
        for runs, environment in zip(found, environments, strict=True):
            runs.append(_once(command, limit_s, environment))
    last = others.mark()
    used = cpus_between(first, last) if first and last else None
    return [_beside(_native(runs), used) for runs in found]


def _beside(native: Native, others_cpus: float | None) -> Native:
    """Return it with the CPUs that other programs used, and a note if they left too few."""
    crowd = crowded(native.cpus, others_cpus)
    return replace(native, others_cpus=others_cpus, notes=(*native.notes, *([crowd] if crowd else [])))


def _native(runs: Sequence["_Once"]) -> Native:
    walls, users, systems, children = np.array([one[:4] for one in runs]).T
    notes = ((PIPE,) if _input_kind() == "pipe" else ()) + _waited(walls, users + systems)
    said = {one[4] for one in runs}
    same = said.pop() if len(said) == 1 else ""
    return Native(
        median(walls), median(users), float(np.median(systems)), len(runs), notes, same, float(np.median(children))
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


_Once = tuple[float, float, float, float, str]
"""Wall, user and system seconds of a run, those of its children, and the digest of what it printed."""


def _once(command: Sequence[str], limit_s: float, environment: Mapping[str, str]) -> _Once:
    with printed() as output:
        times = _timed(command, limit_s, environment, output.descriptor)
    return *times, output.digest


def _timed(
    command: Sequence[str], limit_s: float, environment: Mapping[str, str], output: int
) -> tuple[float, float, float, float]:
    with same_input() as given, printed() as said:
        began = perf_counter()
        child = subprocess.Popen(command, stdin=given, stdout=output, stderr=said.descriptor, env=environment)
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
        raise UsageError(f"{command[0]} takes longer than {show_seconds(limit_s)}; "
                         "take a smaller case, or a larger --limit")  # fmt: skip
    if child.returncode:
        raise UsageError(_failure(command[0], child.returncode, said.last_line))
    return wall, usage.ru_utime, usage.ru_stime, children


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
