"""Document 001's claims: which number of threads and which size of blocks is best, and how STREAM compares.

It counts a copied byte once; STREAM and `blocks` count it twice. Its latencies have no unit, so only their ratios
compare. Some of its sentences contradict its own tables; each such claim states this.
"""

from dataclasses import replace

from tierscope.record.experiment import real
from tierscope.reference import load
from tierscope.suites.documents.cells import Cell, kept
from tierscope.suites.documents.claim import Claim
from tierscope.suites.documents.found import Found, Seen, all_seen, seen
from tierscope.suites.documents.sheet import Sheet, sheets
from tierscope.units import parse_bytes

OPERATIONS = {"copy": "sequential_read_write", "write": "sequential_write", "random_write": "random_write"}
NAMES = {"copy": "copy", "write": "sequential write", "random_write": "random write"}
BLOCKS = ("8KB", "8MB", "80MB")
SMALL = 8  # of a block whose latency the document measured
THREADS = (1, 2, 4, 8)
PEAK = 51.2e9  # bytes/s: the product that the document prints
NO_BLOCKS = "blocks were not measured with these numbers of threads"
NO_PEAK = "the theoretical bandwidth is not known: name it with peak=, such as peak=68GB/s"


def rate(operation: str, threads: int, block: str) -> float:
    """Return the published throughput in bytes/s."""
    row = load("document001_throughput").where(operation=OPERATIONS[operation], threads=threads, block=block)
    return float(row.si("throughput_mb_s")[0])


def waits(operation: str, threads: int) -> float:
    """Return the published latency; its unit is not known."""
    row = load("document001_latency").where(operation=OPERATIONS[operation], threads=threads)
    return float(row.columns["latency"][0])


def measured(found: Found, stem: str, operation: str, size: int, threads: int) -> Seen | None:
    """Return a number of a point of `blocks`."""
    rows = found.rows("blocks", operation=operation, block_bytes=size, threads=threads)
    return seen(rows[0], stem, f"{NAMES[operation]}, {threads} threads") if rows else None


def _over(first: Seen | None, other: Seen | None, label: str) -> Seen | None:
    return first.over(other, label) if first and other else None


def best_of(found: Found, operation: str, threads: int) -> list[Seen]:
    """Return the throughput of a number of threads over that of each other number, at each size."""
    others = [count for count in THREADS if count != threads]
    return all_seen(
        _over(
            measured(found, "throughput", operation, parse_bytes(block), threads),
            measured(found, "throughput", operation, parse_bytes(block), other),
            f"{block}, over {other} thread{'s' if other > 1 else ''}",
        )
        for block in BLOCKS for other in others
    )  # fmt: skip


def _published_best(operation: str, threads: int) -> list[float]:
    return [
        rate(operation, threads, block) / rate(operation, other, block)
        for block in BLOCKS for other in THREADS if other != threads
    ]  # fmt: skip


def grows(found: Found) -> list[Seen]:
    """Return the throughput of the largest blocks over that of 8 KB, with 4 threads."""
    return all_seen(
        _over(
            measured(found, "throughput", operation, parse_bytes("80MB"), 4),
            measured(found, "throughput", operation, parse_bytes("8KB"), 4),
            NAMES[operation],
        )
        for operation in OPERATIONS
    )


def random_waits(found: Found) -> list[Seen]:
    """Return the latency of random writes of 8 bytes over that of sequential ones, for each number of threads."""
    return all_seen(
        _over(
            measured(found, "latency", "random_write", SMALL, threads),
            measured(found, "latency", "write", SMALL, threads),
            f"{threads} thread{'s' if threads > 1 else ''}",
        )
        for threads in THREADS
    )


def waits_longer(found: Found) -> list[Seen]:
    """Return the latency of sequential operations with 8 threads over that with one."""
    return all_seen(
        _over(
            measured(found, "latency", name, SMALL, 8), measured(found, "latency", name, SMALL, 1), NAMES[name]
        )
        for name in ("copy", "write")
    )  # fmt: skip


def stream_near(found: Found) -> list[Seen]:
    """Return STREAM's copy over copies of 8 KB, both with one thread and counted as STREAM counts."""
    rows = found.rows("stream", kernel="copy", threads=1)
    one = seen(rows[0], "bandwidth") if rows else None
    return all_seen([_over(one, measured(found, "throughput", "copy", parse_bytes("8KB"), 1), "")])


def below_peak(found: Found) -> list[Seen]:
    """Return the largest throughput of large blocks over the theoretical bandwidth."""
    peak = real(found.machine.peak_bytes_per_s)
    sizes = [parse_bytes(block) for block in BLOCKS[1:]]  # 8 KB may never leave a cache
    rows = [row for row in found.rows("blocks") if row["block_bytes"] in sizes]
    known = all_seen(seen(row, "throughput") for row in rows)
    if not peak or not known:
        return []
    most = max(known, key=lambda one: one.value.middle)
    return [replace(most, value=most.value.times(1 / peak))]


