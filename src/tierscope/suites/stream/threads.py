"""Predictions of the model `threads` for numbers of threads beyond one, and which rows of a kernel belong together.

Each kernel is predicted from its own one thread, and from the other kernels of the run, whose threads give curves of
the device. These are up to CURVES kernels with the same kind of stores, and the most similar share of reads on the bus.

    share of reads = 1 - stored bytes of the program / bytes on the bus                [1]
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from msgspec.structs import replace

from tierscope.models.model import FitError
from tierscope.models.threads import FEWEST, DeviceCurve, Threads
from tierscope.record.catalogue import Walk
from tierscope.record.machine import Machine
from tierscope.stats.median import Interval
from tierscope.tables import Insight, Number
from tierscope.tables.measured import sure
from tierscope.tables.scored import noise_of, score

if TYPE_CHECKING:
    from tierscope.suites.stream.table import StreamRow

CURVES = 3
NAME = "model"
Kernel = tuple[str, str]
"""Kernel and target."""


def by_kernel(rows: "Iterable[StreamRow]") -> "dict[Kernel, dict[int, StreamRow]]":
    """Return (kernel, target) -> threads -> the row; that of the largest footprint where there are several."""
    found: dict[Kernel, dict[int, StreamRow]] = {}
    for row in sorted(rows, key=lambda row: row.footprint_bytes):
        found.setdefault((row.kernel, row.target), {})[row.threads] = row
    return found


def bandwidth(row: "StreamRow | None") -> Interval | None:
    """Return the bandwidth that a sentence may be based on; None also if there is no row."""
    return sure(row, row.bandwidth) if row else None


def cores_of(machine: Machine, teams: Iterable[Sequence[int]]) -> int:
    """Return how many cores the CPUs of all teams have; 0 where a team shares a core before all cores have a thread.

    Each CPU that the machine does not name is a core.
    """
    known = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    counts = [(len(cpus), len({known.get(cpu, (-1, cpu)) for cpu in cpus})) for cpus in teams]
    most = max((cores for _, cores in counts), default=0)
    return most if all(cores == min(threads, most) for threads, cores in counts) else 0


def with_model(rows: "Sequence[StreamRow]", machine: Machine, cores: int) -> "list[StreamRow]":
    """Return the rows with `model` where it predicts them. cores: as `cores_of` counts them."""
    kernels = by_kernel(rows)
    models = {kernel: _of(kernel, kernels, machine.kernels, cores) for kernel in kernels}
    found = []
    for row in rows:
        model = models[row.kernel, row.target]
        own = kernels[row.kernel, row.target].get(row.threads) is row
        found.append(replace(row, model=_interval(model, row.threads)) if model and own and row.threads > 1 else row)
    return found


def _of(
    kernel: Kernel, kernels: "Mapping[Kernel, dict[int, StreamRow]]", walks: Mapping[str, Walk], cores: int
) -> Threads | None:
    """Return the model of a kernel; None if it cannot be fitted."""
    one = kernels[kernel].get(1)
    rate, traffic = bandwidth(one), _traffic(one, walks)
    if one is None or rate is None or traffic is None:
        return None
    others = [rows for name, rows in kernels.items() if name[1] == kernel[1] and name != kernel]
    alike = [curve for rows in others if (curve := _curve(rows, walks, one.store, cores))]
    alike.sort(key=lambda curve: abs(curve.reads - traffic.reads))
    noise = noise_of([found for rows in kernels.values() for row in rows.values() if (found := bandwidth(row))])
    try:
        return Threads.fit(rate.middle, traffic.per_byte, traffic.reads, alike[:CURVES], cores=cores, noise=noise)
    except FitError:
        return None


def _curve(rows: "Mapping[int, StreamRow]", walks: Mapping[str, Walk], store: str, cores: int) -> DeviceCurve | None:
    """Return the curve of a kernel over its cores; None for other stores, and for too few conclusive points."""
    known = [
        (threads, found.middle * traffic.per_byte, traffic.reads)
        for threads, row in rows.items()
        if threads <= cores and row.store == store and (found := bandwidth(row)) and (traffic := _traffic(row, walks))
    ]
    if not known:
        return None
    threads, moved, reads = zip(*known, strict=True)
    try:
        return DeviceCurve.of(np.array(threads, dtype=np.float64), np.array(moved), reads[0])
    except FitError:
        return None


class Traffic(NamedTuple):
    """Bytes on the bus for a byte of the program, and the share of reads among them."""

    per_byte: float
    reads: float


def _traffic(row: "StreamRow | None", walks: Mapping[str, Walk]) -> Traffic | None:
    """Return None where only a counter could measure it, and for a kernel that the machine does not name."""
    if row is None or row.bus_bytes_per_s is None or not row.bandwidth or not row.bandwidth.middle:
        return None
    if (walk := walks.get(row.kernel)) is None:
        return None
    per_byte = row.bus_bytes_per_s / row.bandwidth.middle
    return Traffic(per_byte, 1 - (1 - walk.read_share) / per_byte)


def _interval(model: Threads, threads: int) -> Interval:
    return Interval(*model.predict(threads).short, 1)


def said(rows: "Sequence[StreamRow]") -> list[Insight]:
    """Return the error of the model over all conclusive points with more than one thread, or why it is not known.

    Nothing for runs that do not ask how bandwidth grows: with less than FEWEST numbers of threads.
    """
    if len({row.threads for row in rows}) < FEWEST:
        return []
    scored = [(row, row.model, found) for row in rows if row.model and (found := bandwidth(row))]
    if not scored:
        why = (
            "it needs the conclusive bandwidth of one thread, and a kernel with like reads and stores that has "
            f"{FEWEST} conclusive numbers of threads, one of them 1, which fill the cores first"
        )
        text = f"The error of the model `threads` is not known, because {why}"
        return [Insight(name=NAME, text=text, unit="1", conclusive=False)]
    its = score([(model, found) for _, model, found in scored])
    worst = f"{scored[its.at][0].kernel} with {scored[its.at][0].threads} threads"
    return [
        Insight(
            name=NAME,
            text=f"From one thread of a kernel and curves of others, the model `threads` is off by "
            f"{100 * its.mean:.1f} % on average at {len(scored)} points (worst: {100 * its.worst:+.1f} %, "
            f"{worst}); its bounds contain {its.inside} of them",
            value=its.mean,
            unit="1",
            kind="difference",
            others=(Number(value=its.worst, kind="difference"),),
        )
    ]
