"""One run of a program in the tracer, whose stream goes through any number of simulated machines in parallel."""

import os
import re
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence

import msgspec

from tierscope import core
from tierscope.errors import MachineError, UsageError
from tierscope.simulated.parallel import in_parallel
from tierscope.simulated.tracer import traced_words
from tierscope.units import show_seconds

STANDARD_ERROR = 2  # the descriptor
SOON_S = 0.5  # between the end of a stream and the exit status of its writer
WHY_SIGNAL = "QEMU may lack an instruction, such as AVX-512, or be at fault"
WHY_ILLEGAL = "QEMU lacks an instruction, usually one of AVX-512; build the program for x86-64-v3 (-march=x86-64-v3)"
WHY_KILLED = "usually because memory ran out; take a smaller case"
EMPTY = "the trace contains no "  # instruction, or load and store
OF_THE_TRACE = re.compile(r"(the )?trace\b")  # the core's messages about a damaged trace begin with this


Part = tuple[int, int, float]
"""Untraced instructions before it, its instructions, and its seconds."""


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """One simulated machine's answer. `counters`: events by level, "L1d.load_misses"."""

    machine: str
    instructions: int
    loads: int
    stores: int
    counters: dict[str, int]
    untraced_instructions: int = 0  # of a sampled trace; the other counts are those of what was traced
    units: int = 1  # parts that were timed
    threads: int = 1  # that lived at the same time, at most: one that starts after another ended takes its number
    whole: bool = True  # False: the trace ends before the program did
    notes: tuple[str, ...] = ()  # of the tracer: "fork", "exec"
    core: dict[str, int] = {}  # branches, wrong_guesses, forwarded_loads, far_loads
    seconds: float | None = None  # an estimate, by the machine's own core; None: only counted
    busy_s: float = 0.0  # in which threads worked, added up: without those in which one waited for another
    sampling_deviation_s: float = 0.0  # standard deviation of `seconds` by what was not traced
    seconds_low: float | None = None  # of three cores the fastest, less twice its deviation
    seconds_high: float | None = None
    seconds_overlapped: float | None = None  # an estimate, if no load waits for another; None: only counted
    seconds_waiting: float | None = None  # an estimate, if each waits for the one before
    parts: tuple[Part, ...] = ()
    cut: tuple[int, ...] = ()  # numbers of parts whose begin alone was timed (`begun`)
    last_gap: int = 0  # untraced instructions behind the last part
    in_doubt: tuple[float, float, float] = (0.0, 0.0, 0.0)  # lines read from memory; reads, hits that gaps may change
    knots: tuple[tuple[int, int, float], ...] = ()  # within parts: number of the part, instructions, seconds so far
    phases: tuple[tuple[str, int], ...] = ()  # that the program marked: name, instructions before it
    places: tuple[tuple[str, int, int], ...] = ()  # objects: name, most bytes at a time, allocations
    objects: tuple[tuple[int, float, float, float], ...] = ()  # place, seconds that wait, lines read, lines written
    ended: int | None = None  # exit status of the command, below 0 a signal; None: a file was read


class SoFar(msgspec.Struct, frozen=True, kw_only=True):
    """How far a replay is. seconds, instructions: of the program so far, on the first machine; threads: that ran."""

    seconds: float | None
    instructions: int
    threads: int


Watch = Callable[[SoFar], None]


class NeverBeganError(MachineError):
    """The process that was to be traced did not start in the tracer."""


def replayed(  # noqa: PLR0913 (three are streams)
    words: Sequence[str], command: Sequence[str], *, count: bool = False, sampling: str = "",
    output: int | None = None, given: int | None = None, errors: int | None = None, limit_s: float | None = None,
    objects: bool = False, warm_once: bool = False, watch: Watch | None = None, process: str = "",
) -> tuple[Traced, ...]:  # fmt: skip
    """Return what each machine of `words` (`sim:...`) makes of the command, with the exit status of the command.

    sampling: which parts are traced (tracer/README.md), "": all.
    output, given, errors: its standard output, input and error. None stands for those of this process. Messages of the
    tracer go to errors, too.
    objects: with the objects of the program, and the waits for each. A machine may then end in `,objects=FILE`. The
    first line of that file names another machine, and each further line names an object in its memory.
    warm_once: machines with the same caches share the warming between timed parts; only the counters of the first
    contain it. Another thread gives `watch` how far the replay is. process: the number of the one that is traced
    (`family`); NeverBeganError if there was none.
    MachineError without the tracer, or if it was killed or did not write a whole trace. UsageError if the command
    cannot start, is a program that the tracer does not run, or takes longer than limit_s.
    """
    traced, reading = _started(command, sampling, objects=objects, process=process, streams=(given, output, errors))
    limit = limit_s or threading.TIMEOUT_MAX
    late = threading.Timer(limit, traced.kill)
    late.daemon = True
    late.start()
    try:

        def trace(some: Sequence[str], stream: int) -> Iterator[bytes]:
            seen = (lambda line: watch(core.read(line, SoFar))) if watch and some[0] == words[0] else None
            return core.trace(some, stream, count=count, objects=objects, warm_once=warm_once, watch=seen)

        found = read_all(trace(words, reading) if count else iter(in_parallel(trace, words, reading)))
    except BaseException as error:
        damaged = isinstance(error, UsageError) and OF_THE_TRACE.match(str(error))
        how = _died(traced) if damaged else ""
        traced.kill()
        if not late.is_alive():
            raise _late(command, limit) from error
        if process and damaged and EMPTY in str(error):
            raise NeverBeganError(f"process {process} of {command[0]} did not start in the tracer") from error
        if damaged:
            raise MachineError(f"the tracer wrote an incomplete trace ({error}){how}") from error
        raise
    finally:
        over = not late.is_alive()
        late.cancel()
        os.close(reading)
        ended = traced.wait()
    if over:
        raise _late(command, limit)
    if ended == -signal.SIGKILL:
        raise MachineError(f"the tracer or the program in it was killed, {WHY_KILLED}")
    return tuple(msgspec.structs.replace(one, ended=ended) for one in found)


def _started(
    command: Sequence[str],
    sampling: str,
    *,
    objects: bool,
    process: str,
    streams: tuple[int | None, int | None, int | None],
) -> "tuple[subprocess.Popen[bytes], int]":
    """Return the tracer with the command in it, and the end of the pipe from which its trace is read.

    streams: standard input, output and error.
    """
    given, output, errors = streams
    reading, writing = os.pipe()
    try:
        tool = traced_words(command, writing, sampling, objects=objects, process=process)
        return subprocess.Popen(tool, pass_fds=(writing,), stdin=given, stdout=output, stderr=errors), reading
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)


def _died(traced: "subprocess.Popen[bytes]") -> str:
    """Return by which signal it ended; "" where it runs on or ended otherwise."""
    try:
        ended = traced.wait(SOON_S)
    except subprocess.TimeoutExpired:
        return ""
    why = {-signal.SIGKILL: WHY_KILLED, -signal.SIGILL: WHY_ILLEGAL}.get(ended, WHY_SIGNAL)
    return f"; it ended with signal {-ended}: {why}" if ended < 0 else ""


def _late(command: Sequence[str], limit_s: float) -> UsageError:
    return UsageError(f"{command[0]} takes longer than {show_seconds(limit_s)} in the tracer; take less, "
                      "or a larger --limit")  # fmt: skip


def read_all(lines: Iterator[bytes]) -> tuple[Traced, ...]:
    """Return the answers of the core."""
    return tuple(core.read(line, Traced) for line in lines)
