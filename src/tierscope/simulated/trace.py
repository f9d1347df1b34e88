"""A program's accesses through simulated machines: what each level would hit and miss, and how long it would take.

Our tracer runs the program in QEMU and writes which instruction waits for which (tracer/README.md). The core reads the
stream as it comes, so that no trace is kept. Time is that of a core that runs instructions out of order. A trace does
not show which core that is, so time is estimated three times: by the machine's own core, a small and a large one.

    small    2 instructions a cycle, 64 in the reorder buffer, 8 lines in flight, 20 cycles for a wrong guess
    large    8 instructions a cycle, 512 in the reorder buffer, 48 lines in flight, 12 cycles

A trace of Valgrind's lackey has no registers. Its time is estimated as if no load waited for another, and as if each
did: these are not bounds.
Blind to: the order of threads, time within the kernel, AVX-512, what a wrong guess of a branch fetches unless the
machine states `core.wrong_path`, and waits for instructions unless it states `core.fetch.size`.
Source: N. Nethercote, J. Seward, "Valgrind: A Framework for Heavyweight Dynamic Binary Instrumentation", PLDI 2007; F.
Bellard, "QEMU, a Fast and Portable Dynamic Translator", USENIX ATC 2005.
"""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from tierscope import core
from tierscope.errors import UsageError, reason
from tierscope.plans.simulation import PREFIX
from tierscope.simulated.replay import STANDARD_ERROR, Traced, read_all, replayed
from tierscope.simulated.tracer import SAMPLED

SMALL = "core.width=2,core.reorder=64,core.store_buffer=32,core.wrong_guess=20,cpu.loads=8"
LARGE = "core.width=8,core.reorder=512,core.store_buffer=112,core.wrong_guess=12,cpu.loads=48"


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
    """Return 'sim:optane100' for 'optane100'; UsageError where none is named."""
    if not names:
        raise UsageError("no simulated machine is named; try --on optane100 (tierscope catalogue lists them)")
    return tuple(name if name.startswith(PREFIX) else PREFIX + name for name in names)


def trace_file(names: Sequence[str], path: Path, *, count: bool = False) -> tuple[Traced, ...]:
    """Return the results of a trace in a file. UsageError for a file that is not a trace, with the line.

    `count`: without times, which is faster.
    """
    try:
        with path.open("rb") as stream:
            return read_all(core.trace(words_of(names), stream.fileno(), count=count))
    except OSError as error:
        raise UsageError(f"trace {path} cannot be read: {reason(error)}") from error


def trace_command(
    names: Sequence[str], command: Sequence[str], *, count: bool = False, whole: bool = False, aside: bool = False,
    objects: bool = False,
) -> tuple[Traced, ...]:  # fmt: skip
    """Run the command with its own input and output; return what each simulated machine saw.

    aside: what the command prints goes to standard error.

    count: without times; whole: a long program is timed from its first to its last instruction, not in units; objects:
    with what the program allocates, and the time that waits for it.

    MachineError without the tracer, or where it was killed or wrote no whole trace; UsageError where the command cannot
    start, or is a program that the tracer does not run.

    A program that fails has been traced, too: `ended` has its status.
    """
    machines = words_of(names)
    words = machines if count else tuple(word + more for word in machines for more in ("", f",{SMALL}", f",{LARGE}"))
    output = STANDARD_ERROR if aside else None
    found = replayed(words, command, count=count, sampling="" if count or whole else SAMPLED, output=output,
                     objects=objects)  # fmt: skip
    return found if count else tuple(map(_joined, found[::3], found[1::3], found[2::3]))


def _joined(own: Traced, small: Traced, large: Traced) -> Traced:
    """Return one answer of three cores: the machine's own, and the fastest and the slowest of the three."""
    cores = [(one.seconds, 2 * one.sampling_deviation_s) for one in (own, small, large) if one.seconds is not None]
    return msgspec.structs.replace(
        own,
        seconds_low=min(max(seconds - spread, 0.0) for seconds, spread in cores),
        seconds_high=max(seconds + spread for seconds, spread in cores),
    )


def levels(traced: Traced) -> tuple[Level, ...]:
    """Return the levels of the counters, caches and memories in the order in which an access meets them."""
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
