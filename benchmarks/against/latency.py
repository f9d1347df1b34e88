"""Our chase against multichase on the same footprint and page size: best sample over best sample.

Samples are 0.5 s long and include all disturbances. On a machine that is not quiet both are too slow, by chance one
more than the other. The table also shows the median of our clean blocks, for which only the peer must be undisturbed.

multichase: `-s 64` one node per line, `-T footprint` one window of all nodes, so that each hop may miss the TLB;
`-H` transparent huge pages, without it its memory is advised against them. It prints the best of its 0.5 s samples.
Source: google, "multichase", multichase.c.
"""

from dataclasses import dataclass
from pathlib import Path
from statistics import median

import numpy as np

from against.reading import PeerError, output
from tierscope.core import Session
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.result import SIZING
from tierscope.record.work.hop import HopWork
from tierscope.units import KiB, MiB, show_bytes

FOOTPRINTS = (16 * KiB, 1 * MiB, 64 * MiB, 1024 * MiB)
SAMPLE_S = 0.5  # as multichase's
SAMPLES = 8  # of each, in every round: of more samples, the best one is more likely undisturbed
HUGE = 2 * MiB
ALLOWED = 0.03


@dataclass(frozen=True, slots=True)
class Row:
    """Seconds per hop, medians over the rounds, and the range of ours / peer."""

    footprint_bytes: int
    pages: str
    ours_s: float
    ours_clean_s: float
    peer_s: float
    ratio: float
    ratio_low: float
    ratio_high: float
    verdict: str


def compare(program: Path, rounds: int) -> list[Row]:
    """Alternate ours and the peer's; return the medians over the rounds."""
    rows = []
    for footprint in FOOTPRINTS:
        for pages in ("4k", "thp"):
            if pages == "thp" and footprint < HUGE:
                continue  # less than one huge page
            pairs = [(_ours(footprint, pages), _peer(program, footprint, pages)) for _ in range(rounds)]
            rows.append(_row(footprint, pages, pairs))
    return rows


def _row(footprint: int, pages: str, pairs: list[tuple[tuple[float, float], float]]) -> Row:
    ratios = [ours / peer for (ours, _), peer in pairs]
    middle = median(ratios)
    verdict = "within 3 %" if abs(middle - 1) <= ALLOWED else "apart"
    ours, clean = (median(column) for column in zip(*(ours for ours, _ in pairs), strict=True))
    peers = median(peer for _, peer in pairs)
    return Row(footprint, pages, ours, clean, peers, middle, min(ratios), max(ratios), verdict)


def _ours(footprint: int, pages: str) -> tuple[float, float]:
    """Return seconds per hop: the better of the samples, disturbed as the peer's; the median of clean blocks."""
    work = Workload(kernel="chase", footprint_bytes=footprint, work=HopWork())
    with Session() as session:
        session.prepare([Group(workload=work, target=Target.parse("node:0", pages), team=Team(cpus=(0,)))])
        session.measure(SAMPLE_S, 1e-3)  # the peer drops its first sample too
        samples, clean = [], []
        for _ in range(SAMPLES):
            blocks = session.measure(SAMPLE_S, 1e-3)
            timed = blocks[(blocks["flags"] & SIZING) == 0]
            quiet = timed[timed["flags"] == 0]
            clean.append((quiet["stop_ticks"] - quiet["start_ticks"]) / quiet["operations"] / session.clock.hz)
            ticks = int(timed["stop_ticks"][-1]) - int(timed["start_ticks"][0])
            samples.append(float(ticks / session.clock.hz / np.sum(timed["operations"])))
    return min(samples), float(np.median(np.concatenate(clean)))


def _peer(program: Path, footprint: int, pages: str) -> float:
    huge = ["-H"] if pages == "thp" else []
    size = f"{footprint // KiB}k"
    text = output([program, "-s", "64", "-T", size, "-m", size, "-n", str(SAMPLES), *huge], 1)
    try:
        return float(text.strip().splitlines()[-1]) * 1e-9
    except (IndexError, ValueError) as error:
        raise PeerError(f"{program} printed no latency") from error


def markdown(table: list[Row]) -> str:
    lines = [
        "| footprint | pages | ours (ns) | clean blocks (ns) | multichase (ns) | ratio | verdict |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in table:
        times = " | ".join(f"{time * 1e9:.2f}" for time in (row.ours_s, row.ours_clean_s, row.peer_s))
        ratios = f"{row.ratio:.3f} [{row.ratio_low:.3f}, {row.ratio_high:.3f}]"
        lines.append(f"| {show_bytes(row.footprint_bytes)} | {row.pages} | {times} | {ratios} | {row.verdict} |")
    return "\n".join(lines)
