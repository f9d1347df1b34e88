"""What a run knows of latency over load: the curves of its mixes, and its latencies without load.

Read from the table `loaded_latency` of the same run, or of another run of this machine. Bytes are those on the bus, so
that plain stores count their read for ownership; a kernel whose bus bytes are not known has no curve.
"""

import msgspec

from tierscope.record.experiment import Group, real, whole
from tierscope.record.result import Record, Run
from tierscope.stats.background import doubt
from tierscope.stats.median import Interval
from tierscope.stats.traffic import Curve, Knot, Zero, zero_of, zero_of_visits
from tierscope.tables import Flat, tables
from tierscope.tables.measured import judged_once, records

CURVES = "loaded_latency"  # the table
MOST_DOUBTED = 0.5  # of the visits of a curve, beside which others used the memory


class Known(msgspec.Struct, frozen=True, kw_only=True):
    """mixes: name -> loads and ratios, each (low, middle, high), least load first; idle: latencies, s, by visit.

    doubt: why the curve is of a memory that others used; "": it is not.
    """

    mixes: dict[str, tuple[tuple[tuple[float, float, float], tuple[float, float, float]], ...]]
    idle: tuple[tuple[float, ...], ...]
    doubt: str = ""

    def curves(self) -> list[Curve]:
        """Return the curve of each mix."""
        return [
            Curve([Knot(_interval(load), _interval(ratio)) for load, ratio in points]) for points in self.mixes.values()
        ]

    def zero(self, same_run: bool) -> Zero | None:
        """Return the latency without load; None where its readings are too few. See `stats.traffic`."""
        if not same_run:
            return zero_of_visits(self.idle)
        first, *others = self.idle or ((),)
        return zero_of(first, [one for visit in others for one in visit])


def known_of(run: Run) -> Known:
    """Return what the run shows; no mix where it has no load with an interval."""
    mixes: dict[str, list[tuple[int, tuple[float, float, float], tuple[float, float, float]]]] = {}
    own = records(run, CURVES)
    for record, row in zip(own, tables[CURVES].flat(run), strict=True):
        load, ratio = _load(record, row), _ends(row, "over_idle", "over_idle")
        if load and ratio:
            name = f"{row['kernel']}, {row['load_threads']} threads"
            mixes.setdefault(name, []).append((whole(row["delay_cycles"]) or 0, load, ratio))
    ordered = {
        name: tuple((load, ratio) for _, load, ratio in sorted(found, reverse=True)) for name, found in mixes.items()
    }
    return Known(mixes=ordered, idle=_idle(run, own), doubt=_doubt(run, own))


def chaser_of(run: Run) -> Group | None:
    """Return the group whose latency the curves are of; None where the run has no curves."""
    return next((record.experiment.groups[0] for record in records(run, CURVES) if record.experiment.takes), None)


def _interval(ends: tuple[float, float, float]) -> Interval:
    return Interval(*ends, 1)


def _ends(row: Flat, value: str, stem: str) -> tuple[float, float, float] | None:
    low, middle, high = (real(row.get(name)) for name in (f"{stem}_low", value, f"{stem}_high"))
    return None if low is None or middle is None or high is None else (low, middle, high)


def _load(record: Record, row: Flat) -> tuple[float, float, float] | None:
    """Bytes/s of the load on the bus; None of the chaser alone, and where only a counter could measure them."""
    found, facts = _ends(row, "bandwidth_bytes_per_s", "bandwidth"), record.groups[-1]
    bus, program = facts.bus_bytes_per_operation, facts.program_bytes_per_operation
    if found is None or len(record.groups) < 2 or bus is None or not program:
        return None
    low, middle, high = found
    return low * bus / program, middle * bus / program, high * bus / program


def _idle(run: Run, own: list[Record]) -> tuple[tuple[float, ...], ...]:
    """Of each visit, the latency of the chaser alone beside each load."""
    numbers = {record.number for record in own}
    visits: dict[int, list[float]] = {}
    for record in (*own, *(one for one in run.result.visits if one.number in numbers)):
        rate = judged_once(run, record).points[0].groups[0].interval
        if rate.count and rate.middle > 0:
            visits.setdefault(record.visit, []).append(1 / rate.middle)
    return tuple(tuple(visits[number]) for number in sorted(visits))


def _doubt(run: Run, own: list[Record]) -> str:
    """Why others used the memory during most of the visits; "" where they did not."""
    numbers, cpus = {record.number for record in own}, len(run.result.machine.identity.cpus)
    every = [*own, *(one for one in run.result.visits if one.number in numbers)]
    doubts = [found for one in every if (found := doubt(one.background, cpus))]
    return doubts[0] if len(doubts) > MOST_DOUBTED * len(every) else ""
