"""Document 003, a report: Intel MLC over injected delays, and fio on an SSD, both in a virtual machine."""

from dataclasses import dataclass
from statistics import fmean

from tierscope.audit.littles_law import MEAN, queue_latency_s
from tierscope.audit.no_load import lines_under_way
from tierscope.printed import printed
from tierscope.reference import load
from tierscope.reproduce import Claim, Document, Figure, reproduce
from tierscope.reproduce.claim import direction
from tierscope.units import LINE_BYTES

LATENCY_ROUNDING = 0.005  # ns; half of the last printed digit
TESTS = ("write", "mixed", "read")
READS = 0.7  # of a mixed test

DIGIT = "3520 IOPS lost a digit and the k: 35.2k"
IMPOSSIBLE = "impossible: with 16 requests in flight 83.1k IOPS allow 193 us; printed is 39x that"
READS_ALONE = "IOPS of mixed tests are the reads alone"
LOW = "15 to 31 % below what queue depth and IOPS demand"
UNIT = "unit slip: 1036.44 is MiB/s in a column of KiB/s"
HIGHER = "1.3x to 2.4x the other bandwidth column: a mean of samples, not of the run"


@dataclass(frozen=True, slots=True)
class Job:
    """One row of the table of storage; `iops_step` is the worth of the last printed digit."""

    row: int
    test: str
    block_bytes: int
    depth: int
    iops: float
    iops_step: float
    bandwidth_mb_s: float
    latency_us: float
    average_kib_s: float

    @property
    def label(self) -> str:
        return f"row {self.row}, {self.test}, {self.block_bytes >> 10} KiB"

    @property
    def total(self) -> float:
        """Return IOPS of reads and writes."""
        return self.iops / READS if self.test == "mixed" else self.iops


def jobs() -> list[Job]:
    columns = load("document003_storage").columns
    return [
        Job(row, test, kib << 10, depth, *printed(iops), bandwidth, latency, average)
        for row, depth, test, kib, iops, bandwidth, latency, average in zip(
            *(columns[name].tolist() for name in columns), strict=True
        )
    ]


def claims() -> list[Claim]:
    """Return loaded latency, then storage."""
    return [_little(), _strides(), _bandwidths(), _queue(), _averages(), _larger_blocks(), *_order()]


def _little() -> Claim:
    """Return the claim by Little's law with one line in flight: bandwidth = 64 bytes / latency."""
    columns = load("document003_loaded_latency").columns
    rows = zip(*(columns[name].tolist() for name in columns), strict=True)
    figures = []
    for mode, stride, delay, nanoseconds, bandwidth in rows:
        found = 1e3 * LINE_BYTES / nanoseconds
        slack = found * LATENCY_ROUNDING / nanoseconds
        figures.append(Figure(f"{mode} -l{stride}, delay {delay}", bandwidth, found, 0.1, slack))
    return Claim("tables of MLC", "bandwidth is 64 bytes / latency: Little's law, one line", "MB/s", tuple(figures))


def _strides() -> Claim:
    """Return means over all modes and delays."""
    rows = load("document003_loaded_latency")
    near, far = rows.where(stride_bytes=64), rows.where(stride_bytes=256)
    faster = fmean(near.columns["bandwidth_mb_s"]) / fmean(far.columns["bandwidth_mb_s"])
    sooner = fmean(far.columns["latency_ns"]) / fmean(near.columns["latency_ns"])
    fault = "it is a stride, not a size: both read one line, and differ by 2.1"
    return Claim(
        "text of MLC",
        "-l64 against -l256",
        "1",
        (
            Figure("bandwidth, about twice", 2, faster),
            Figure("latency, about half", 2, sooner),
            Figure("explained by 256 / 64", 4, faster, fault=fault),
        ),
    )


