"""Document 003's claims: latency and bandwidth over the delay of a load, and bandwidth of storage by test and block.

Its MLC measured one line at a time, without a load: latency x bandwidth is 64 bytes in every row. A number that stays
flat there may change under a real load. So the latency of the chaser alone judges the distance between accesses.
"""

from tierscope.reference import load
from tierscope.suites.documents.cells import Cell, kept
from tierscope.suites.documents.claim import Claim
from tierscope.suites.documents.found import Found, Seen, all_seen, seen
from tierscope.suites.documents.sheet import Sheet, sheets
from tierscope.tables import Flat
from tierscope.tables.rows import whole_of
from tierscope.units import KiB

MIXED = {"W9": "mix_3r1w_nt", "W8": "mix_1r1w_nt", "W7": "mix_2r1w_nt"}
MIXES = {**MIXED, "W6": "write_nt"}
LINE, FAR = 64, 256  # bytes between accesses
LEAST, MOST = 0, 20_000  # delays
TESTS = {"write": "write", "mixed": "mix", "read": "read"}  # the document's names, and ours
ORDER = "random"  # of the jobs: the document does not state it
NO_LOAD = "latency under load was not measured: it needs two CPUs"
NO_STRIDE = "the run has no chaser with accesses 64 and 256 bytes apart, in the same order"
NO_JOBS = "no job of storage ran: name a folder with storage="
DEPTH_LIMIT = "that latency is impossible at its queue depth and operations per second"


def published(mode: str, delay: int, column: str, stride: int = LINE) -> float:
    """Return a latency in s or a bandwidth in bytes/s."""
    row = load("document003_loaded_latency").where(mode=mode, delay=delay, stride_bytes=stride)
    return float(row.si(column)[0])


def loaded(found: Found, kernel: str) -> list[Flat]:
    """Return the rows of a mix with the most threads, the least delay first."""
    rows = [row for row in found.rows("loaded_latency", kernel=kernel) if row["load_threads"] and _is_near(row)]
    most = max((whole_of(row, "load_threads") for row in rows), default=0)
    rows = [row for row in rows if row["load_threads"] == most]
    return sorted(rows, key=lambda row: whole_of(row, "delay_cycles"))


def over_delays(found: Found, stem: str, mixes: dict[str, str]) -> list[Seen]:
    """Return a number without delay over the same number with the longest delay, for each mix."""
    made = []
    for mode, kernel in mixes.items():
        rows = loaded(found, kernel)
        ends = all_seen(seen(row, stem, targets=("target",)) for row in (rows[:1] + rows[-1:] if len(rows) > 1 else []))
        if len(ends) == 2:
            made.append(ends[0].over(ends[1], mode))
    return made


def _published_over(column: str, mixes: dict[str, str]) -> list[float]:
    return [published(mode, LEAST, column) / published(mode, MOST, column) for mode in mixes]


def far_over_near(found: Found) -> list[Seen]:
    """Return the latency without load of accesses 256 bytes apart over that of adjacent lines, for each order."""
    alone = [row for row in found.rows("loaded_latency") if not row["load_threads"]]
    near = {(row.get("target"), row.get("order")): row for row in alone if row.get("stride_bytes") == LINE}
    far = [row for row in alone if row.get("stride_bytes") == FAR and (row.get("target"), row.get("order")) in near]
    both = [(row, seen(row, "latency"), seen(near[row.get("target"), row.get("order")], "latency")) for row in far]
    return [one.over(other, str(row.get("order") or "")) for row, one, other in both if one and other]


def _is_near(row: Flat) -> bool:
    """Return whether the accesses are to adjacent lines, as in all runs of versions without the option for the
    distance.
    """
    return row.get("stride_bytes", LINE) == LINE and row.get("load_stride_bytes", LINE) == LINE


def job(found: Found, test: str, kib: int, stem: str = "bandwidth") -> Seen | None:
    """Return a number of a job of storage; of a mix, for reads and writes together."""
    name = TESTS[test]
    rows = found.rows("storage", operation=name, part="both" if name == "mix" else name, block_bytes=kib * KiB)
    rows = [row for row in rows if row["order"] == ORDER]
    return seen(rows[0], stem, f"{kib} KiB") if rows else None


def jobs(found: Found, pairs: list[tuple[str, int, str, int]], stem: str = "bandwidth") -> list[Seen]:
    """Return a number of one job over that of another, for each pair of test and KiB."""
    made = []
    for test, kib, other, size in pairs:
        one, base = job(found, test, kib, stem), job(found, other, size, stem)
        if one and base:
            made.append(one.over(base, f"{test} of {kib} KiB over {other} of {size} KiB"))
    return made


def printed(test: str, kib: int, column: str = "bandwidth_mb_s") -> float:
    """Return a number from its table of storage as printed: 103k is 103 000."""
    row = load("document003_storage").where(test=test, block_kib=kib)
    word = str(row.columns[column][0])
    return float(word.removesuffix("k")) * (1000 if word.endswith("k") else 1)


def _published_jobs(pairs: list[tuple[str, int, str, int]], column: str = "bandwidth_mb_s") -> list[float]:
    return [printed(test, kib, column) / printed(other, size, column) for test, kib, other, size in pairs]


