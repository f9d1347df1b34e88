"""Document 004's claims: persistent memory next to DRAM, in latency and in a hash map, and its model of the hash map.

The model is the document's own: 4 1/3 reads from the memory for each get. The latency that this run measured replaces
the document's 305 ns. Its other model needs events of the last-level cache; `tierscope predict` has both.
"""

from dataclasses import replace

from tierscope.models.device import device
from tierscope.models.structure_model import StructureModel
from tierscope.record.experiment import real
from tierscope.reference import load
from tierscope.stats.compare import difference
from tierscope.stats.median import Interval
from tierscope.suites.documents.cells import Cell, kept
from tierscope.suites.documents.claim import Claim
from tierscope.suites.documents.found import NO_TIER, Found, Seen, all_seen, seen
from tierscope.suites.documents.sheet import Sheet, sheets
from tierscope.tables import Flat
from tierscope.tables.rows import whole_of

STRUCTURE, MODEL = "hashmap_atomic", "document 004"
READ, WRITE, DRAM_READ, DRAM_WRITE = 305e-9, 90e-9, 100e-9, 88e-9  # s, from its text and its program
SETUP = (0.95, 0.90)  # shares of the time in its sections 4 and 5
VALUE_BYTES = 1
MODELLED = 500_000  # from this number of operations on, its model is within 20 % of its own measurement
NO_MODEL = "no hash map with 500 000 keys or more ran, or no latency of the second tier: name pool= and nvm="
NO_POOL = "the hash map did not run in a pool: name one with pool="
NO_GAP = (
    "the hash map did not run in two pools, or was not slower in the one on the tier: name them with pool= and "
    "dram_pool="
)
NO_POOLS = "the hash map did not run in two pools: name them with pool= and dram_pool="


def idle(found: Found, target: str) -> Seen | None:
    """Return the time of one dependent read at the largest footprint."""
    rows = _largest(found, target)
    return seen(rows[0], "latency", targets=("target",)) if rows else None


def _largest(found: Found, target: str) -> list[Flat]:
    """Return the row of the largest footprint."""
    rows = found.rows("latency", target=target, order="global")
    return sorted(rows, key=lambda row: whole_of(row, "footprint_bytes"))[-1:]


def stored(found: Found, target: str) -> Seen | None:
    """Return the time of one line stored past the caches, with a fence."""
    rows = found.rows("flush", target=target, instruction="nt")
    return seen(rows[0], "line", targets=("target",)) if rows else None


def _both(first: Seen | None, other: Seen | None, label: str = "") -> Seen | None:
    return first.over(other, label) if first and other else None


def reads(found: Found) -> list[Seen]:
    """Return the read latency of the second tier over that of DRAM."""
    nvm = found.target("nvm")
    one = _both(idle(found, nvm), idle(found, found.dram)) if nvm else None
    sizes = {row["page_bytes"] for word in (nvm, found.dram) for row in _largest(found, word)}
    if one and len(sizes) > 1:
        one = replace(one, reasons=(*one.reasons, "pages of both tiers differ in size, so that TLBs differ, too"))
    return all_seen([one])


def writes_over_reads(found: Found) -> list[Seen]:
    """Return the same ratio for stores over that for reads."""
    nvm = found.target("nvm")
    ratio = _both(stored(found, nvm), stored(found, found.dram)) if nvm else None
    read = reads(found)
    return [ratio.over(read[0])] if ratio and read else []


def maps(found: Found, pool: str, operation: str) -> list[Flat]:
    """Return the rows of the hash map in the pool that an option names, sorted by rising keys and value sizes."""
    word = found.target(pool)
    rows = found.rows("maps", target=word, structure=STRUCTURE, operation=operation, threads=1) if word else []
    return sorted(rows, key=lambda row: (whole_of(row, "count"), whole_of(row, "value_bytes")))


def took(row: Flat) -> Seen | None:
    """Return the seconds of a sequence."""
    return seen(row, "seconds", f"{row['count']} keys of {row['value_bytes']} bytes")


def pools(found: Found, operation: str) -> list[Seen]:
    """Return the time in the pool on the tier over that on DRAM, for each number of keys and size of values."""
    other = {(row["count"], row["value_bytes"]): row for row in maps(found, "dram_pool", operation)}
    rows = [row for row in maps(found, "pool", operation) if (row["count"], row["value_bytes"]) in other]
    return all_seen(_both(took(row), took(other[row["count"], row["value_bytes"]])) for row in rows)


def gap_grows(found: Found) -> list[Seen]:
    """Return the difference between both pools with the most keys over that with the fewest."""
    other = {row["count"]: row for row in maps(found, "dram_pool", "get")}
    gaps = []
    for row in maps(found, "pool", "get"):
        one, base = took(row), took(other[row["count"]]) if row["count"] in other else None
        if one and base:
            gaps.append(replace(one.over(base), value=difference(base.value, one.value)))
    return [gaps[-1].over(gaps[0])] if len(gaps) > 1 else []


