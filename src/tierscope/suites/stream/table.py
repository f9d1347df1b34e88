"""Bandwidth of each kernel over threads.

    bandwidth = median rate * program bytes per operation       [bytes/s], as STREAM counts
    bus       = median rate * bus bytes per operation           with the read that a plain store costs
    flops     = median rate * flops per operation               [1/s], as the kernel states them
    cycles    = counted cycles / counted operations             [1], of one thread for a line of each array
    peak share = bus / theoretical peak of all channels

The knee of the model `saturation` is where bandwidth stops growing with the threads (`tierscope models saturation`).
The model `threads` predicts more threads from one thread and from other kernels.
Blind to traffic that the program did not ask for (prefetch, page walks); only a counter sees that. The bytes that move
for each byte of the program are in `traffic`, where they are counted or bounded.
Source: J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
Newsletter, 1995; G. Hager and G. Wellein, "Introduction to High Performance Computing for Scientists and Engineers",
2010 (write-allocate); J. Treibig, G. Hager, G. Wellein, "LIKWID: A Lightweight Performance-Oriented Tool Suite for x86
Multicore Environments", 2010 (cycles for a line of each array).
"""

from statistics import median
from typing import Annotated, ClassVar

import numpy as np

from tierscope.models.saturation import FEWEST, NEAR, Saturation
from tierscope.record.counting import PERF_EVENT
from tierscope.record.result import SIZING, Record, Run
from tierscope.stats.compare import compare
from tierscope.stats.median import Interval
from tierscope.suites.stream.labels import StreamLabels
from tierscope.suites.stream.stores import reads_of_stores
from tierscope.suites.stream.threads import bandwidth, by_kernel, cores_of, said, with_model
from tierscope.suites.stream.traffic import traffic
from tierscope.tables import Audited, Insight, JudgedRow, Main, OverTime, tables
from tierscope.tables.measured import (
    closing,
    left_out,
    measured,
    median_of,
    of_all,
    page_bytes,
    percent,
    ratio_word,
    records,
    sure_rows,
)
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, PeakShare, PerS, Ratio, Size
from tierscope.tables.usual import AllArrays, PageSize, Threads, Where
from tierscope.units import LINE_BYTES, show_rate

CYCLES = ("cycles", "cpu-cycles")  # of the core, as perf names them
ON_ROOF = 2  # points beyond the knee, at least
FITS = 0.1  # largest residual of a curve over its mean for which a roof is reported


class StreamRow(JudgedRow, frozen=True, kw_only=True):
    """The bandwidth of one kernel with one number of threads."""

    kernel: Annotated[str, Col("kernel", help="its name in the catalogue; `triad` and `triad_nt` are two kernels")]
    threads: Threads
    target: Where
    footprint_bytes: AllArrays
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median, program bytes as STREAM counts them")]
    model: Annotated[
        Bandwidth | None,
        Col(
            "bandwidth by the model",
            help="as the model `threads` predicts it, with its bounds, from one thread of the kernel and curves of "
            "other kernels; null for one thread, and where it is not known",
        ),
    ] = None
    best_bytes_per_s: Annotated[
        BytesPerS | None,
        Col("best", help="highest mean of nine slices of the series, as STREAM keeps nine iterations"),
    ]
    average_bytes_per_s: Annotated[BytesPerS | None, Col("average", help="mean")]
    worst_bytes_per_s: Annotated[BytesPerS | None, Col("worst", help="lowest mean of the nine slices")]
    bus_bytes_per_s: Annotated[
        BytesPerS | None,
        Col("on the bus", help="with the read that a plain store costs; null if only a counter could measure it"),
    ]
    flops_per_s: Annotated[
        PerS | None, Col("flops", help="floating-point operations per second; null for a kernel without any")
    ] = None
    cycles_per_line: Annotated[
        Ratio | None,
        Col(
            "cycles per line",
            help="core cycles of one thread for a line of each array, with `counters=cycles` or `default`; null where "
            "no PMU counts cycles, because the core's clock is then unknown",
        ),
    ] = None
    peak_share: Annotated[
        PeakShare | None, Col("share of peak", help="bus bytes over the theoretical peak; null where either is unknown")
    ]
    isa: Annotated[str, Col("ISA", help="instructions that ran")]
    store: Annotated[str, Col("stores", help="`none`, `plain`, `nt`, `string`, `libc`, `direct`")]
    call_bytes: Annotated[
        Size | None,
        Col("call", help="bytes of one call of the C library, the median; null for kernels that are none of its"),
    ]
    streams: Annotated[Count, Col("streams", help="loop variant: parts side by side")]
    unroll: Annotated[Count, Col("unroll", help="loop variant: lines of each stream in one step")]
    prefetch_bytes: Annotated[Size, Col("prefetch", help="loop variant: distance of the prefetch for loads; 0: none")]
    prefetchw_bytes: Annotated[Size, Col("prefetch for stores", help="loop variant: the same for stores")]
    interleave_bytes: Annotated[Size, Col("interleave", help="loop variant: distance of the streams; 0: far apart")]
    page_bytes: PageSize
    row_bytes: Annotated[
        Size | None, Col("row", help="bytes of a row of a grid or a matrix; null for kernels that know neither")
    ] = None