READS = [("read", kib, other, kib) for kib in (32, 128) for other in ("mixed", "write")]
WRITES = [("write", kib, "mixed", kib) for kib in (32, 128)]
LARGE = [(test, 128, test, 4) for test in TESTS]
SMALL = [("read", 4, "read", size) for size in (32, 128)]
MIX = [("mixed", 4, "read", 4)]

CLAIMS = (
    Claim(
        "latency_flat", "Latency does not depend on the delay of a load of reads and non-temporal writes",
        "latency without delay over that with the longest", lambda found: over_delays(found, "latency", MIXED),
        NO_LOAD, lambda: _published_over("latency_ns", MIXED), low=0.95, high=1.05,
    ),
    Claim(
        "bandwidth_flat", "The bandwidth of such a load does not depend on its delay",
        "bandwidth without delay over that with the longest", lambda found: over_delays(found, "bandwidth", MIXED),
        NO_LOAD, lambda: _published_over("bandwidth_mb_s", MIXED), low=0.95, high=1.05,
    ),
    Claim(
        "far_twice", "Accesses 256 bytes apart take about twice as long as adjacent ones",
        "latency without load, 256 bytes apart over 64", far_over_near, NO_STRIDE,
        lambda: [published(m, MOST, "latency_ns", FAR) / published(m, MOST, "latency_ns") for m in MIXED],
        low=1.8, high=2.5,
    ),
    Claim(
        "reads_fastest", "With blocks of 32 and 128 KiB, reads have the highest bandwidth",
        "bandwidth of reads over that of other tests", lambda found: jobs(found, READS), NO_JOBS,
        lambda: _published_jobs(READS), low=1.0,
    ),
    Claim(
        "writes_slowest", "With blocks of 32 and 128 KiB, writes have less bandwidth than a mix",
        "bandwidth of writes over that of a mix", lambda found: jobs(found, WRITES), NO_JOBS,
        lambda: _published_jobs(WRITES), high=1.0,
    ),
    Claim(
        "large_blocks", "Blocks of 128 KiB have more bandwidth than blocks of 4 KiB",
        "bandwidth, 128 KiB over 4 KiB", lambda found: jobs(found, LARGE), NO_JOBS,
        lambda: _published_jobs(LARGE), low=1.0,
    ),
    Claim(
        "small_reads", "Reads of 4 KiB have more operations per second than larger ones",
        "operations per second, 4 KiB over larger", lambda found: jobs(found, SMALL, "iops"), NO_JOBS,
        lambda: _published_jobs(SMALL, "iops"), low=1.0,
    ),
    Claim(
        "mix_waits_less", "At 4 KiB, a mix of reads and writes has a lower latency than reads alone",
        "latency of the mix over that of reads", lambda found: jobs(found, MIX, "latency"), NO_JOBS,
        lambda: _published_jobs(MIX, "latency_us"), high=1.0, doubt=DEPTH_LIMIT,
    ),
)  # fmt: skip


def cells(found: Found) -> list[Cell]:
    """Return latency and bandwidth over delays, latency over the distance of accesses, and the table of storage."""
    return kept([*_loaded(found, "latency", "latency_ns", "s"), *_loaded(found, "bandwidth", "bandwidth_mb_s", "B/s"),
                 *_distances(found), *_jobs(found)])  # fmt: skip


def _distances(found: Found) -> list[Cell]:
    """Return its latencies at the longest delay of each mix, next to a chaser alone in sequence: both ran without a
    load.
    """
    part = "Latency over the distance of accesses, without load"
    made: list[Cell] = []
    for stride in (LINE, FAR):
        rows = found.rows("loaded_latency", load_threads=0, stride_bytes=stride, order="sequential")
        here = seen(rows[0], "latency", targets=("target",)) if rows else None
        made += [
            Cell(part, f"{stride} bytes", mode, "s", published(mode, MOST, "latency_ns", stride), here)
            for mode in MIXES
        ]
    return made


def _loaded(found: Found, stem: str, column: str, unit: str) -> list[Cell]:
    part = f"{stem.capitalize()} over delay, accesses of one line"
    known = set(load("document003_loaded_latency").columns["delay"].tolist())
    by = {(mode, whole_of(row, "delay_cycles")): row for mode, kernel in MIXES.items() for row in loaded(found, kernel)}
    delays = sorted({delay for _, delay in by})
    return [
        Cell(part, f"delay {delay}", mode, unit, published(mode, delay, column) if delay in known else None,
             seen(by[mode, delay], stem, targets=("target",)) if (mode, delay) in by else None)
        for delay in delays for mode in MIXES
    ]  # fmt: skip


def _jobs(found: Found) -> list[Cell]:
    made = []
    for test in TESTS:
        for kib in (4, 32, 128):
            for part, stem, column, unit, factor in (
                ("Bandwidth of storage", "bandwidth", "bandwidth_mb_s", "B/s", 1e6),
                ("Latency of storage", "latency", "latency_us", "s", 1e-6),
            ):
                value = factor * printed(test, kib, column)
                made.append(Cell(part, test, f"{kib} KiB", unit, value, job(found, test, kib, stem)))
    return sorted(made, key=lambda one: one.part)


sheets.add(Sheet("003", CLAIMS, cells))