CLAIMS = (
    Claim(
        "copy_four", "Copies are faster with 4 threads than with 1, 2 or 8, at every size",
        "throughput over that of another number of threads", lambda found: best_of(found, "copy", 4), NO_BLOCKS,
        lambda: _published_best("copy", 4), low=1.0,
    ),
    Claim(
        "write_eight", "Sequential writes are fastest with 8 threads, at every size",
        "throughput over that of another number of threads", lambda found: best_of(found, "write", 8), NO_BLOCKS,
        lambda: _published_best("write", 8), low=1.0, contradicted="its table has 4 threads as the fastest",
    ),
    Claim(
        "random_two", "Random writes are fastest with 2 threads, at every size",
        "throughput over that of another number of threads", lambda found: best_of(found, "random_write", 2),
        NO_BLOCKS, lambda: _published_best("random_write", 2), low=1.0,
        contradicted="its table has 4 threads as the fastest for blocks of 80 MB",
    ),
    Claim(
        "grows_with_block", "With 4 threads, blocks of 80 MB move more bytes than blocks of 8 KB",
        "throughput, 80 MB over 8 KB", grows, NO_BLOCKS,
        lambda: [rate(name, 4, "80MB") / rate(name, 4, "8KB") for name in OPERATIONS], low=1.0,
    ),
    Claim(
        "random_waits", "A random write of 8 bytes takes longer than a sequential one",
        "latency, random over sequential", random_waits, NO_BLOCKS,
        lambda: [waits("random_write", n) / waits("write", n) for n in THREADS], low=1.0,
    ),
    Claim(
        "waits_longer", "Sequential operations of 8 bytes take longer with 8 threads than with one",
        "latency, 8 threads over 1", waits_longer, NO_BLOCKS,
        lambda: [waits(name, 8) / waits(name, 1) for name in ("copy", "write")], low=1.0,
        contradicted="in its table, copies take less time with 8 threads",
    ),
    Claim(
        "stream_near", "STREAM's copy is within 25 % of copies of 8 KB",
        "bandwidth of STREAM over that of copies", stream_near, NO_BLOCKS,
        lambda: [float(load("document001_stream").si("best_rate_mb_s")[0]) / (2 * rate("copy", 1, "8KB"))],
        low=0.75, high=1.25, contradicted="counted alike, its STREAM copies at twice the rate",
    ),
    Claim(
        "below_peak", "The largest throughput is below the theoretical bandwidth",
        "share of the theoretical bandwidth", below_peak, NO_PEAK,
        lambda: [max(rate(name, n, block) for name in OPERATIONS for n in THREADS for block in BLOCKS) / PEAK],
        high=1.0,
    ),
)  # fmt: skip


def cells(found: Found) -> list[Cell]:
    """Return the three tables of throughput, the one of latency, and the output of STREAM."""
    return kept([
        *(cell for operation in OPERATIONS for cell in _throughputs(found, operation)), *_latencies(found),
        *_streams(found),
    ])  # fmt: skip


def _line(threads: int) -> str:
    return f"{threads} thread{'s' if threads > 1 else ''}"


def _throughputs(found: Found, operation: str) -> list[Cell]:
    """Return a table of throughput; a copied byte counts once, as in the document."""
    part, once = f"Throughput, {NAMES[operation]}, a copied byte counts once", 0.5 if operation == "copy" else 1.0
    made = []
    for threads in THREADS:
        for block in BLOCKS:
            one = measured(found, "throughput", operation, parse_bytes(block), threads)
            here = replace(one, value=one.value.times(once)) if one else None
            made.append(Cell(part, _line(threads), block, "B/s", rate(operation, threads, block), here))
    return made


def _latencies(found: Found) -> list[Cell]:
    part = "Latency of 8 bytes, over that of one thread"
    return [
        Cell(
            part, _line(n), NAMES[name], "1", waits(name, n) / waits(name, 1),
            _over(measured(found, "latency", name, SMALL, n), measured(found, "latency", name, SMALL, 1), ""),
        )
        for n in THREADS[1:] for name in OPERATIONS
    ]  # fmt: skip


def _streams(found: Found) -> list[Cell]:
    columns = load("document001_stream")
    rates = dict(zip(columns.columns["function"].tolist(), columns.si("best_rate_mb_s").tolist(), strict=True))
    rows = found.rows("stream", threads=1)
    here = {str(row["kernel"]): seen(row, "bandwidth") for row in rows}
    return [Cell("STREAM", "1 thread", name, "B/s", value, here.get(name)) for name, value in rates.items()]


sheets.add(Sheet("001", CLAIMS, cells))
