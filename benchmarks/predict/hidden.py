"""Hidden cores and memories of simulated.py, and what each of its columns knows of a core."""

import random
from dataclasses import dataclass

from probes import read, sure_kinds, words_of

from tierscope.predict.program import machines
from tierscope.predict.program.cores import cores, parameters
from tierscope.predict.program.machines import PREFETCHERS
from tierscope.simulated.trace import LARGE, SMALL
from tierscope.simulated.tracer import DOUBLES, SLOWEST_PER_S
from tierscope.suites.core.row import CoreRow

SHORTER = "all=1250000,lines={lines},warm=500000,unit=25000"
LINES = 5_000_000  # instructions
SHORTEST_SKIP = 250_000  # instructions
COLUMNS = ("unknown", "short", "found", "sure", "probed")
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
FETCH = """[core.fetch]
size = "32KiB"
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
    wrong_path: float  # share of branches whose wrong path meets the right one
    fetch: str = ""  # words of how it fetches instructions; "": they are there when it needs them

    def word(self) -> str:
        """Return it as words behind a machine."""
        return f"{self.numbers()},core.wrong_path={self.wrong_path:.3g}{self.fetch}"

    def numbers(self) -> str:
        """Return what good probes find of it, as words behind a machine."""
        return (f",core.width={max(round(self.width), 1)},core.reorder={round(self.reorder)}"
                f",core.store_buffer={round(self.store_buffer)},core.wrong_guess={round(self.wrong_guess)}"
                f",cpu.loads={round(self.loads)},cache.1.prefetch={self.prefetch}")  # fmt: skip

    def off(self, draw: random.Random) -> "Core":
        """Return it as probes would: each number within PROBED."""
        return self.times(*(draw.uniform(1 - PROBED, 1 + PROBED) for _ in range(5)))

    def times(self, *factors: float) -> "Core":
        """Return it with other numbers."""
        numbers = (self.width, self.reorder, self.store_buffer, self.wrong_guess, self.loads)
        changed = (n * f for n, f in zip(numbers, factors, strict=True))
        return Core(*changed, self.prefetch, self.wrong_path, self.fetch)


def drawn(draw: random.Random, wrong_path: float, fetch: str = "") -> Core:
    return Core(draw.randint(3, 8), draw.uniform(128, 512), draw.uniform(40, 112), draw.uniform(11, 20),
                draw.uniform(8, 40), draw.choice(["none", "next-line", "stride", "stride"]), wrong_path,
                fetch)  # fmt: skip


def memories(draw: random.Random) -> tuple[tuple[float, str], tuple[float, str]]:
    """Return latency in ns, and the words of a near and of a far memory."""
    near, far = draw.uniform(70, 120), draw.uniform(1.3, 4.0)
    return ((near, NEAR.format(f"{near:.1f}", f"{draw.uniform(15, 60):.1f}")),
            (near * far, NEAR.format(f"{near * far:.1f}", f"{draw.uniform(5, 30):.1f}")))  # fmt: skip


def shorter(seconds_near: float, lines: int = LINES) -> str:
    """Return the sampling of a kernel: as many units as `tierscope predict` has (tracer.for_many), but shorter."""
    skip = max(round(seconds_near * SLOWEST_PER_S / DOUBLES), SHORTEST_SKIP)
    return f"{SHORTER.format(lines=lines)},skip={skip},doubles={DOUBLES}"


def known(guess: Core, rows: list[CoreRow]) -> dict[str, list[str]]:
    """Return the words of the cores by column, the own one first, in all readings of the front end.

    guess: what good probes would find; rows: what a short run of `core` found.
    """
    small, large = map(parameters, (SMALL, LARGE))
    low, own, high = (parameters(guess.times(*[f] * 5).numbers().lstrip(",")) for f in (1 - PROBED, 1, 1 + PROBED))
    words = "".join(f",{key}={value:.0f}" for key, value in own.items() if key != IN_FLIGHT)
    kind = f",cache.1.prefetch={guess.prefetch}"
    return {
        "unknown": [*read(PREFETCHERS[0]), *cores(small, large, PREFETCHERS)],
        "short": [
            *read(words + PREFETCHERS[0]),
            *cores(low | {IN_FLIGHT: small[IN_FLIGHT]}, high | {IN_FLIGHT: large[IN_FLIGHT]}, PREFETCHERS),
        ],
        "found": words_of(rows, machines.kinds(rows)),
        "sure": words_of(rows, sure_kinds(rows)),
        "probed": [*read(guess.numbers()), *cores(low, high, [kind])],
    }
