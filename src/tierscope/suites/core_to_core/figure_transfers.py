"""Loads of lines from another CPU's cache: a map for each state and home, readers across and owners down."""

from tierscope.draw import figures, heat, vega
from tierscope.draw.heat import Axes
from tierscope.draw.theme import Spec
from tierscope.draw.vega import Point
from tierscope.record.result import Run
from tierscope.suites.core_to_core.table_transfers import CacheToCacheRow
from tierscope.tables import Insight

WRITTEN = 24  # most CPUs for which the cells show their number
SIDE = 300  # px of one map: two are next to each other
TIPS = vega.tips(
    ("pair", "CPUs"), ("ns", "load, ns"), ("low", "95 % interval from, ns"), ("high", "to, ns"),
    ("near", "they share"), ("home", "home of the line"), ("verdict", "verdict"),
)  # fmt: skip


class CacheToCache:
    """Maps of all states have one scale, so that their colours can be compared."""

    name = "cache_to_cache"
    title = "Cache to cache: load of a line that another CPU has"
    table = "cache_to_cache"
    reading = (
        "Each cell is one reader (across) that loads lines from the cache of one owner (down); the stronger its "
        "colour, the longer. There is a map for each state of the lines and each home: the node of the reader, of the "
        "owner, or both where they are one. A number with ? is inconclusive."
    )

    def draw(self, run: Run, rows: list[CacheToCacheRow], insights: list[Insight]) -> Spec | None:
        """Draw the rows of `cache_to_cache`, in the order of the machine."""
        known = [row for row in rows if row.latency and row.latency.middle]
        if not known:
            return None
        cpus = run.result.machine.by_topology(
            tuple(sorted({cpu for row in rows for cpu in (row.reader_cpu, row.owner_cpu)}))
        )
        top = max(row.latency.middle for row in known if row.latency) * 1e9
        maps = [_map(matrix, [row for row in known if row.matrix == matrix], cpus, top) for matrix in matrices(known)]
        notes = [vega.missing(len(rows), len(known))]
        title = vega.origin_title(self.title, run.result.origin)
        return vega.finish(title, {"hconcat": maps}, labels=["0,000 ns"] * 5, notes=notes)


def matrices(rows: list[CacheToCacheRow]) -> list[tuple[str, str]]:
    """Return each state with each home, in the order of the rows."""
    return sorted({row.matrix for row in rows})


def _map(matrix: tuple[str, str], rows: list[CacheToCacheRow], cpus: tuple[int, ...], top: float) -> Spec:
    state, home = matrix
    whose = "reader and owner" if home == "both" else f"the {home}"
    axes = Axes("reader", "owner", list(cpus), list(cpus), f"reader: {state}, home: {whose}", "owner", side=SIDE)
    layers = [heat.cells(axes, "ns", top, "load, ns", TIPS)]
    if len(cpus) <= WRITTEN:
        layers.append(heat.words(axes, "word", "ns", top, size=max(8.0, min(13.0, axes.cell * 0.3))))
    return heat.chart(axes, [_point(row) for row in rows], layers)


def _point(row: CacheToCacheRow) -> Point:
    wait = vega.bar("ns", row.latency, vega.ns)
    return {
        "reader": row.reader_cpu,
        "owner": row.owner_cpu,
        "pair": f"{row.reader_cpu} reads lines of {row.owner_cpu}",
        **wait,
        "word": f"{wait['ns']:.0f}{'' if row.conclusive else '?'}",
        "near": row.near,
        "home": row.home,
        "verdict": row.verdict,
    }


figures.add(CacheToCache())
