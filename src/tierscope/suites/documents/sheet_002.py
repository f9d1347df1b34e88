"""Document 002's claims: flush instructions, and how flushing writers slow a computation.

Its victim is SPEC mcf and ours is another min-cost flow, so slowdowns compare, and seconds do not.
"""

from tierscope.reference import load
from tierscope.suites.documents.cells import Cell, kept
from tierscope.suites.documents.claim import Claim
from tierscope.suites.documents.found import Found, Seen, all_seen, seen
from tierscope.suites.documents.sheet import Sheet, sheets
from tierscope.tables import Flat
from tierscope.tables.rows import whole_of
from tierscope.units import parse_bytes, show_size

WRITES = {"1KB": "1KiB", "2KB": "2KiB", "4KB": "4KiB", "1MB": "1MiB", "2MB": "2MiB"}  # the document's names, and ours
INSTRUCTIONS = ("clflush", "clflushopt", "clwb")
NO_FLUSH = "no flush was measured: name the second tier with nvm="
NO_WRITERS = "no task ran next to such writers: name the second tier with nvm=, and use a machine with two cores"
NO_TASKS = "tasks did not run at the same time: use a machine with two cores"
NO_DRAM = "writers to DRAM and to the second tier did not both run: name it with nvm="
NO_CROWD = "several tasks with writers did not run: use a machine with four cores"


def published_ratio(instruction: str) -> list[float]:
    """Return the seconds of an instruction over those of clwb, for each size."""
    columns = load("document002_flush").columns
    pairs = zip(columns[f"{instruction}_s"].tolist(), columns["clwb_s"].tolist(), strict=True)
    return [seconds / base for seconds, base in pairs]


def mcf(medium: str, tasks: int, writers: int, size: str) -> float:
    """Return the run time of mcf in seconds."""
    rows = load("document002_neighbors").where(medium=medium, tasks=tasks, writers=writers, input=size)
    return float(rows.columns["seconds"][0])


def ratios(found: Found, instruction: str) -> list[Seen]:
    """Return the time of an instruction over that of clwb, at each size."""
    rows = found.rows("flush", instruction=instruction, against="clwb")
    return all_seen(seen(row, "ratio", show_size(whole_of(row, "chunk_bytes")), ("target",)) for row in rows)


def large_copies(found: Found) -> list[Seen]:
    """Return the time of a line with clwb in the largest copies over that in the smallest."""
    rows = sorted(found.rows("flush", instruction="clwb"), key=lambda row: whole_of(row, "chunk_bytes"))
    ends = all_seen(seen(row, "line", targets=("target",)) for row in (*rows[:1], *rows[-1:]))
    return [ends[1].over(ends[0])] if len(rows) > 1 and len(ends) == 2 else []


def tasks_with(found: Found, *, dram: bool, tasks: int | None = None) -> list[Flat]:
    """Return the rows of tasks with the most writers to one of the tiers, by input; tasks: their number."""
    rows = [row for row in found.rows("neighbors", victim="flow") if row["aggressors"]]
    rows = [row for row in rows if (row["aggressor_target"] == found.dram) == dram]
    rows = [row for row in rows if tasks is None or row["victims"] == tasks]
    most = {row["size"]: max(whole_of(one, "aggressors") for one in rows if one["size"] == row["size"]) for row in rows}
    return [row for row in rows if whole_of(row, "aggressors") == most[row["size"]]]


def slowdowns(rows: list[Flat]) -> list[Seen]:
    """Return the slowdown of each row, labelled by its input."""
    return all_seen(seen(row, "slowdown", f"input {row['size']}", ("aggressor_target",)) for row in rows)


def writers_slow(found: Found) -> list[Seen]:
    """Return the slowdown of one task by all writers to the second tier."""
    return slowdowns(tasks_with(found, dram=False, tasks=1))


def tasks_slow(found: Found) -> list[Seen]:
    """Return how much the most tasks slow each other without writers."""
    rows = [row for row in found.rows("neighbors", victim="flow", aggressors=0) if whole_of(row, "victims") > 1]
    rows = [row for row in rows if row["against"] == "1 alone"]
    most = max((whole_of(row, "victims") for row in rows), default=0)
    return slowdowns([row for row in rows if row["victims"] == most])


def more_tasks(found: Found) -> list[Seen]:
    """Return the slowdown of the most tasks by writers over that of one task."""
    rows = tasks_with(found, dram=False)
    most = max((whole_of(row, "victims") for row in rows), default=0)
    if most < 2:
        return []
    return _paired(tasks_with(found, dram=False, tasks=most), tasks_with(found, dram=False, tasks=1))


def dram_as_well(found: Found) -> list[Seen]:
    """Return the slowdown caused by writers to DRAM over that caused by writers to the second tier."""
    return _paired(tasks_with(found, dram=True, tasks=1), tasks_with(found, dram=False, tasks=1))


