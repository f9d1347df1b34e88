"""Document 000's claims: a second tier next to DRAM, alone and at the same time.

Its copies looked up the object again for each element of an NVDIMM, so software causes part of the gap of one thread.
"""

from collections.abc import Sequence

import numpy as np

from tierscope.draw.words import threads_name
from tierscope.record.experiment import real
from tierscope.reference import load
from tierscope.stats.median import median
from tierscope.suites.documents.cells import Cell, kept
from tierscope.suites.documents.claim import Claim
from tierscope.suites.documents.found import NO_TIER, Found, Seen, all_seen, seen
from tierscope.suites.documents.sheet import Sheet, sheets
from tierscope.suites.documents.stand_in import why_stand_in
from tierscope.tables import Flat
from tierscope.tables.rows import whole_of

KERNELS = ("copy", "scale", "add", "triad")
CORES = 16  # of the document's machine
MODES = {"b-b": "nvm_nvm", "b-a": "nvm_dram", "a-b": "dram_nvm"}  # ours, and those of its tables 3 to 5
PAIRS = 6  # fewest threads for a statement on their variation: fewer have no interval of 95 %
NO_SPLITS = "fewer than two splits with both tiers: use a machine with three cores, and name the second tier with nvm="
NO_HYPER = "no number of threads above that of cores: use a machine whose cores have several hardware threads"
NO_THREADS = f"fewer than {PAIRS} threads of the second tier were measured in two modes: use a machine with more cores"


def shares(found: Found) -> list[tuple[int, Seen]]:
    """Return the second tier's copy bandwidth over DRAM's, by threads."""
    rows = sorted(found.rows("targets"), key=lambda row: whole_of(row, "threads"))
    pairs = ((whole_of(row, "threads"), seen(row, "ratio", targets=("a_target", "b_target"))) for row in rows)
    return [(threads, one) for threads, one in pairs if one]


def one_thread(found: Found) -> list[Seen]:
    """Return the share of one thread."""
    return [one for threads, one in shares(found) if threads == 1]


def narrows(found: Found) -> list[Seen]:
    """Return the share with the most threads over that of one thread."""
    known = shares(found)
    return [known[-1][1].over(known[0][1])] if len(known) > 1 else []


def hyper_threads(found: Found) -> list[Seen]:
    """Return copy bandwidth on DRAM with one thread more than cores, over that with all cores."""
    cpus = [cpu for cpu in found.machine.identity.cpus if cpu.allowed]
    cores = len({(cpu.package, cpu.core) for cpu in cpus})
    rows = {whole_of(row, "threads"): row for row in found.rows("stream", kernel="copy", target=found.dram)}
    ends = all_seen(seen(rows[n], "bandwidth") for n in (cores, cores + 1) if n in rows)
    return [ends[1].over(ends[0])] if len(ends) == 2 else []


def splits(found: Found, mode: str) -> list[Flat]:
    """Return the splits of a mode in which both tiers work, sorted by rising threads of the second tier."""
    rows = [row for row in found.rows("contention", mode=mode) if row["a_threads"] and row["b_threads"]]
    return sorted(rows, key=lambda row: whole_of(row, "b_threads"))


def total(row: Flat) -> Seen | None:
    """Return the sum of both tiers."""
    return seen(
        row, "sum", f"{row['mode']} {row['a_threads']}:{row['b_threads']}", ("a_target", "b_source", "b_target")
    )


def no_gain(found: Found) -> list[Seen]:
    """Return the sum of each split over what all threads reach within DRAM alone."""
    alone = [row for row in found.rows("contention") if not row["b_threads"]]
    base = {row["mode"]: total(row) for row in alone}
    sums = all_seen(total(row) for mode in MODES for row in splits(found, mode))
    known = ((one, base.get(one.label.partition(" ")[0])) for one in sums)
    return [one.over(other) for one, other in known if other]


def ends_of(found: Found, mode: str) -> list[Seen]:
    """Return the sum with the most threads of the second tier over that with one."""
    rows = splits(found, mode)
    ends = all_seen(total(row) for row in (rows[:1] + rows[-1:] if len(rows) > 1 else []))
    return [ends[1].over(ends[0], mode)] if len(ends) == 2 else []


def writes_vary(found: Found) -> list[Seen]:
    """Return the variation of threads that write to the second tier over that of the same threads that only read.

    Split and number identify a thread; the interval is that of the median over the threads.
    """
    by = {
        (row["mode"], row["b_threads"], row["thread"]): (row, variation)
        for row in found.rows("threads", group="B")
        if row["a_threads"] and (variation := real(row["variation"]))
    }
    pairs = [(one, by.get(("b-a", *key[1:]))) for key, one in by.items() if key[0] == "a-b"]
    both = [(writing, reading) for writing, reading in pairs if reading]
    if len(both) < PAIRS:
        return []
    ratios = [writing / reading for (_, writing), (_, reading) in both]
    doubtful = [row for pair in both for row, _ in pair if not row["conclusive"]]
    reasons = (f"{len(doubtful)} of {2 * len(both)} threads are inconclusive",) if doubtful else ()
    stand_in = why_stand_in(str(both[0][0][0]["target"]))
    return [Seen("", median(np.array(ratios)), reasons, stand_in=stand_in)]


def stream(memory: str, kernel: str, threads: int) -> float | None:
    """Return bytes/s from its table 1 or 2; None for a number of threads that the table does not have."""
    table = load(f"document000_stream_{memory}").where(threads=threads)
    return float(table.si(f"{kernel}_mb_s")[0]) if len(table) else None


