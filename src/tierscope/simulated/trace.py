"""A program's accesses through simulated machines: what each level would hit and miss, and how long it would take.

Valgrind's lackey runs the program and writes down every load and store; the core reads them as they come, so that no
trace is kept. Time is estimated twice, since a trace does not say which address came out of which load:

    overlapped    no load waits for another                [s]
    waiting       each load waits for the one before       [s]

Both take one cycle for each instruction, stores in the order of the program, and branches that are always foretold
right. A processor of today carries out several instructions in a cycle and pays for wrong guesses, so these are no
bounds: of four real programs three lay outside.
Blind to: threads at the same time (Valgrind runs one after the other), what the kernel touches, and speculation.
Source: N. Nethercote, J. Seward, "Valgrind: A Framework for Heavyweight Dynamic Binary Instrumentation", PLDI 2007.
"""

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from tierscope import core
from tierscope.errors import MachineError, UsageError, reason
from tierscope.plans.simulation import PREFIX

BRING = "sudo apt-get install -y valgrind, or trace where it is and name the file with --from"

STANDARD_ERROR = 2  # the descriptor
OF_THE_TRACE = re.compile(r"(the )?trace\b")  # what the core says of a damaged one begins so


class Traced(msgspec.Struct, frozen=True, kw_only=True):
    """One simulated machine's answer. `counters`: events by level, "L1d.load_misses"."""

    machine: str
    instructions: int
    loads: int
    stores: int
    counters: dict[str, int]
    seconds_overlapped: float | None = None  # an estimate, if no load waits for another; None: only counted
    seconds_waiting: float | None = None  # an estimate, if each waits for the one before
    ended: int | None = None  # exit status of the command, below 0 a signal; None: a file was read


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """A cache, a TLB or a memory of one machine: what came to it, and what it passed on."""

    machine: str
    level: str
    loads: int
    load_misses: int | None  # None: a memory has none
    stores: int
    store_misses: int | None
    share: float | None  # of loads and stores that missed


def words_of(names: Sequence[str]) -> tuple[str, ...]:
    """'optane100' -> 'sim:optane100'; UsageError where none is named."""
    if not names:
        raise UsageError("no simulated machine is named; try --on optane100 (tierscope catalogue lists them)")
    return tuple(name if name.startswith(PREFIX) else PREFIX + name for name in names)


def trace_file(names: Sequence[str], path: Path, *, count: bool = False) -> tuple[Traced, ...]:
    """UsageError for a file that is no trace, with the line. `count`: without times, which is faster."""
    try:
        with path.open("rb") as stream:
            return _read(core.trace(words_of(names), stream.fileno(), count=count))
    except OSError as error:
        raise UsageError(f"trace {path} cannot be read: {reason(error)}") from error


def trace_command(
    names: Sequence[str], command: Sequence[str], *, count: bool = False, aside: bool = False
) -> tuple[Traced, ...]:
    """Runs the command with its own input and output; aside: what it prints goes to standard error.

    MachineError without Valgrind, or where it was killed or wrote no whole trace; UsageError where the command cannot
    start.

    A program that fails has been traced, too: `ended` has its status. Valgrind passes it on, so that a failure of its
    own looks the same.
    """
    words = words_of(names)
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        raise MachineError(f"valgrind is not installed; {BRING}")
    if shutil.which(command[0]) is None:
        raise UsageError(f"{command[0]} is no program here; name one that can be started, or its path")
    reading, writing = os.pipe()
    try:
        tool = [valgrind, "--tool=lackey", "--trace-mem=yes", "--basic-counts=no", f"--log-fd={writing}", *command]
        traced = subprocess.Popen(tool, pass_fds=(writing,), stdout=STANDARD_ERROR if aside else None)
    finally:
        os.close(writing)
    try:
        found = _read(core.trace(words, reading, count=count))
    except BaseException as error:
        traced.kill()
        if isinstance(error, UsageError) and OF_THE_TRACE.match(str(error)):
            raise MachineError(
                f"valgrind wrote no whole trace ({error}); see what it says without tierscope"
            ) from error
        raise
    finally:
        os.close(reading)
        ended = traced.wait()
    if ended == -signal.SIGKILL:
        raise MachineError("valgrind or the program in it was killed, mostly for want of memory; take a smaller case")
    return tuple(msgspec.structs.replace(one, ended=ended) for one in found)


def _read(lines: Iterator[bytes]) -> tuple[Traced, ...]:
    return tuple(core.read(line, Traced) for line in lines)


def levels(traced: Traced) -> tuple[Level, ...]:
    """Of the counters, caches and memories in the order in which an access meets them."""
    counters = traced.counters
    caches = [name.removesuffix(".load_misses") for name in counters if name.endswith(".load_misses")]
    memories = [n.removesuffix(".reads") for n in counters if re.fullmatch(r"[^.]+\.reads", n) and counters[n]]
    return (
        *(_cache(traced, name) for name in sorted(caches, key=lambda name: -counters[f"{name}.loads"])),
        *(
            Level(machine=traced.machine, level=name, loads=counters[f"{name}.reads"], load_misses=None,
                  stores=counters[f"{name}.writes"], store_misses=None, share=None)
            for name in memories
        ),
    )  # fmt: skip


def _cache(traced: Traced, name: str) -> Level:
    loads, misses, stores, stores_missed = (
        traced.counters[f"{name}.{what}"] for what in ("loads", "load_misses", "stores", "store_misses")
    )
    every = loads + stores
    return Level(
        machine=traced.machine, level=name, loads=loads, load_misses=misses, stores=stores, store_misses=stores_missed,
        share=(misses + stores_missed) / every if every else None,
    )  # fmt: skip
