"""The latencies over load of a run: the curves of its mixes, and its latencies without load.

The source is the table `loaded_latency` of the same run, or of another run of this machine. Bytes are those on the bus,
so plain stores include their read for ownership. A kernel whose bus bytes are not known has no curve.
"""

import msgspec

from tierscope.record.experiment import Group, real
from tierscope.record.result import Record, Run
from tierscope.stats.background import doubt
from tierscope.stats.median import Interval
from tierscope.stats.traffic import Curve, Knot, Zero, zero_of, zero_of_visits
from tierscope.suites.background.labels import WatchLabels
from tierscope.suites.background.pieces import core_s_of
from tierscope.tables import Flat, tables
from tierscope.tables.measured import judged_once, records
from tierscope.tables.rows import whole_of

CURVES = "loaded_latency"  # the table
TABLE = "background"
BEFORE = "before"  # the part that shows how fast the core is when the curve is measured
WIDEST = 0.15  # half of the interval of a ratio, divided by the ratio: a wider one adds less than its neighbors
MOST_DOUBTED = 0.5  # share of a curve's visits during which others used the memory


Ends = tuple[float, float, float]
Branch = tuple[tuple[Ends, Ends], ...]


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """The curves and latencies of a run.

    mixes: kernel -> for each number of threads loads and ratios, each (low, middle, high), least load first.

    idle: latencies, s, by visit.

    core_s: time of an addition in registers when the curve was measured; None if it is not known.
    doubt: the reason why the curve is of a memory that others used; "" if they did not.
    """

    mixes: dict[str, tuple[Branch, ...]]
    idle: tuple[tuple[float, ...], ...]
    core_s: float | None = None
    doubt: str = ""

    def curves(self) -> list[Curve]:
        """Return the curve of each mix."""
        return [
            Curve(*([Knot(_interval(load), _interval(ratio)) for load, ratio in branch] for branch in branches))
            for branches in self.mixes.values()
        ]

    def zero(self, *, alike: bool) -> Zero | None:
        """Return the latency without load; None if it has too few readings. See `stats.traffic`.

        alike: whether the first visit had the memory that is probed, as in the same run and on a simulated machine.
        """
        if not alike:
            return zero_of_visits(self.idle)
        first, *others = self.idle or ((),)
        return zero_of(first, [one for visit in others for one in visit])


def known_of(run: Run) -> Known:
    """Return what the run shows, without any mix if no load has an interval."""
    mixes: dict[str, dict[int, list[tuple[int, Ends, Ends]]]] = {}
    own = records(run, CURVES)
    for record, row in zip(own, tables[CURVES].flat(run), strict=True):
        load, ratio = _load(record, row), _ends(row, "over_idle", "over_idle")
        if load and ratio and ratio[2] - ratio[0] <= 2 * WIDEST * ratio[1]:
            branches = mixes.setdefault(str(row["kernel"]), {})
            delay, threads = whole_of(row, "delay_cycles"), whole_of(row, "load_threads")
            branches.setdefault(threads, []).append((delay, load, ratio))
    ordered = {
        name: tuple(
            tuple((load, ratio) for _, load, ratio in sorted(found, reverse=True)) for found in branches.values()
        )
        for name, branches in mixes.items()
    }
    earlier = [one for one in records(run, TABLE) if WatchLabels.read(one.experiment).part == BEFORE]
    core_s = core_s_of(run, earlier[0]) if earlier and len(earlier[0].experiment.takes) > 1 else None
    return Known(mixes=ordered, idle=_idle(run, own), core_s=core_s, doubt=_doubt(run, own))


def chaser_of(run: Run) -> Group | None:
    """Return the group whose latency the curves show; None if the run has no curves."""
    return next((record.experiment.groups[0] for record in records(run, CURVES) if record.experiment.takes), None)


def _interval(ends: Ends) -> Interval:
    return Interval(*ends, 1)


def _ends(row: Flat, value: str, stem: str) -> Ends | None:
    low, middle, high = (real(row.get(name)) for name in (f"{stem}_low", value, f"{stem}_high"))
    return None if low is None or middle is None or high is None else (low, middle, high)


def _load(record: Record, row: Flat) -> Ends | None:
    """Return the bytes/s of the load on the bus; None for the chaser alone, or if only a counter could measure them."""
    found, facts = _ends(row, "bandwidth_bytes_per_s", "bandwidth"), record.groups[-1]
    bus, program = facts.bus_bytes_per_operation, facts.program_bytes_per_operation
    if found is None or len(record.groups) < 2 or bus is None or not program:
        return None
    low, middle, high = found
    return low * bus / program, middle * bus / program, high * bus / program


def _idle(run: Run, own: list[Record]) -> tuple[tuple[float, ...], ...]:
    """Return, for each visit, the latencies of the chaser alone, one next to each load."""
    numbers = {record.number for record in own}
    visits: dict[int, list[float]] = {}
    for record in (*own, *(one for one in run.result.visits if one.number in numbers)):
        rate = judged_once(run, record).points[0].groups[0].interval
        if rate.count and rate.middle > 0:
            visits.setdefault(record.visit, []).append(1 / rate.middle)
    return tuple(tuple(visits[number]) for number in sorted(visits))


def _doubt(run: Run, own: list[Record]) -> str:
    """Return why the curve is doubtful: others used the memory during most visits; "" if they did not."""
    numbers, cpus = {record.number for record in own}, len(run.result.machine.identity.cpus)
    every = [*own, *(one for one in run.result.visits if one.number in numbers)]
    doubts = [found for one in every if (found := doubt(one.background, cpus))]
    return doubts[0] if len(doubts) > MOST_DOUBTED * len(every) else ""
