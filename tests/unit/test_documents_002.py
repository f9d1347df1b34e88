"""The claims of document 002 on rows that are made up: each one is true, is not true, or is not known."""

import pytest

from made_documents import NVM, MadeFound, doubtful, row, verdict
from tierscope.suites.documents.sheet import sheets
from tierscope.tables import Flat
from tierscope.units import KiB, MiB

Rows = dict[str, list[Flat]]


def flushes(ratio: float, instruction: str, half: float = 0.01, small: float = 30e-9, large: float = 20e-9) -> Rows:
    """An instruction at two sizes, and clwb with these times per line."""
    made = []
    for size, line in ((KiB, small), (2 * MiB, large)):
        keys = {"chunk_bytes": size, "target": NVM, "against": "clwb"}
        made.append(row("ratio", ratio, half, instruction=instruction, **keys))
        made.append(row("line_s", line, half, instruction="clwb", **keys))
    return {"flush": made}


def task(slowdown: float, half: float, victims: int, writers: int, target: str | None = NVM) -> Flat:
    return row(
        "slowdown", slowdown, half, victim="flow", size="test", victims=victims, aggressors=writers,
        aggressor_target=target if writers else None, against="1 alone",
    )  # fmt: skip


def tasks(one: float = 1.1, many: float = 1.1, dram: float = 1.1, crowd: float = 1.2, half: float = 0.005) -> Rows:
    """One and two tasks with a writer to either tier, and two without."""
    return {
        "neighbors": [
            task(one, half, 1, 1), task(many, half, 2, 1), task(dram, half, 1, 1, "node:0"), task(crowd, half, 2, 0)
        ]
    }  # fmt: skip


CASES: list[tuple[str, Rows, Rows, Rows]] = [
    ("clflush_slower", flushes(8, "clflush"), flushes(1.1, "clflush"), flushes(3.01, "clflush", 0.05)),
    ("clflushopt_same", flushes(1.01, "clflushopt"), flushes(1.3, "clflushopt"), flushes(1.0, "clflushopt", 0.2)),
    ("large_copies_faster", flushes(1, "x"), flushes(1, "x", large=60e-9), flushes(1, "x", large=30e-9)),
    ("writers_slow", tasks(one=1.08), tasks(one=0.9), tasks(one=1.001)),
    ("tasks_slow", tasks(crowd=1.5), tasks(crowd=0.8), tasks(crowd=1.002)),
    ("more_tasks", tasks(many=1.101), tasks(many=1.4), tasks(many=1.1, half=0.05)),
    ("dram_as_well", tasks(dram=1.101), tasks(dram=1.5), tasks(dram=1.1, half=0.05)),
]
"""Claim, and rows with which it is true, is not true, and is not known."""


def test_every_claim_has_its_cases() -> None:
    assert [name for name, *_ in CASES] == [claim.name for claim in sheets["002"].claims]


@pytest.mark.parametrize(("claim", "holds", "fails", "open_"), CASES)
def test_a_claim_is_decided_by_whole_intervals(claim: str, holds: Rows, fails: Rows, open_: Rows) -> None:
    assert verdict("002", claim, MadeFound(holds)).verdict == "yes"
    assert verdict("002", claim, MadeFound(fails)).verdict == "no"
    unknown = verdict("002", claim, MadeFound(open_))
    assert unknown.verdict == "not known"
    assert "both sides" in unknown.why


@pytest.mark.parametrize("claim", [name for name, *_ in CASES])
def test_inconclusive_rows_and_absent_ones_decide_nothing(claim: str) -> None:
    ((holds, fails),) = [(one[1], one[2]) for one in CASES if one[0] == claim]
    for rows in (holds, fails):
        found = MadeFound({table: [doubtful(one) for one in held] for table, held in rows.items()})
        assert verdict("002", claim, found).verdict == "not known"
        assert "only 3 rounds of 8" in verdict("002", claim, found).why
    assert verdict("002", claim, MadeFound({})).verdict == "not known"
    assert verdict("002", claim, MadeFound({})).points == ()


def test_published_numbers_are_those_of_the_tables() -> None:
    published = {claim.name: list(claim.published()) for claim in sheets["002"].claims}
    assert published["clflush_slower"][2] == pytest.approx(35.98493 / 9.945553)
    assert published["writers_slow"] == pytest.approx(
        [13.899757 / 13.643775, 80.058192 / 77.325902, 564.545805 / 532.873423]
    )
    assert published["dram_as_well"][1] == pytest.approx(79.248937 / 80.058192)


def test_a_file_in_the_page_cache_is_named_as_a_replacement() -> None:
    rows = flushes(8, "clflush")
    held = [one | {"target": "file:/dev/shm/x"} for one in rows["flush"]]
    assert "page cache" in verdict("002", "clflush_slower", MadeFound({"flush": held})).stand_in
    assert verdict("002", "clflush_slower", MadeFound(rows)).stand_in == ""


def test_the_tables_have_the_documents_shape() -> None:
    times_of = row("seconds_total", 12.0, instruction="clwb", chunk_bytes=4 * KiB, target=NVM)
    found = MadeFound({"flush": [times_of], **tasks()})
    cells = sheets["002"].cells(found)
    times = {(one.line, one.column): (one.published, one.here) for one in cells if one.unit == "s"}
    assert set(times) == {("4KB", name) for name in ("clflush", "clflushopt", "clwb")}
    published, here = times["4KB", "clwb"]
    assert published == 9.945553
    assert here is not None
    assert here.value.middle == 12.0
    slowed = {one.line: one.published for one in cells if one.unit == "1"}
    assert slowed["1 task, 1 writer (8 there)"] == pytest.approx(13.899757 / 13.643775)
    assert slowed["1 task, 1 writer"] == pytest.approx(13.690814 / 13.643775)  # to DRAM, where it has one writer
