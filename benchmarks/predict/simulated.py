"""Score `tierscope predict -- PROGRAM` on simulated cores with hidden parameters: [kernels] and [cores] of cells.toml.

    .venv/bin/python benchmarks/predict/simulated.py [CELL...] > table.md

Truth: the program on a core whose parameters are drawn for each cell, on a near memory and on a far one. The prediction
knows the caches and both memories, the time on the near memory, and the properties of the core that its columns state:

    unknown    nothing but the cycle: the cores of `tierscope predict`
    probed     its parameters within 10 %, as probes leave them, and its kind of prefetcher

Both go through the same trace, so neither the sampling of the program nor the tracer is scored here.
"""

import random
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

import msgspec
from goals import SIMULATED, Told, errors, summary
from inputs import made
from rivals import misses_times_latency, ratio_of_latencies

from tierscope.errors import TierscopeError
from tierscope.predict.program.answer import Answer, anchor, answer
from tierscope.predict.program.cores import cores, parameters
from tierscope.predict.program.machines import PREFETCHERS
from tierscope.predict.program.native import Native
from tierscope.simulated.replay import Traced, replayed
from tierscope.simulated.trace import LARGE, SMALL, words_of
from tierscope.simulated.tracer import runnable
from tierscope.stats.median import Interval

HERE = Path(__file__).parent
CELLS = HERE / "cells.toml"
KERNEL_PARTS = "all=500000,skip=1500000,warm=500000,unit=250000"
PROGRAM_PARTS = "all=1000000,skip=20000000,warm=2000000,unit=500000"
LIMIT_S = 1200.0
REPEATS = 100
PROBED = 0.1  # how far off a probed parameter may be
NEAR = "flat,memory.flat.read={0}ns,memory.flat.write={0}ns,memory.flat.bandwidth={1}GB/s"
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
    """One program: the truth, and both predictions."""

    name: str
    truth: float
    unknown: Answer
    probed: Answer
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


def cell(name: str, command: list[str], parts: str, folder: Path, number: int = 0) -> Cell:
    """Trace once, through all machines, which are always the same for one name and draw."""
    draw = random.Random(name if number == 0 else f"{name} draw {number}")
    hidden, tiers = drawn(draw), memories(draw)
    guess = hidden.off(draw)
    files = []
    for latency, word in tiers:
        path = folder / f"{name}-{latency:.0f}.toml"
        path.write_text(CACHES.format(memory=word))
        files.append(str(path))
    unknown = [PREFETCHERS[0], *cores(*map(parameters, (SMALL, LARGE)), PREFETCHERS)]
    ends = (parameters(guess.times(*[f] * 5).word().lstrip(",")) for f in (1 - PROBED, 1 + PROBED))
    probed = [guess.word(), *cores(*ends, [f",cache.1.prefetch={guess.prefetch}"])]
    machines = [file + core for core in (hidden.word(), *unknown, *probed) for file in files]
    with tempfile.TemporaryFile() as said:
        found = replayed(words_of(machines), command, sampling=parts, output=said.fileno(), limit_s=LIMIT_S)
    near, far = (tuple(map(repeated, found[first::2])) for first in (0, 1))
    rate = near[0].counters["L3.load_misses"] / near[0].instructions
    misses = REPEATS * rate * (near[0].instructions + near[0].untraced_instructions)
    latencies_s = tuple(latency * 1e-9 for latency, _ in tiers)
    behind = 1 + len(unknown)
    answers = [told(near[0], near[part], far[part]) for part in (slice(1, behind), slice(behind, None))]
    return Cell(
        name, seconds(far[0]) / seconds(near[0]), *answers,
        ratio_of_latencies(*latencies_s),
        misses_times_latency(misses, latencies_s[1] - latencies_s[0], seconds(near[0])),
    )  # fmt: skip


def repeated(one: Traced) -> Traced:
    """Return a program that runs repeatedly: `predict` refuses short ones, since real clocks have ticks."""
    parts = tuple((gap, count, REPEATS * time) for gap, count, time in one.parts)
    return msgspec.structs.replace(one, seconds=REPEATS * seconds(one), parts=parts)


def seconds(one: Traced) -> float:
    assert one.seconds
    return one.seconds


def told(truth: Traced, near: tuple[Traced, ...], far: tuple[Traced, ...]) -> Answer:
    """Return the answer anchored to the time on the hidden core, which has no noise and no time in the kernel."""
    time = seconds(truth)
    exact = Interval(time, time, time, 9)
    return answer("far", anchor(Native(exact, exact, 0.0, 9), near), far, None, None, None)


def cells(names: list[str], folder: Path) -> list[Cell]:
    listed = tomllib.loads(CELLS.read_text())
    files = made(folder)
    kernels = folder / "kernels"
    subprocess.run(["cc", "-O1", "-w", "-o", kernels, HERE / "kernels.c"], check=True)
    every = {name: ([str(kernels), *words.split()], KERNEL_PARTS) for name, words in listed["kernels"].items()}
    every |= {
        f"{name} (program)": ([files.get(word, word) for word in words], PROGRAM_PARTS)
        for name, words in listed["cores"].items()
    }
    found = []
    for name in names or every:
        command, parts = every[name]
        try:
            found.append(cell(name, runnable(command), parts, folder))
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
    return f"| {one.name} | {one.truth:.3f} | {words(one.unknown)} | {words(one.probed)} | {rivals} |"


def main(names: list[str]) -> None:
    print(
        "| cell | truth | unknown core | bounds | error | probed core | bounds | error | latencies | misses x latency |"
    )
    print("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as name:
        found = cells(names, Path(name))
    print()
    for which in ("unknown", "probed"):
        answers = [(one.truth, getattr(one, which)) for one in found]
        print("\n".join(summary(f"{which} core", [Told(t, a.ratio, a.low, a.high) for t, a in answers], SIMULATED)))
    for name, which in (("ratio of latencies", "latencies"), ("misses x latency", "misses")):
        print(errors(name, [Told(one.truth, getattr(one, which)) for one in found], SIMULATED))


if __name__ == "__main__":
    main(sys.argv[1:])