def _bandwidths() -> Claim:
    figures = [
        Figure(
            job.label,
            job.bandwidth_mb_s,
            job.iops * job.block_bytes / 1e6,
            slack=job.iops_step / 2 * job.block_bytes / 1e6,
            fault=DIGIT if job.row == 1 else "",
        )
        for job in jobs()
    ]
    first = jobs()[0]
    mended = Figure("row 1 with 35.2k", first.bandwidth_mb_s, 35_200 * first.block_bytes / 1e6, slack=0.2)
    return Claim("table of storage", "bandwidth is IOPS x block", "MB/s", (*figures, mended))


def _queue() -> Claim:
    """Return the claim by Little's law: latency = requests in flight / IOPS."""
    faults = {1: DIGIT, 3: LOW, 4: READS_ALONE, 5: READS_ALONE, 6: READS_ALONE, 7: IMPOSSIBLE, 8: LOW, 9: LOW}
    figures = [
        Figure(
            job.label,
            job.latency_us,
            1e6 * queue_latency_s(job.depth, job.iops),
            0.01,
            slack=MEAN * 1e6 * queue_latency_s(job.depth, job.iops),
            fault=faults.get(job.row, ""),
        )
        for job in jobs()
    ]
    first = jobs()[0]
    found = 1e6 * queue_latency_s(first.depth, 35_200)
    mended = Figure("row 1 with 35.2k", first.latency_us, found, 0.01, slack=MEAN * found)
    return Claim("table of storage", "latency is queue depth / IOPS", "us", (*figures, mended))


def _averages() -> Claim:
    figures = [
        Figure(
            job.label,
            job.average_kib_s,
            job.bandwidth_mb_s * 1e6 / 1024,
            0.01,
            slack=MEAN * job.average_kib_s,
            fault={1: "", 8: UNIT}.get(job.row, HIGHER),
        )
        for job in jobs()
    ]
    return Claim("table of storage", "bandwidth average next to bandwidth", "KiB/s", tuple(figures))


def _of(name: str) -> list[Job]:
    return [job for job in jobs() if job.test == name]


def _larger_blocks() -> Claim:
    faults = {
        "write": "144 to 139 from 4 to 32 KiB",
        "mixed": "423 to 351 from 4 to 32 KiB",
        "read": "879 to 628 from 32 to 128 KiB",
    }
    figures = [
        Figure(name, "rises", direction([job.bandwidth_mb_s for job in _of(name)]), fault=faults[name])
        for name in TESTS
    ]
    return Claim("text of storage", "bandwidth over the size of a block", "", tuple(figures))


def _order() -> list[Claim]:
    """Return which test is the fastest and the slowest at one size."""
    highest, lowest = [], []
    for kib in (32, 128):  # the text leaves 4 KiB out
        at = {job.test: job.bandwidth_mb_s for job in jobs() if job.block_bytes == kib << 10}
        highest.append(Figure(f"{kib} KiB", "read", max(at, key=lambda name: at[name])))
        lowest.append(Figure(f"{kib} KiB", "write", min(at, key=lambda name: at[name])))
    return [
        Claim("text of storage", "test with the highest bandwidth", "", tuple(highest)),
        Claim("text of storage", "test with the lowest bandwidth", "", tuple(lowest)),
    ]


def remarks() -> list[str]:
    """Return other findings of the figures."""
    rows = load("document003_loaded_latency").columns
    cells_of = zip(rows["bandwidth_mb_s"].tolist(), rows["latency_ns"].tolist(), strict=True)
    under_way = [LINE_BYTES * lines_under_way(1e6 * b, 1e-9 * t) for b, t in cells_of]
    mixed = [100 * (job.latency_us * job.total / job.depth / 1e6 - 1) for job in _of("mixed")]
    low, high, cells = min(under_way), max(under_way), len(under_way)
    errors = ", ".join(f"{error:+.0f} %" for error in mixed)
    return [
        f"{low:.2f} to {high:.2f} bytes are in flight in all {cells} cells: no load, and the delay does nothing",
        f"with reads and writes together, latency x IOPS / depth of the mixed tests is off by {errors}",
    ]


reproduce.add(Document("003", "a report on loaded latency and storage in a virtual machine", claims, remarks))
