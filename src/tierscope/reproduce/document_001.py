"""Document 001, a report on copies and fills of blocks in a virtual machine, with STREAM and a theoretical peak."""

from collections.abc import Sequence

from tierscope.reference import load
from tierscope.reproduce import Claim, Document, Figure, reproduce
from tierscope.reproduce.claim import direction
from tierscope.units import MiB

BLOCKS = ("8KB", "8MB", "80MB")
THREADS = (1, 2, 4, 8)
OPERATIONS = ("sequential_read_write", "sequential_write", "random_write")
SEQUENTIAL = OPERATIONS[:2]
ELEMENTS = 10_000_000  # of each array of STREAM
ARRAYS = {"copy": 2, "scale": 2, "add": 3, "triad": 3}  # that STREAM counts
CLOCK_STEP = 0.005731  # of the latencies, unit unknown
TIME_ROUNDING = 0.5e-6  # s; half of the last digit of STREAM's times

DOUBLED = "DDR4-3200 counts both edges already, four channels are left out, and the processor supports DDR4-2133"


def rate(operation: str, threads: int, block: str) -> float:
    """Return a rate in MB/s."""
    row = load("document001_throughput").where(operation=operation, threads=threads, block=block)
    return float(row.columns["throughput_mb_s"][0])


def latency(operation: str, threads: int) -> float:
    """Return a latency as printed, unit unknown."""
    row = load("document001_latency").where(operation=operation, threads=threads)
    return float(row.columns["latency"][0])


def claims() -> list[Claim]:
    """Return STREAM's output, the peak, then the text's statements on its tables."""
    return [
        _rates(),
        _sizes(),
        _peak(),
        *_peaks_over_threads(),
        _best_of_four(),
        _rising_rates(),
        *_latencies(),
        _near(),
    ]


def _rates() -> Claim:
    columns = load("document001_stream").columns
    figures = []
    for name, printed, shortest in zip(
        *(columns[key].tolist() for key in ("function", "best_rate_mb_s", "min_s")), strict=True
    ):
        found = ARRAYS[name] * 8 * ELEMENTS / shortest / 1e6
        figures.append(Figure(name, printed, found, 0.1, slack=found * TIME_ROUNDING / shortest))
    return Claim("section 4", "STREAM's best rate from bytes and shortest time", "MB/s", tuple(figures))


def _sizes() -> Claim:
    one = 8 * ELEMENTS / MiB
    return Claim(
        "section 4",
        "memory of STREAM's arrays",
        "MiB",
        (Figure("one array", 76.3, one, 0.1), Figure("three arrays", 228.9, 3 * one, 0.1)),
    )


def _peak() -> Claim:
    """Return the claim of the peak in GB/s: transfers a second x 8 bytes x channels."""
    return Claim(
        "section 3",
        "theoretical bandwidth",
        "GB/s",
        (
            Figure("3.2 x 2 x 8, the product itself", 51, 3.2 * 2 * 8),
            Figure("of the processor, by the formula", 51, 2.133 * 8 * 4, fault=DOUBLED),
            Figure("of the processor, as its maker states", 68, 2.133 * 8 * 4),
        ),
    )


def _peaks_over_threads() -> list[Claim]:
    """Return the number of threads with the highest throughput."""
    said = {"sequential_read_write": 4, "sequential_write": 8, "random_write": 2}
    true = {("sequential_read_write", block) for block in BLOCKS} | {("random_write", "8KB"), ("random_write", "8MB")}
    fault = {"sequential_write": "all three peak at 4 threads", "random_write": "blocks of 80 MB peak at 4 threads"}
    return [
        Claim(
            "section 2",
            f"threads of the highest throughput, {operation}",
            "1",
            tuple(
                Figure(
                    block,
                    threads,
                    _fastest(operation, block),
                    fault="" if (operation, block) in true else fault[operation],
                )
                for block in BLOCKS
            ),
        )
        for operation, threads in said.items()
    ]


def _fastest(operation: str, block: str) -> int:
    return max(THREADS, key=lambda threads: rate(operation, threads, block))


def _best_of_four() -> Claim:
    """Return the conclusion, stated for all operations."""
    figures = [
        Figure(
            f"throughput, {operation}, {block}",
            4,
            _fastest(operation, block),
            fault="2 threads are faster" if operation == "random_write" and block != "80MB" else "",
        )
        for operation in OPERATIONS
        for block in BLOCKS
    ]
    figures += [
        Figure(
            f"latency, {operation}",
            4,
            min(THREADS, key=lambda threads: latency(operation, threads)),
            fault="latency is lowest at 8, 2 and 1 threads",
        )
        for operation in OPERATIONS
    ]
    return Claim("section 5", "best number of threads, of all operations", "1", tuple(figures))


def _rising_rates() -> Claim:
    """Return every row of the three tables, from 8 KB to 80 MB."""
    rising = {(OPERATIONS[0], 1), (OPERATIONS[0], 8), (OPERATIONS[1], 2), (OPERATIONS[1], 4), (OPERATIONS[1], 8)}
    figures = [
        Figure(
            f"{operation}, {threads} threads",
            "rises",
            direction([rate(operation, threads, block) for block in BLOCKS]),
            fault="" if (operation, threads) in rising else "80 MB are slower than 8 MB",
        )
        for operation in OPERATIONS
        for threads in THREADS
    ]
    return Claim("section 1", "throughput over the size of a block", "", tuple(figures))


def _latencies() -> list[Claim]:
    over_threads = [
        Figure(
            name, "rises", direction([latency(name, n) for n in THREADS]), fault="it also falls, by steps of the clock"
        )
        for name in SEQUENTIAL
    ]
    return [Claim("section 2", "latency over threads", "", tuple(over_threads))]


def _near() -> Claim:
    """Return the claim on STREAM's copy, which counts reads and writes; memcpy's table counts a byte once."""
    copy = float(load("document001_stream").columns["best_rate_mb_s"][0])
    best = {block: max(rate("sequential_read_write", n, block) for n in THREADS) for block in BLOCKS}
    found = min(BLOCKS, key=lambda block: abs(best[block] - copy))
    fault = "2,779 MB/s at best; nearest are blocks of 8 MB with 5,236"
    return Claim(
        "section 4",
        "block whose throughput is nearest to STREAM's copy",
        "",
        (Figure("copy", "8KB", found, fault=fault),),
    )


def _faster(block: str) -> Sequence[float]:
    return [rate("random_write", n, block) / rate("sequential_write", n, block) for n in THREADS]


def remarks() -> list[str]:
    """Return other findings of the tables."""
    ratios = [ratio for block in BLOCKS for ratio in _faster(block)]
    steps = sorted({latency(name, n) / CLOCK_STEP for name in SEQUENTIAL for n in THREADS})
    return [
        f"sequential latencies are {' '.join(f'{step:.2f}' for step in steps)} times {CLOCK_STEP}: a clock's step",
        f"random writes are {min(ratios):.1f} to {max(ratios):.1f}x as fast: sequential ones may have run first",
        "latency has no unit, and its third column is titled Latency instead of random write",
        "STREAM counts a copied byte twice, the tables count it once",
    ]


reproduce.add(Document("001", "a report on blocks of memory in a virtual machine", claims, remarks))