class Stream:
    """One row for each kernel and number of threads."""

    name: ClassVar[str] = "stream"
    title: ClassVar[str] = "Bandwidth"
    place: ClassVar[int] = 10
    over_time: ClassVar[OverTime] = OverTime.FEW
    audited: ClassVar[Audited] = Audited(memory=True)
    keys: ClassVar[tuple[str, ...]] = ("kernel", "threads", "target", "page_bytes")
    main: ClassVar[tuple[Main, ...]] = (Main("bandwidth_bytes_per_s"),)
    row: ClassVar[type[StreamRow]] = StreamRow
    says: ClassVar[dict[str, str]] = {
        "peak_share": "largest share of the theoretical peak; null where it is more than all of it",
        "scaling": "bandwidth of all threads over that of one, times their number: median over the kernels",
        "roof": "threads at which the bandwidth of a kernel stops to grow, by the model `saturation`: of the "
        "highest roof that two points show; the bounds are the numbers of threads measured next to it",
        "model": "mean of the absolute relative errors of the model `threads` at all points with more than one thread; "
        "null where it is not known",
        "traffic KERNEL": "bytes moved for each byte that the program asks for, by counts; without counts `low` and "
        "`high` alone, where the theoretical peak rules out that each stored line is read",
        "store_reads KERNEL": "estimate, never conclusive: share of stored lines that were read first, by the "
        "bandwidths of reads, of stores that read nothing and of plain stores",
        "non_temporal KERNEL": "ratio of the kernel's non-temporal form to its plain form",
    }

    def rows(self, run: Run) -> list[StreamRow]:
        every = records(run, self.name)
        cores = cores_of(run.result.machine, (record.groups[0].cpus for record in every))
        return with_model([_row(run, record) for record in every], run.result.machine, cores)

    def insights(self, run: Run, rows: list[StreamRow]) -> list[Insight]:
        moved = traffic(run, _points(run, rows))
        counted = {one.name.partition(" ")[2] for one in moved if one.value is not None and one.conclusive}
        estimates = [one for one in _reads(rows) if one.name.partition(" ")[2] not in counted]
        return _peak(run, rows) + _scaling(rows) + _roof(rows) + said(rows) + _stores(rows) + moved + estimates


def _points(run: Run, rows: list[StreamRow]) -> list[tuple[Record, int, Interval | None]]:
    """Return each record with its row; nothing of rows that the run has no records of."""
    known = records(run, Stream.name)
    if len(known) != len(rows):
        return []
    return [(record, row.threads, bandwidth(row)) for record, row in zip(known, rows, strict=True)]


