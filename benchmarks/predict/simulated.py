"""Score `tierscope predict -- PROGRAM` on simulated cores with hidden parameters: [kernels] and [cores] of cells.toml.

    .venv/bin/python benchmarks/predict/simulated.py [--draw NUMBER] [--lines NUMBER] [CELL...] > table.md

Truth: the program on a core whose parameters are drawn for each cell, on a near memory and on a far one, timed from its
first to its last instruction. The prediction knows the caches and both memories, the time on the near memory, and the
properties of the core that its columns state:

    unknown    nothing but the cycle: the cores of `tierscope predict` where the core cannot be probed
    short      what `tierscope predict` probes by itself, within 10 %: width, buffers, and the cost of a branch miss
    found      what that run finds on the hidden core, with probes of its lines in flight and its prefetcher (probes.py)
    probed     all its parameters within 10 %, as `run core` leaves them, and its kind of prefetcher

The trace of the prediction is another run of the program, with the units that `tierscope predict` would time in a
program of this speed. The last cache here is a quarter of that of a small server. So kernels have a quarter of its
instructions before gaps, in gaps and their lines, and in what warms caches; their units are shorter than that, to cost
less. The sampling is therefore scored here, but the tracer and the form of the simulation are not.

--draw: hidden cores and memories of another draw. cells.toml lists the draws, before their cells are run.
--lines: instructions of a gap that state their lines. By default, nearly all do. Fewer make the gaps like those of a
long program, whose first part states nothing.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec
from goals import SIMULATED, Told, errors, summary
from inputs import made
from probes import probed
from probes import words_of as words_found
from rivals import misses_times_latency, ratio_of_latencies

from tierscope.errors import TierscopeError
from tierscope.predict.program.answer import Answer, anchor, answer
from tierscope.predict.program.cold import NONE, Doubt, doubt
from tierscope.predict.program.cores import cores, parameters
from tierscope.predict.program.machines import PREFETCHERS
from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced, replayed
from tierscope.simulated.trace import LARGE, SMALL, words_of
from tierscope.simulated.tracer import DOUBLES, SLOWEST_PER_S, for_many, runnable
from tierscope.stats.median import Interval

Parts = Callable[[float], str]
"""Seconds of a program on the near memory -> its sampling (tracer/README.md)."""

HERE = Path(__file__).parent
CELLS = HERE / "cells.toml"
SHORTER = "all=1250000,lines={lines},warm=500000,unit=25000"
LINES = 5_000_000  # instructions
SHORTEST_SKIP = 250_000  # instructions
LIMIT_S = 1200.0
REPEATS = 100
COLUMNS = ("unknown", "short", "found", "probed")
IN_FLIGHT = "cpu.loads"
PROBED = 0.1  # how far off a probed parameter may be
NEAR = "flat,memory.flat.read={0}ns,memory.flat.write={0}ns,memory.flat.bandwidth={1}GB/s"
INSTANT = "flat,memory.flat.read=0ns,memory.flat.write=0ns,memory.flat.bandwidth=10TB/s"
LAST_LINES = (4 << 20) / 64  # of the last cache
CACHES = """name = "hidden"
summary = "a core with caches of a small server"
source = "made"
memories = "{memory}"
[cpu]
count = 4
cycle = "0.3ns"
loads = 16
[pages]
bytes = "4KiB"
[[cache]]
name = "L1d"
size = "32KiB"
ways = 8
latency = "1.2ns"
[[cache]]
name = "L2"
size = "512KiB"
ways = 8
latency = "4ns"
[[cache]]
name = "L3"
size = "4MiB"
ways = 16
latency = "15ns"
shared = 4
"""


@dataclass(frozen=True)
class Core:
    """The hidden parameters."""

    width: float
    reorder: float
    store_buffer: float
    wrong_guess: float
    loads: float
    prefetch: str

    def word(self) -> str:
        """Return it as words behind a machine."""
        return (f",core.width={max(round(self.width), 1)},core.reorder={round(self.reorder)}"
                f",core.store_buffer={round(self.store_buffer)},core.wrong_guess={round(self.wrong_guess)}"
                f",cpu.loads={round(self.loads)},cache.1.prefetch={self.prefetch}")  # fmt: skip

    def off(self, draw: random.Random) -> "Core":
        """Return it as probes would: each number within PROBED."""
        return self.times(*(draw.uniform(1 - PROBED, 1 + PROBED) for _ in range(5)))

    def times(self, *factors: float) -> "Core":
        """Return it with other numbers."""
        numbers = (self.width, self.reorder, self.store_buffer, self.wrong_guess, self.loads)
        return Core(*(n * f for n, f in zip(numbers, factors, strict=True)), self.prefetch)


@dataclass(frozen=True)
class Cell:
    """One program: the truth, and the predictions."""

    name: str
    truth: float
    answers: dict[str, Answer]  # by column
    latencies: float  # ratio of the memories' latencies
    misses: float  # the prediction of misses x latency


def drawn(draw: random.Random) -> Core:
    return Core(draw.randint(3, 8), draw.uniform(128, 512), draw.uniform(40, 112), draw.uniform(11, 20),
                draw.uniform(8, 40), draw.choice(["none", "next-line", "stride", "stride"]))  # fmt: skip


def memories(draw: random.Random) -> tuple[tuple[float, str], tuple[float, str]]:
    """Return latency in ns, and the words of a near and of a far memory."""
    near, far = draw.uniform(70, 120), draw.uniform(1.3, 4.0)
    return ((near, NEAR.format(f"{near:.1f}", f"{draw.uniform(15, 60):.1f}")),
            (near * far, NEAR.format(f"{near * far:.1f}", f"{draw.uniform(5, 30):.1f}")))  # fmt: skip


def shorter(seconds_near: float, lines: int = LINES) -> str:
    """Return the sampling of a kernel: as many units as `tierscope predict` has (tracer.for_many), but shorter."""
    skip = max(round(seconds_near * SLOWEST_PER_S / DOUBLES), SHORTEST_SKIP)
    return f"{SHORTER.format(lines=lines)},skip={skip},doubles={DOUBLES}"


def known(guess: Core, found: list[str]) -> dict[str, list[str]]:
    """Return the words of the cores by column, the own one first.

    guess: what good probes would find; found: the words of the column of this name.
    """
    small, large = map(parameters, (SMALL, LARGE))
    low, own, high = (parameters(guess.times(*[f] * 5).word().lstrip(",")) for f in (1 - PROBED, 1, 1 + PROBED))
    words = "".join(f",{key}={value:.0f}" for key, value in own.items() if key != IN_FLIGHT)
    return {
        "unknown": [PREFETCHERS[0], *cores(small, large, PREFETCHERS)],
        "short": [
            words + PREFETCHERS[0],
            *cores(low | {IN_FLIGHT: small[IN_FLIGHT]}, high | {IN_FLIGHT: large[IN_FLIGHT]}, PREFETCHERS),
        ],
        "found": found,
        "probed": [guess.word(), *cores(low, high, [f",cache.1.prefetch={guess.prefetch}"])],
    }


def cell(name: str, command: list[str], parts: Parts, folder: Path, number: int = 0) -> Cell:
    """Score one program. Its machines are always the same for one name and draw. parts: of the seconds near."""
    draw = random.Random(name if number == 0 else f"{name} draw {number}")
    hidden, tiers = drawn(draw), memories(draw)
    guess = hidden.off(draw)
    place = "".join(sign if sign.isalnum() else "-" for sign in name)  # a target has no spaces
    *files, immediate = (
        written(folder / f"{place}-{n}.toml", word) for n, (_, word) in enumerate((*tiers, (0, INSTANT)))
    )
    columns = known(guess, words_found(probed(files[0] + hidden.word(), folder / f"core-{place}")))
    truth = through([file + hidden.word() for file in files], command)
    machines = [file + core for words in columns.values() for core in words for file in files]
    machines += [immediate + words[0] for words in columns.values()]
    found = iter(through(machines, command, parts(seconds(truth[0]))))
    here, there = map(repeated, truth)
    pairs = {name: [(repeated(next(found)), repeated(next(found))) for _ in words] for name, words in columns.items()}
    unsure = doubt(pairs["unknown"][0][0], LAST_LINES)  # the first machine contains the warming
    answers = {
        name: told(here, *map(tuple, zip(*ours, strict=True)), repeated(next(found)), unsure)
        for name, ours in pairs.items()
    }
    latencies_s = tuple(latency * 1e-9 for latency, _ in tiers)
    return Cell(
        name, seconds(there) / seconds(here), answers,
        ratio_of_latencies(*latencies_s),
        misses_times_latency(
            REPEATS * here.counters["L3.load_misses"], latencies_s[1] - latencies_s[0], seconds(here)),
    )  # fmt: skip


def through(machines: list[str], command: list[str], sampling: str = "") -> tuple[Traced, ...]:
    """Return what each machine makes of one run of the program."""
    with tempfile.TemporaryFile() as said:
        return replayed(
            words_of(machines), command, sampling=sampling, output=said.fileno(), limit_s=LIMIT_S, warm_once=True
        )


def repeated(one: Traced) -> Traced:
    """Return a program that runs repeatedly: `predict` refuses short ones, since real clocks have ticks."""
    parts = tuple((gap, count, REPEATS * time) for gap, count, time in one.parts)
    return msgspec.structs.replace(one, seconds=REPEATS * seconds(one), parts=parts)


def seconds(one: Traced) -> float:
    assert one.seconds
    return one.seconds


def written(path: Path, memory: str) -> str:
    """Return the path of a file of the machine with this memory."""
    path.write_text(CACHES.format(memory=memory))
    return str(path)


def told(
    truth: Traced,
    near: tuple[Traced, ...],
    far: tuple[Traced, ...],
    instant: Traced | None = None,
    unsure: Doubt = NONE,
) -> Answer:
    """Return the answer anchored to the time on the hidden core, which has no noise and no time in the kernel."""
    time = seconds(truth)
    exact = Interval(time, time, time, 9)
    return answer("far", anchor(Native(exact, exact, 0.0, 9), near, "", (), instant, unsure), far, None, None, None)


def cells(names: list[str], folder: Path, number: int, lines: int) -> list[Cell]:
    listed = tomllib.loads(CELLS.read_text())
    files = made(folder)
    kernels = folder / "kernels"
    subprocess.run(["cc", "-O1", "-w", "-o", kernels, HERE / "kernels.c"], check=True)
    every: dict[str, tuple[list[str], Parts]] = {
        name: ([str(kernels), *words.split()], partial(shorter, lines=lines)) for name, words in listed["long"].items()
    }
    every |= {
        f"{name} (program)": ([files.get(word, word) for word in words], for_many)
        for name, words in listed["cores"].items()
    }
    found = []
    for name in names or every:
        command, parts = every[name]
        try:
            found.append(cell(name, runnable(command), parts, folder, number))
        except TierscopeError as error:
            print(f"{name}: {error}", file=sys.stderr)
        else:
            print(row(found[-1]), flush=True)
    return found


def row(one: Cell) -> str:
    def words(found: Answer) -> str:
        if found.ratio is None or found.low is None or found.high is None:
            return f"not known ({found.unknown[:40]}) | | "
        inside = "" if found.low <= one.truth <= found.high else " !"
        return f"{found.ratio:.3f} | {found.low:.2f} to {found.high:.2f}{inside} | {found.ratio / one.truth - 1:+.1%}"

    rivals = f"{one.latencies:.2f} | {one.misses:.2f}"
    answers = " | ".join(map(words, one.answers.values()))
    return f"| {one.name} | {one.truth:.3f} | {answers} | {rivals} |"


def main(names: list[str], number: int, lines: int) -> None:
    titles = " | ".join(f"{name} core | bounds | error" for name in COLUMNS)
    print(f"| cell | truth | {titles} | latencies | misses x latency |")
    print("|---|" + "---:|" * (3 * len(COLUMNS) + 3))
    with tempfile.TemporaryDirectory() as name:
        found = cells(names, Path(name), number, lines)
    print()
    for which in COLUMNS:
        answers = [(one.truth, one.answers[which]) for one in found]
        print("\n".join(summary(f"{which} core", [Told(t, a.ratio, a.low, a.high) for t, a in answers], SIMULATED)))
    for name, which in (("ratio of latencies", "latencies"), ("misses x latency", "misses")):
        print(errors(name, [Told(one.truth, getattr(one, which)) for one in found], SIMULATED))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", type=int, default=0, metavar="NUMBER", help="of the hidden cores and memories")
    parser.add_argument("--lines", type=int, default=LINES, metavar="NUMBER", help="instructions of a gap, at most")
    parser.add_argument("cell", nargs="*", help="default: all")
    asked = parser.parse_args()
    main(asked.cell, asked.draw, asked.lines)
