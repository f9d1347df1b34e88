"""Hand-over between every two CPUs, as a map in the order of the topology."""

from itertools import groupby
from statistics import median

from tierscope.draw import figures, heat, vega
from tierscope.draw.heat import Axes
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.machine import Cpu, Machine
from tierscope.record.result import Run
from tierscope.suites.core_to_core.pairs import number_of_pairs
from tierscope.suites.core_to_core.table import CoreToCoreRow, class_of
from tierscope.tables import Insight

WRITTEN = 24  # most CPUs for which the cells show their number
HIGHEST = 3.0  # factor on the median: higher values have the same color, or one slow pair would pale all others
HEADS = 8  # most parts of a map that have a label each
TIPS = vega.tips(
    ("pair", "CPUs"), ("ns", "one way, ns"), ("low", "95 % interval from, ns"), ("high", "to, ns"),
    ("near", "they share"), ("verdict", "verdict"),
)  # fmt: skip
WIDTHS = {"package": 2.4, "node": 1.4, "cache": 0.7}


class CoreToCore:
    """Both triangles show the same numbers: a pair is measured once, for both ways together."""

    name = "core_to_core"
    title = "Core to core: time of a cache line, one way"
    table = "core_to_core"
    reading = (
        "Each cell is one pair of CPUs; the stronger its colour, the longer. The map is symmetric by construction: "
        "both ways of a pair are one number, drawn twice. CPUs are in the order of package, node, last-level cache "
        "and core, and rules separate the first three where there are several; a number with ? is inconclusive."
    )

    def draw(self, run: Run, rows: list[CoreToCoreRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `core_to_core`, in the order of the machine."""
        points = [_point(row) for row in rows if row.latency and row.latency.middle]
        if not points:
            return None
        machine = run.result.machine
        cpus = machine.by_topology(tuple(sorted({cpu for row in rows for cpu in (row.a_cpu, row.b_cpu)})))
        top, note = _top(points)
        axes = Axes("a", "b", list(cpus), list(cpus), "CPU", "CPU")
        layers = _cells(axes, top) + _parts(axes, machine, cpus)
        body = {"hconcat": [heat.chart(axes, points, layers)]}
        total = number_of_pairs(len(cpus))
        blank = f"{len(rows)} of {total} pairs were measured; the other cells are blank." if len(rows) < total else ""
        notes = [note, blank, vega.missing(len(rows), len(points))]
        return vega.finish(vega.origin_title(self.title, run.result.origin), body, labels=["0,000 ns"] * 5, notes=notes)


def _point(row: CoreToCoreRow) -> Point:
    wait = vega.bar("ns", row.latency, vega.ns)
    return {
        "a": row.a_cpu,
        "b": row.b_cpu,
        "pair": f"{row.a_cpu} and {row.b_cpu}",
        **wait,
        "word": f"{wait['ns']:.0f}{'' if row.conclusive else '?'}",
        "near": class_of(row),
        "verdict": row.verdict,
    }


def _top(points: list[Point]) -> tuple[float, str]:
    """Return where the hue is full, in ns, and a note if some pairs are beyond."""
    values = [float(point["ns"]) for point in points]
    limit = HIGHEST * median(values)
    beyond = sum(value > limit for value in values)
    if not beyond:
        return max(values), ""
    verbs = ("pair takes", "is") if beyond == 1 else ("pairs take", "are")
    return limit, f"{beyond} {verbs[0]} longer than {limit:.0f} ns and {verbs[1]} coloured like that."


def _cells(axes: Axes, top: float) -> list[Spec]:
    layers = [heat.cells(axes, "ns", top, "one way, ns", TIPS, turned=turned) for turned in (False, True)]
    if len(axes.columns) > WRITTEN:
        return layers
    size = max(8.0, min(13.0, axes.cell * 0.36))
    return layers + [heat.words(axes, "word", "ns", top, size=size, turned=turned) for turned in (False, True)]


def _parts(axes: Axes, machine: Machine, cpus: tuple[int, ...]) -> list[Spec]:
    """Return rules between packages, nodes and caches, and labels for the outermost level that has several."""
    places = {cpu.number: cpu for cpu in machine.identity.cpus}
    layers: list[Spec] = []
    named = False
    for level, width in WIDTHS.items():
        runs = [(key, next(own)) for key, own in groupby(cpus, key=lambda cpu: _part(machine, places[cpu], level))]
        if len(runs) < 2 or axes.cell * len(cpus) / len(runs) < 2:
            continue
        layers += heat.borders(axes, [first for _, first in runs[1:]], width)
        if not named and level != "cache" and len(runs) <= HEADS:
            layers += heat.heads(axes, [(first, f"{level} {key[-1]}") for key, first in runs])
            named = True
    return layers


def _part(machine: Machine, cpu: Cpu, level: str) -> tuple[int, ...]:
    """Return the part to which a CPU belongs; the last number is its name."""
    if level == "package":
        return (cpu.package,)
    if level == "node":
        return cpu.package, cpu.node
    cache = machine.last_level_cache_of(cpu.number)
    return cpu.package, cpu.node, -1 if cache is None else cache


figures.add(CoreToCore())
