"""Bytes that a kernel moves for each byte that the program asks for: counted, else bounded by the theoretical peak.

    factor = bytes counted / program bytes of the same operations                              [1]
    bounds = factor -+ caches / program bytes, widened over the visits of a point
    factor <= peak / (program bytes/s * (1 - caches / footprint))                              [1], without counts

Counted are the bytes that memory gave and took (`memory_traffic`), or those that came into the cores' own caches
(`core_bytes_in` of Neoverse) and the stored bytes: each leaves once. Write-backs of a core are not used: a
stream of stores may leave it as other transactions. Lines that were in the caches before the timed blocks, or are
after them, make the bounds: no more than all caches contain.
A plain store of a whole line costs a read (factor 2 of `write`) or none (factor 1), in part on processors that stream
stores: ARM cores, and Intel processors with SpecI2M where the bus is full. Without counts the peak rules out the
factors that would need more bytes than the channels can move; it never shows which of the others is true.
Blind to bytes of other programs where a counter is that of the whole memory, and to a wrong peak.
Source: Arm, "Neoverse N1 Core Technical Reference Manual", write streaming mode; J. Laukemann and others, "CloverLeaf
on Intel Multi-Core CPUs: A Case Study in Write-Allocate Evasion", 2023.
"""

from collections.abc import Iterator, Sequence

from tierscope.metrics import Metrics, metrics_for
from tierscope.record.counting import SIMULATED, Counted, simulated_events
from tierscope.record.result import Record, Run
from tierscope.stats.median import Interval
from tierscope.tables import Insight
from tierscope.tables.measured import over_visits
from tierscope.units import show_rate

COUNTS = (("memory_traffic", "at the memory", False), ("core_bytes_in", "where lines come into the cores", True))
"""The metric of the bytes of an operation, the best first; where it counts; whether stored bytes come in addition."""
WIDE = 0.1  # of the factor: a wider interval decides nothing
PLAIN = "plain"


def factor(run: Run, record: Record) -> tuple[Interval, str] | None:
    """Return the counted factor with its bounds and where it was counted; None without such counts."""
    metrics = metrics_for(run.result.machine.identity.family)
    for name, where, stores in COUNTS:
        stored = _stored(run, record) if stores else 0.0
        if stored is None:
            continue

        def of_visit(visit: Record, name: str = name, stored: float = stored) -> Interval | None:
            return _of_visit(run, visit, metrics, name, stored)

        found = over_visits(run, record, f"traffic {where}", of_visit)
        if found is not None:
            return found, where
    return None


def _stored(run: Run, record: Record) -> float | None:
    """Return the program bytes that one operation stores; None where the build does not state them."""
    facts = record.groups[0]
    walk = run.result.machine.kernels.get(facts.kernel)
    return None if walk is None else (1 - walk.read_share) * facts.program_bytes_per_operation


def _of_visit(run: Run, visit: Record, metrics: Metrics, name: str, stored: float) -> Interval | None:
    facts = visit.groups[0]
    for counted in visit.counted or _simulated(run, visit):
        if counted.origin == SIMULATED and facts.origin != SIMULATED:  # counts of a model of this machine
            continue
        bytes_each = _value(counted, metrics, name, run.result.machine.line_bytes())
        if bytes_each is None or not counted.operations or not facts.program_bytes_per_operation:
            continue
        middle = (bytes_each + stored) / facts.program_bytes_per_operation
        left = run.result.machine.last_level_cache_bytes() / (facts.program_bytes_per_operation * counted.operations)
        return Interval(max(middle - left, 0.0), middle, middle + left, counted.blocks or 1)
    return None


def _simulated(run: Run, visit: Record) -> Iterator[Counted]:
    """Yield what a simulated machine counts in each run, also without `counters=`."""
    if visit.groups[0].origin == SIMULATED and visit.counters:
        blocks = run.blocks(visit)
        yield Counted(
            origin=SIMULATED, blocks=len(blocks), operations=int(blocks["operations"].sum()),
            events=simulated_events(visit.counters),
        )  # fmt: skip