def published_shares() -> list[float]:
    """Return NVDIMM / DRAM by threads, 1 to 16."""
    columns = load("document000_ratio").columns
    return [nvdimm / dram for nvdimm, dram in zip(columns["nvdimm_mb_s"], columns["dram_mb_s"], strict=True)]


def sums(mode: str) -> Sequence[float]:
    """Return the sums of a mode, 1 to 15 threads of the second tier."""
    found: list[float] = load(f"document000_contention_{MODES[mode]}").si("sum_mb_s").tolist()
    return found


def _published_gain() -> list[float]:
    alone = max(load("document000_stream_dram").si("copy_mb_s").tolist())
    return [max(sums(mode)) / alone for mode in MODES]


def _published_ends(*modes: str) -> list[float]:
    return [sums(mode)[-1] / sums(mode)[0] for mode in modes]


def _published_hyper() -> list[float]:
    copy = load("document000_stream_dram").columns["copy_mb_s"]
    return [float(copy[CORES] / copy[CORES - 1])]


CLAIMS = (
    Claim(
        "slower_tier", "One thread copies more slowly within the second tier than within DRAM",
        "share of DRAM's bandwidth", one_thread, NO_TIER, lambda: published_shares()[:1], high=1.0,
    ),
    Claim(
        "gap_narrows", "With more threads, the second tier comes closer to DRAM",
        "share with the most threads over that with one", narrows, NO_TIER,
        lambda: [published_shares()[-1] / published_shares()[0]], low=1.0,
    ),
    Claim(
        "hyper_threads", "One thread more than there are cores lowers the bandwidth of DRAM",
        "copy bandwidth over that with all cores", hyper_threads, NO_HYPER, _published_hyper, high=1.0,
    ),
    Claim(
        "no_gain", "No split of the threads over both tiers is 5 % faster than all threads on DRAM",
        "sum over DRAM alone", no_gain, NO_TIER, _published_gain, high=1.05,
    ),
    Claim(
        "sum_falls", "More threads that copy within the second tier lower the sum of both",
        "sum with the most such threads over that with one", lambda found: ends_of(found, "b-b"), NO_SPLITS,
        lambda: _published_ends("b-b"), high=1.0,
    ),
    Claim(
        "sum_stays", "The sum stays within 10 % if these threads read or write DRAM",
        "sum with the most such threads over that with one",
        lambda found: [*ends_of(found, "b-a"), *ends_of(found, "a-b")], NO_SPLITS,
        lambda: _published_ends("b-a", "a-b"), low=0.9, high=1.1,
    ),
    Claim(
        "writes_vary", "Threads that write to the second tier vary more than those that read from it",
        "variation of a thread, writing over reading", writes_vary, NO_THREADS, low=1.0,
    ),
)  # fmt: skip


def cells(found: Found) -> list[Cell]:
    """Return tables 1 to 6, as far as this run has their lines."""
    nvm = found.target("nvm")
    streams = _stream(found, "Table 1: STREAM on DRAM", "dram", found.dram)
    if nvm:
        streams += _stream(found, "Table 2: STREAM on the second tier", "nvdimm", nvm)
    return kept([*streams, *(cell for number, mode in enumerate(MODES, 3) for cell in _splits(found, number, mode)),
                 *_shares(found)])  # fmt: skip


def _stream(found: Found, part: str, memory: str, target: str) -> list[Cell]:
    rows = sorted(found.rows("stream", target=target), key=lambda row: whole_of(row, "threads"))
    return [
        Cell(part, threads_name(whole_of(row, "threads")), str(row["kernel"]), "B/s",
             stream(memory, str(row["kernel"]), whole_of(row, "threads")), seen(row, "bandwidth", targets=("target",)))
        for row in rows if row["kernel"] in KERNELS
    ]  # fmt: skip


def _splits(found: Found, number: int, mode: str) -> list[Cell]:
    """Return a table of contention; each split is compared with the split of 16 threads that has the same shares."""
    part, made = f"Table {number}: DRAM next to {mode.replace('b', 'tier').replace('a', 'DRAM')}", []
    columns = {"DRAM": ("a_bandwidth", "dram_mb_s"), "tier": ("b_bandwidth", "nvdimm_mb_s"), "sum": ("sum", "sum_mb_s")}
    for row in splits(found, mode):
        b, all_threads = whole_of(row, "b_threads"), whole_of(row, "a_threads") + whole_of(row, "b_threads")
        there = CORES * b // all_threads if CORES * b % all_threads == 0 else 0
        table = load(f"document000_contention_{MODES[mode]}").where(nvdimm_threads=there)
        line = f"{b} of {all_threads} threads" + (f" ({there} of {CORES} there)" if there and there != b else "")
        for column, (ours, theirs) in columns.items():
            here = seen(row, ours, targets=("a_target", "b_source", "b_target"))
            made.append(Cell(part, line, column, "B/s", float(table.si(theirs)[0]) if len(table) else None, here))
    return made


def _shares(found: Found) -> list[Cell]:
    part, known = "Table 6: copy on the second tier over copy on DRAM", published_shares()
    return [
        Cell(part, threads_name(threads), "share", "1", known[threads - 1] if threads <= len(known) else None, one)
        for threads, one in shares(found)
    ]


sheets.add(Sheet("000", CLAIMS, cells))