def inserts_closer(found: Found) -> list[Seen]:
    """Return the ratio of both pools for inserts over that for gets, with the smallest values and the fewest keys."""
    inserts, gets = pools(found, "insert"), pools(found, "get")
    return [inserts[0].over(gets[0])] if inserts and gets else []


def values_free(found: Found) -> list[Seen]:
    """Return the latency of an insert with the largest values over that with the smallest."""
    rows = maps(found, "pool", "insert")
    ends = all_seen(seen(row, "latency") for row in (rows[:1] + rows[-1:] if len(rows) > 1 else []))
    return [ends[1].over(ends[0])] if len(ends) == 2 else []


def set_up(found: Found) -> list[Seen]:
    """Return the share of the time that making and filling the map takes, for the gets with the most keys."""
    rows = maps(found, "pool", "get")
    one = took(rows[-1]) if rows else None
    filled = real(rows[-1]["init_s"]) if rows else None
    if not one or not filled:
        return []
    low, middle, high = (filled / (filled + s) for s in (one.value.high, one.value.middle, one.value.low))
    return [replace(one, value=Interval(low, middle, high, 1))]


def modelled(found: Found) -> list[Seen]:
    """Return the prediction of the document's model, with the latency measured here, over the measured time."""
    nvm = found.target("nvm")
    read = idle(found, nvm) if nvm else None
    rows = [row for row in maps(found, "pool", "get") if whole_of(row, "count") >= MODELLED]
    return all_seen(_both(predicted(row, read), took(row), f"{row['count']} keys") for row in rows) if read else []


def predicted(row: Flat, read: Seen) -> Seen:
    """Return the seconds that the model predicts, with the interval of the latency."""
    model, memory = StructureModel.preset(MODEL), device(MODEL)
    low, middle, high = (
        model.predict(whole_of(row, "operations"), replace(memory, read_latency_s=s), VALUE_BYTES).value
        for s in (read.value.low, read.value.middle, read.value.high)
    )
    return replace(read, value=Interval(low, middle, high, 1))


def _published_model() -> list[float]:
    columns = load("document004_map_get").columns
    names = ("operations", "measured_s", "structure_model_s")
    rows = zip(*(columns[name].tolist() for name in names), strict=True)
    return [model / measured for count, measured, model in rows if count >= MODELLED]


CLAIMS = (
    Claim(
        "reads_slower", "A dependent read of the second tier takes at least twice as long as one of DRAM",
        "latency over that of DRAM", reads, NO_TIER, lambda: [READ / DRAM_READ], low=2.0,
    ),
    Claim(
        "writes_closer", "Stores past the caches are closer to DRAM than reads are",
        "ratio of stores over ratio of reads", writes_over_reads, NO_TIER,
        lambda: [WRITE / DRAM_WRITE / (READ / DRAM_READ)], high=1.0,
    ),
    Claim(
        "gets_slower", "Gets take longer in a pool on the second tier than in one on DRAM", "time over that on DRAM",
        lambda found: pools(found, "get"), NO_POOLS, low=1.0,
    ),
    Claim(
        "gap_grows", "The difference between both pools grows with the number of gets",
        "difference with the most gets over that with the fewest", gap_grows, NO_GAP, low=1.0,
    ),
    Claim(
        "inserts_closer", "Inserts differ less between both pools than gets do", "ratio of inserts over ratio of gets",
        inserts_closer, NO_POOLS, high=1.0,
    ),
    Claim(
        "values_free", "Larger values do not make an insert slower", "latency, largest over least values", values_free,
        NO_POOL, low=0.9, high=1.1,
    ),
    Claim(
        "set_up", "Making and filling the map takes 85 % of the time or more", "share of the time", set_up, NO_POOL,
        lambda: list(SETUP), low=0.85,
    ),
    Claim(
        "model", "A model with 4 1/3 reads for each get is within 20 % of the measured time",
        "predicted over measured time", modelled, NO_MODEL, _published_model, low=0.8, high=1.2,
    ),
)  # fmt: skip


def cells(found: Found) -> list[Cell]:
    """Return latencies of both tiers, and table 6.1: measured gets and the model."""
    part, table = "Latency of one access", load("document004_map_get")
    nvm = found.target("nvm")
    made = [
        Cell(part, name, column, "s", value, of(found, target) if target else None)
        for name, of, pair in (("read", idle, (READ, DRAM_READ)), ("store", stored, (WRITE, DRAM_WRITE)))
        for column, target, value in zip(("second tier", "DRAM"), (nvm, found.dram), pair, strict=True)
    ]
    read = idle(found, nvm) if nvm else None
    for row in maps(found, "pool", "get"):
        known, line = table.where(operations=whole_of(row, "count")), f"{row['count']} gets"
        for column, name, here in (
            ("measured", "measured_s", took(row)),
            ("model", "structure_model_s", predicted(row, read) if read else None),
        ):
            value = float(known.columns[name][0]) if len(known) else None
            made.append(Cell("Table 6.1: gets of the hash map, and the model", line, column, "s", value, here))
    return kept(made)


sheets.add(Sheet("004", CLAIMS, cells))