def _value(counted: Counted, metrics: Metrics, name: str, line_bytes: int) -> float | None:
    """Return a metric of one operation; None unless all its events were counted."""
    known = {metrics.called(one.event).replace("-", "_"): one.estimate for one in counted.events if one.counted}
    given = {"operations": float(counted.operations), "seconds": counted.seconds, "line": float(line_bytes)}
    metric = next((one for one in metrics.metrics if one.name == name), None)
    if metric is None or not metric.formula.names <= {*known, *given}:
        return None
    return metric.formula.value({**known, **given})


def most(peak_bytes_per_s: float | None, rate: Interval, footprint: float, cache_bytes: float) -> float | None:
    """Return the largest factor that the peak allows at this rate in program bytes/s; None where the peak is not known
    or the caches may contain everything.
    """
    beyond = 1 - cache_bytes / footprint if footprint > 0 else 0.0
    if not peak_bytes_per_s or beyond <= 0 or not rate.low > 0:
        return None
    return peak_bytes_per_s / (rate.low * beyond)


def sentence(kernel: str, threads: int, target: str, found: Interval, where: str, assumed: float | None) -> Insight:
    """Return what the counts show, next to the factor that the table assumes for its bytes on the bus."""
    sure = found.high - found.low <= 2 * WIDE * found.middle
    who = f"{kernel} on {target} with {threads} thread{'' if threads == 1 else 's'}"
    bounds = f"{found.middle:.2f} bytes ({found.low:.2f} to {found.high:.2f})"
    other = assumed is not None and sure and not found.low <= assumed <= found.high
    more = f"; its bytes on the bus in the table assume {assumed:.2f}" if other else ""
    short = "" if sure else "; more operations in the timed blocks narrow it"
    return Insight.of(
        found,
        name=f"traffic {kernel}",
        text=f"{who} moves {bounds} for each byte that the program asks for, counted {where}{more}{short}",
        unit="1", conclusive=sure, detail=not other,
    )  # fmt: skip


def bounded(kernel: str, threads: int, target: str, highest: float, full: float, peak: str) -> Insight | None:
    """Return that the peak rules out a read of each stored line; None where it does not."""
    if highest >= full:
        return None
    who = f"{kernel} on {target} with {threads} thread{'' if threads == 1 else 's'}"
    return Insight(
        name=f"traffic {kernel}",
        text=f"{who} moves at most {highest:.2f} bytes for each byte that the program asks for. If every store read "
        f"its line, it would move {full:.2f}: more than {peak}, unless that is wrong",
        low=1.0, high=highest, unit="1", detail=True,
    )  # fmt: skip


def traffic(run: Run, points: Sequence[tuple[Record, int, Interval | None]]) -> list[Insight]:
    """Return one sentence for each kernel and target whose factor is counted or bounded: that of the most threads.

    points: a record of one group, its threads, and its conclusive bandwidth in program bytes/s.
    """
    best: dict[tuple[str, str], tuple[int, Insight]] = {}
    for record, threads, rate in points:
        facts = record.groups[0]
        place = facts.kernel, facts.target
        one = _of_point(run, record, threads, rate)
        if one is not None and (place not in best or threads > best[place][0]):
            best[place] = threads, one
    return [one for _, one in best.values()]


def _of_point(run: Run, record: Record, threads: int, rate: Interval | None) -> Insight | None:
    facts, machine = record.groups[0], run.result.machine
    program, bus = facts.program_bytes_per_operation, facts.bus_bytes_per_operation
    assumed = bus / program if bus is not None and program else None
    if (found := factor(run, record)) is not None:
        return sentence(facts.kernel, threads, facts.target, *found, assumed)
    walk = machine.kernels.get(facts.kernel)
    full = assumed if assumed is not None else 2 - walk.read_share if walk is not None else None
    if facts.store != PLAIN or rate is None or full is None:
        return None
    peak = machine.peak_bytes_per_s
    highest = most(peak, rate, facts.footprint_bytes, machine.last_level_cache_bytes())
    if highest is None or peak is None:
        return None
    where = f"the theoretical peak, {show_rate(peak)} ({machine.peak_source})"
    return bounded(facts.kernel, threads, facts.target, highest, full, where)