def _paired(rows: list[Flat], others: list[Flat]) -> list[Seen]:
    """Return the slowdowns of rows over those of others with the same input."""
    base = {one.label: one for one in slowdowns(others)}
    return [one.over(base[one.label]) for one in slowdowns(rows) if one.label in base]


def _published_dram() -> list[float]:
    return [mcf("dram", 1, 8, size) / mcf("pmem", 1, 8, size) for size in ("test", "train")]


def _published_more() -> list[float]:
    each = ((mcf("pmem", n, 8, "ref") / mcf("pmem", n, 0, "ref")) for n in (8, 1))
    most, one = each
    return [most / one]


CLAIMS = (
    Claim(
        "clflush_slower", "clflush takes 3x as long as clwb, or longer, at every size",
        "time over that of clwb", lambda found: ratios(found, "clflush"), NO_FLUSH,
        lambda: published_ratio("clflush"), low=3.0,
    ),
    Claim(
        "clflushopt_same", "clflushopt and clwb take the same time at every size",
        "time over that of clwb", lambda found: ratios(found, "clflushopt"), NO_FLUSH,
        lambda: published_ratio("clflushopt"), low=0.95, high=1.05,
    ),
    Claim(
        "large_copies_faster", "With clwb, copies of 2 MB take less time for each line than copies of 1 KB",
        "time of a line, 2 MB over 1 KB", large_copies, NO_FLUSH,
        lambda: [load("document002_flush").columns["clwb_s"][4] / load("document002_flush").columns["clwb_s"][0]],
        high=1.0,
    ),
    Claim(
        "writers_slow", "Flushing writers slow one task", "time over that without writers", writers_slow, NO_WRITERS,
        lambda: [mcf("pmem", 1, 8, size) / mcf("pmem", 1, 0, size) for size in ("test", "train", "ref")], low=1.0,
    ),
    Claim(
        "tasks_slow", "Tasks without writers slow each other", "time over that of one task", tasks_slow, NO_TASKS,
        lambda: [mcf("pmem", 8, 0, size) / mcf("pmem", 1, 0, size) for size in ("test", "train", "ref")], low=1.0,
    ),
    Claim(
        "more_tasks", "The cost of writers hardly grows with the number of tasks",
        "slowdown of the most tasks over that of one", more_tasks, NO_CROWD, _published_more, low=0.97, high=1.03,
    ),
    Claim(
        "dram_as_well", "Writers to DRAM slow a task as much as writers to the second tier",
        "slowdown by writers to DRAM over that to the tier", dram_as_well, NO_DRAM, _published_dram,
        low=0.97, high=1.03,
    ),
)  # fmt: skip


def cells(found: Found) -> list[Cell]:
    """Return seconds for 20 GB by instruction, and slowdowns of a task by input."""
    return kept([*_seconds(found), *_slowed(found)])


def _seconds(found: Found) -> list[Cell]:
    part = "Seconds for 20 GB, written and flushed"
    table = load("document002_flush")
    made = []
    for write, ours in WRITES.items():
        for name in INSTRUCTIONS:
            rows = found.rows("flush", instruction=name, chunk_bytes=parse_bytes(ours))
            here = seen(rows[0], "seconds", targets=("target",)) if rows else None
            made.append(Cell(part, write, name, "s", float(table.where(write=write).columns[f"{name}_s"][0]), here))
    return made


def _slowed(found: Found) -> list[Cell]:
    made = []
    for dram, medium in ((False, "pmem"), (True, "dram")):
        rows = sorted(tasks_with(found, dram=dram), key=lambda row: (whole_of(row, "victims"), str(row["size"])))
        part = f"Slowdown of a task by writers to {'DRAM' if dram else 'the second tier'}"
        for row in rows:
            tasks, size = whole_of(row, "victims"), str(row["size"])
            there = _writers_there(medium, tasks, size, whole_of(row, "aggressors"))
            published = mcf(medium, tasks, there, size) / mcf(medium, tasks, 0, size) if there else None
            here = seen(row, "slowdown", targets=("aggressor_target",))
            made.append(Cell(part, _line(row, there), f"input {size}", "1", published, here))
    return made


def _line(row: Flat, there: int) -> str:
    """Return the name of a line: '1 task, 1 writer (8 there)'."""
    tasks, writers = whole_of(row, "victims"), whole_of(row, "aggressors")
    other = f" ({there} there)" if there and there != writers else ""
    return f"{tasks} task{'s' if tasks > 1 else ''}, {writers} writer{'s' if writers > 1 else ''}{other}"


def _writers_there(medium: str, tasks: int, size: str, writers: int) -> int:
    """Return the number of writers as here if the document has it, else its largest; 0 if it has no such run."""
    known = load("document002_neighbors").where(medium=medium, tasks=tasks, input=size).columns["writers"].tolist()
    if 0 not in known:
        return 0
    return writers if writers in known else int(max(known))


sheets.add(Sheet("002", CLAIMS, cells))
