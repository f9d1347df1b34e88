"""A number compared with the band of similar machines, and with what the memory allows by first principles.

Machines are similar if they have the same processor family, model and stepping, as many CPUs, packages and nodes with
memory, and are guests of a hypervisor alike. The band runs from the 20th to the 80th percentile of their numbers; each
machine counts once, and the machine itself does not. Fewer than FEWEST machines do not make a band: their numbers are
shown one by one, and there is no verdict.

    verdict: `low` or `high` if the whole interval is outside of the band, else `normal`
    far:     (log x - mean) / (s * sqrt(1 + 1/n)) > t(1 - CHANCE / numbers, n - 1), on the bad side

x: the end of the interval that is nearer to the others; mean and s: of the logarithms of the n other machines. A fifth
of the numbers of any machine is below the band and a fifth above it, so that `low` alone is nothing unusual. `far` is
the prediction interval of one more machine, for all numbers of a run together: of machines like the others, one in
twenty has such a number, however many numbers there are.
Blind to differences that the kind does not contain: DIMMs, firmware, neighbours of a guest.
"""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from tierscope.compare.measures import measures
from tierscope.compare.number import Number
from tierscope.normal.entry import Entry, Kind, kind_of
from tierscope.normal.kept import kept
from tierscope.record.result import Run
from tierscope.sound import reads
from tierscope.stats.special import student

FEWEST = 5  # machines of a band: a fifth of fewer is not one machine, so nothing is below the 20th percentile
LOW, HIGH = 20.0, 80.0  # percentiles
BLIND = 0.5  # what is detectable, from which "yes" would mean nothing
CHANCE = 0.05  # that a machine like the others has a number that is called far


@dataclass(frozen=True, slots=True)
class Band:
    """The band of similar machines."""

    low: float
    middle: float
    high: float
    machines: int
    centre: float  # mean of the logarithms
    spread: float  # standard deviation of the logarithms; 0 of one machine
    values: tuple[float, ...]  # of each machine, in order

    @property
    def few(self) -> bool:
        """Return whether these are too few machines for a band."""
        return self.machines < FEWEST


@dataclass(frozen=True, slots=True)
class Beside:
    """One number of a run, with its band."""

    measure: str
    point: str
    unit: str
    less_is_better: bool
    number: Number
    band: Band | None

    @property
    def verdict(self) -> str:
        """`normal`, `low`, `high`, `inconclusive`, or `not known`."""
        if not self.number.conclusive:
            return "inconclusive"
        if self.band is None or self.band.few:
            return "not known"
        if self.number.high < self.band.low:
            return "low"
        return "high" if self.number.low > self.band.high else "normal"

    @property
    def worse(self) -> bool:
        """Return whether it is outside of the band on the bad side."""
        return self.verdict == ("high" if self.less_is_better else "low")

    def far(self, numbers: int) -> bool:
        """Return whether it is so far outside, on the bad side, that chance explains it in none of that many."""
        if not self.worse or self.band is None:
            return False
        near = self.number.low if self.less_is_better else self.number.high
        return abs(math.log(near) - self.band.centre) > self.reach(numbers)

    def reach(self, numbers: int) -> float:
        """Return how far from the centre, in log, a number is far; infinite without a verdict."""
        if self.band is None or self.band.few:
            return math.inf
        count = self.band.machines
        return student(1 - 2 * CHANCE / numbers, count - 1) * self.band.spread * math.sqrt(1 + 1 / count)


@dataclass(frozen=True, slots=True)
class Normal:
    """All main numbers of a run. machines: that are similar; others: that are known and not similar."""

    kind: Kind
    rows: tuple[Beside, ...]
    machines: int
    others: int
    origin: str = "real"  # of the run

    @property
    def judged(self) -> list[Beside]:
        """Return those with a verdict."""
        return [row for row in self.rows if row.verdict in ("normal", "low", "high")]

    @property
    def odd(self) -> list[Beside]:
        """Return the numbers that make a machine unusual."""
        return [row for row in self.judged if row.far(len(self.judged))]

    @property
    def detectable(self) -> float:
        """How much worse a number must be to count as far, a share: median over the numbers; infinite without any."""
        return math.expm1(median([row.reach(len(self.judged)) for row in self.judged] or [math.inf]))

    @property
    def slow(self) -> bool:
        """Whether most numbers are in the worst fifth: so is a fifth of all machines, if their numbers vary alike."""
        return 2 * sum(row.worse for row in self.judged) > len(self.judged)


@reads("the comparison")
def normal(run: Run, entries: Sequence[Entry]) -> Normal:
    """Return the numbers of a run with those of similar machines."""
    kind, own = kind_of(run.result.machine), run.result.machine.identity.digest()
    foreign = [entry for entry in entries if entry.machine != own]
    similar = [entry for entry in foreign if entry.kind == kind]
    bands = bands_of(similar)
    rows = tuple(
        Beside(
            name,
            words,
            measures()[name].unit,
            measures()[name].main.less_is_better,
            number,
            bands.get((name, words, measures()[name].unit)),
        )
        for name, found in kept(run).items()
        for words, number in found.items()
    )
    alike = {entry.machine for entry in similar}
    return Normal(kind, rows, len(alike), len({entry.machine for entry in foreign} - alike), run.result.origin)


def bands_of(entries: Sequence[Entry]) -> dict[tuple[str, str, str], Band]:
    """Return the band of each point, by measure, words and unit; of several suites of a machine the newest counts."""
    values: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for entry in sorted(entries, key=lambda one: one.day):
        for number in entry.numbers:
            values[number.measure, number.point, number.unit][entry.machine] = number.value
    return {key: _band(list(of.values())) for key, of in values.items()}


def _band(values: Sequence[float]) -> Band:
    low, middle, high = np.percentile(values, (LOW, 50.0, HIGH))
    logs = np.log(values)
    spread = float(logs.std(ddof=1)) if len(values) > 1 else 0.0
    return Band(float(low), float(middle), float(high), len(values), float(logs.mean()), spread, tuple(sorted(values)))
