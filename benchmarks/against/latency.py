"""Our chase against the median of independent chases, on the same footprint and page size.

In each round every chase runs once, on memory of its own that it maps then, ours first in one round and last in the
next. Ours is the median of undisturbed blocks, as Tierscope reports it; the others' is the median of their samples. A
round gives one ratio: ours over the median of the others. The ratio of all rounds is the Hodges-Lehmann estimate, and
its 95 % interval is that of Wilcoxon's signed ranks (`stats.contrast`).

Six sizes, each with 4 KiB pages and huge ones, and two that are smaller than a huge page. With 4 KiB pages, latency in
memory differs by tens of per cent from mapping to mapping in every tool: more rounds narrow the interval.
"""

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from against.chases import SAMPLE_S, SAMPLES, Chase
from against.reading import PeerError
from tierscope.core import Session
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.work.hop import HopWork
from tierscope.stats.contrast import estimate
from tierscope.stats.median import Interval
from tierscope.units import KiB, MiB, show_bytes

SMALL = (16 * KiB, 512 * KiB)
FOOTPRINTS = (2 * MiB, 8 * MiB, 32 * MiB, 128 * MiB, 512 * MiB, 1024 * MiB)
ALLOWED = 0.01
FEWEST = 3  # other chases, for their median
CONFIDENCE = 0.95
ROUNDS = 7  # of fewer than six, no interval of signed ranks contains 95 %


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds per hop, medians over the rounds; the ratio: ours over the median of the others."""

    footprint_bytes: int
    pages: str
    ours_s: float
    others_s: dict[str, float]
    ratio: Interval
    verdict: str


def cases(footprints: Sequence[int] = SMALL + FOOTPRINTS) -> list[tuple[int, str]]:
    """Return each size with the pages that it can have."""
    return [(size, pages) for size in footprints for pages in (("4k", "thp") if size >= 2 * MiB else ("4k",))]


def compare(chases: Sequence[Chase], rounds: int, footprints: Sequence[int] = SMALL + FOOTPRINTS) -> Iterator[Row]:
    """Alternate ours and the others'; yield each case. One where fewer than three others ran is named and left out."""
    for footprint, pages in cases(footprints):
        try:
            found = [_round(chases, footprint, pages, first=number % 2 == 0) for number in range(rounds)]
        except PeerError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        yield row(footprint, pages, [ours for ours, _ in found], [others for _, others in found])


def _round(chases: Sequence[Chase], footprint: int, pages: str, *, first: bool) -> tuple[float, dict[str, float]]:
    ours = _ours(footprint, pages) if first else None
    others = {}
    for chase in chases if first else reversed(chases):
        try:
            others[chase.name] = chase.seconds(footprint, pages)
        except PeerError as error:
            print(f"left out: {chase.name}: {error}", file=sys.stderr)
    if len(others) < FEWEST:
        raise PeerError(f"{show_bytes(footprint)}, {pages}: {len(others)} chases ran, and {FEWEST} are needed")
    return ours or _ours(footprint, pages), others


def row(footprint: int, pages: str, ours: Sequence[float], others: Sequence[dict[str, float]]) -> Row:
    """Return one case. ours: of each round, s; others: of each round by name."""
    logs = [math.log(one / median(them.values())) for one, them in zip(ours, others, strict=True)]
    found = estimate(np.array(logs), CONFIDENCE)
    ratio = Interval(math.exp(found.low), math.exp(found.middle), math.exp(found.high), found.count)
    names = dict.fromkeys(name for them in others for name in them)
    each = {name: median(them[name] for them in others if name in them) for name in names}
    return Row(footprint, pages, median(ours), each, ratio, verdict(ratio))


def verdict(ratio: Interval) -> str:
    """Return 'within 1 %' or 'apart' where the whole interval is, else 'not known', as of fewer than ROUNDS rounds."""
    if ratio.count < ROUNDS:
        return "not known"
    if ratio.low >= 1 - ALLOWED and ratio.high <= 1 + ALLOWED:
        return f"within {100 * ALLOWED:.0f} %"
    return "apart" if ratio.high < 1 - ALLOWED or ratio.low > 1 + ALLOWED else "not known"


def _ours(footprint: int, pages: str) -> float:
    """Return seconds per hop; PeerError where no block was undisturbed."""
    work = Workload(kernel="chase", footprint_bytes=footprint, work=HopWork())
    with Session() as session:
        session.prepare([Group(workload=work, target=Target.parse("node:0", pages), team=Team(cpus=(0,)))])
        session.measure(SAMPLE_S, 1e-3)  # the others leave out their first sample, too
        blocks = session.measure(SAMPLES * SAMPLE_S, 1e-3)
        quiet = blocks[blocks["flags"] == 0]
        if not quiet.size:
            raise PeerError(f"{show_bytes(footprint)}, {pages}: no block of ours was undisturbed")
        seconds = (quiet["stop_ticks"] - quiet["start_ticks"]) / quiet["operations"] / session.clock.hz
    return float(np.median(seconds))


def head(table: Row) -> str:
    """Return the first lines of the table. table: its first row."""
    names = ["footprint", "pages", "ours (ns)", *table.others_s, "ours / their median", "verdict"]
    return f"| {' | '.join(names)} |\n|{' --- |' * len(names)}"


def line(one: Row) -> str:
    """Return a row of the table."""
    times = [f"{time * 1e9:.2f}" for time in (one.ours_s, *one.others_s.values())]
    ratio = f"{one.ratio.middle:.3f} [{one.ratio.low:.3f}, {one.ratio.high:.3f}]"
    return f"| {' | '.join([show_bytes(one.footprint_bytes), one.pages, *times, ratio, one.verdict])} |"