def _row(run: Run, record: Record) -> StreamRow:
    point, facts = measured(run, record), record.groups[0]
    summary = point.groups[0]
    program, bus = facts.program_bytes_per_operation, facts.bus_bytes_per_operation
    on_bus = None if bus is None else summary.interval.middle * bus
    peak = run.result.machine.peak_bytes_per_s
    return StreamRow(
        kernel=StreamLabels.read(record.experiment).kernel or facts.kernel,
        threads=len(facts.cpus),
        target=facts.target,
        footprint_bytes=facts.footprint_bytes,
        bandwidth=summary.interval.times(program),
        best_bytes_per_s=summary.best * program,
        average_bytes_per_s=summary.average * program,
        worst_bytes_per_s=summary.worst * program,
        bus_bytes_per_s=on_bus,
        flops_per_s=summary.interval.middle * facts.flops_per_operation if facts.flops_per_operation else None,
        cycles_per_line=_cycles(record),
        peak_share=on_bus / peak if on_bus is not None and peak else None,
        isa=facts.isa,
        store=facts.store,
        call_bytes=_call_bytes(run, record) if facts.store == "libc" else None,
        streams=facts.streams,
        unroll=facts.unroll,
        prefetch_bytes=facts.prefetch_bytes,
        prefetchw_bytes=facts.prefetchw_bytes,
        interleave_bytes=facts.interleave_bytes,
        page_bytes=page_bytes(facts),
        row_bytes=facts.row_bytes or None,
        **closing(record, point),
    )


def _cycles(record: Record) -> float | None:
    """Return the cycles of one operation, where a PMU counted them in the timed blocks."""
    for counted in record.counted:
        for event in counted.events:
            if counted.origin == PERF_EVENT and event.event in CYCLES and event.counted and counted.operations:
                return event.estimate / counted.operations
    return None


def _call_bytes(run: Run, record: Record) -> int | None:
    """Return the bytes of a call: a thread calls the library once in each block, for as many lines as the block has."""
    blocks = run.blocks(record)
    lines = blocks["operations"][(blocks["flags"] & SIZING) == 0]
    return int(np.median(lines)) * LINE_BYTES if lines.size else None


def _peak(run: Run, rows: list[StreamRow]) -> list[Insight]:
    """Return the conclusive row with the largest share of the theoretical peak; a share above 1 is not valid."""
    known = [
        (row.peak_share, row, interval)
        for row, interval in sure_rows(rows, lambda row: row.bandwidth)
        if row.peak_share is not None and row.peak_share > 0
    ]
    peak, source = run.result.machine.peak_bytes_per_s, run.result.machine.peak_source
    if not known or not peak:
        return []
    share, row, interval = max(known, key=lambda one: one[0])
    of = f"the theoretical peak, {show_rate(peak)} ({source})"
    moves = f"{row.kernel} with {_threads(row.threads)} moves {show_rate(share * peak)} over the bus"
    if share > 1:
        text = f"{moves}: more than {of}; either the peak is wrong, or some of the bytes never left a cache"
        return [Insight(name="peak_share", text=text, unit="1")]
    return [
        Insight(
            name="peak_share",
            text=f"{moves}: {share * 100:.0f} % of {of}{left_out(len(known), len(rows), 'points')}",
            value=share,
            low=share * interval.low / interval.middle,
            high=min(share * interval.high / interval.middle, 1.0),
            unit="1",
            kind="share",
        )
    ]


def _scaling(rows: list[StreamRow]) -> list[Insight]:
    """Return bandwidth of the most threads over that of one, times their number: median and range over the kernels."""
    most = max((row.threads for row in rows), default=1)
    shares: dict[str, float] = {}
    for (kernel, _), by_threads in by_kernel(rows).items():
        alone, together = (bandwidth(by_threads.get(threads)) for threads in (1, most))
        if alone and together:
            shares[kernel] = together.middle / alone.middle / most
    if most == 1 or not shares:
        return []
    rest = left_out(len(shares), len({row.kernel for row in rows}), "kernels")
    return [
        Insight(
            name="scaling",
            text=f"Scaling efficiency with {most} threads: {percent(median(shares.values()))} "
            f"({median_of(shares, 'kernels')}{rest})",
            value=median(shares.values()),
            low=min(shares.values()),
            high=max(shares.values()),
            unit="1",
        )
    ]


def _roof(rows: list[StreamRow]) -> list[Insight]:
    """Return where bandwidth stops growing with threads, for the kernel with the highest roof that two points show."""
    fits = {place: made for place, by_threads in by_kernel(rows).items() if (made := _fitted(by_threads))}
    level = {place: (fit, ends) for place, (fit, known) in fits.items() if (ends := _flat_from(fit, known))}
    if not level:
        return []
    kernel, target = best = max(level, key=lambda place: level[place][0].b_max)
    fit, (below, above) = level[best]
    return [
        Insight(
            name="roof",
            text=f"{kernel} on {target} stops growing between {below} and {above} threads: {show_rate(fit.b1)} per "
            f"thread below, {show_rate(fit.b_max)} in total above; {of_all(len(level), len(fits), 'curves')} level off",
            value=min(max(fit.b_max / fit.b1, below), above),
            low=below,
            high=above,
            unit="1",
        )
    ]


def _fitted(by_threads: dict[int, StreamRow]) -> tuple[Saturation, dict[int, Interval]] | None:
    """Return the model and the conclusive rows it is fitted to; None where they have too few numbers of threads."""
    known = {n: found for n, row in by_threads.items() if (found := bandwidth(row))}
    if len(known) < FEWEST:
        return None
    rates = np.array([found.middle for found in known.values()])
    return Saturation.fit(np.array(list(known), dtype=np.float64), rates), known


def _flat_from(fit: Saturation, known: dict[int, Interval]) -> tuple[int, int] | None:
    """Return (the most threads on the slope, the fewest on the roof); None unless two points at least show a level
    roof.

    One point below the slope does not make a roof: threads that slow each other down look the same.
    """
    roof = [n for n in known if n * fit.b1 > fit.b_max]
    slope = [n for n in known if n not in roof]
    if not fit.knee_seen or fit.residual > FITS or len(roof) < ON_ROOF or not slope:
        return None
    rates = [known[n].middle for n in roof]
    return (max(slope), min(roof)) if max(rates) - min(rates) <= NEAR * fit.b_max else None


def _stores(rows: list[StreamRow]) -> list[Insight]:
    """Return each kernel compared with its non-temporal form, with the most threads that both ran with."""
    found = []
    kernels = by_kernel(rows)
    for (kernel, target), plain in kernels.items():
        direct = kernels.get((f"{kernel}_nt", target), {})
        threads = max(plain.keys() & direct.keys(), default=0)
        if threads:
            found.extend(_gain(plain[threads], direct[threads]))
    return found


def _reads(rows: list[StreamRow]) -> list[Insight]:
    """Return whether plain stores read their lines first, on each target."""
    found = []
    kernels = by_kernel(rows)
    for target in dict.fromkeys(row.target for row in rows):
        known = {
            kernel: {threads: rate for threads, row in by_threads.items() if (rate := bandwidth(row))}
            for (kernel, of), by_threads in kernels.items()
            if of == target
        }
        found.extend(reads_of_stores(known, target))
    return found


def _gain(plain: StreamRow, direct: StreamRow) -> list[Insight]:
    before, after = bandwidth(plain), bandwidth(direct)
    if before is None or after is None:
        return []
    ratio = compare(before, after)
    cost = (
        "; a plain store first reads its line, which uses part of the bus"
        if ratio.verdict == "faster" and plain.bus_bytes_per_s is not None
        else ""
    )
    return [
        Insight.of(
            ratio,
            name=f"non_temporal {plain.kernel}",
            text=f"{direct.kernel} compared with {plain.kernel}, {_threads(plain.threads)}: {ratio.verdict}, "
            f"{ratio_word(ratio.middle)}x the bandwidth ({ratio_word(ratio.low)} to {ratio_word(ratio.high)}){cost}",
            unit="1",
        )
    ]


def _threads(threads: int) -> str:
    return "1 thread" if threads == 1 else f"{threads} threads"


tables.add(Stream())
