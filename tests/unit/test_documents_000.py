"""The claims of document 000 on rows that are made up: each one is true, is not true, or is not known."""

import pytest

from made_documents import NVM, MadeFound, doubtful, row, verdict
from made_machine import made_machine, made_server
from tierscope.suites.documents.sheet import sheets
from tierscope.tables import Flat

Rows = dict[str, list[Flat]]
CORES = 2  # of the made machine


def shares(one: float = 0.4, most: float = 0.7, half: float = 0.01) -> Rows:
    """The second tier over DRAM with one thread and with four."""
    keys = {"a_target": "node:0", "b_target": NVM}
    return {"targets": [row("ratio", value, half, threads=n, **keys) for n, value in ((4, most), (1, one))]}


def split(mode: str, a: int, b: int, total: float, half: float) -> Flat:
    keys = {"mode": mode, "a_threads": a, "b_threads": b, "a_target": "node:0", "b_source": NVM, "b_target": NVM}
    sides = row("a_bandwidth_bytes_per_s", 1e9, **keys) | row("b_bandwidth_bytes_per_s", 2e9, **keys)
    return sides | row("sum_bytes_per_s", total, half, **keys)


def splits(within: float = 8e9, crossing: float = 10e9, first: float = 10e9, half: float = 0.005) -> Rows:
    """Four threads: all on DRAM with 10 GB/s, one on the tier, three on the tier."""
    made = []
    for mode, last in (("b-b", within), ("b-a", crossing), ("a-b", crossing)):
        made += [split(mode, 4, 0, 10e9, half), split(mode, 3, 1, first, half), split(mode, 1, 3, last, half)]
    return {"contention": made}


def threads(writing: float, reading: float, count: int = 8) -> Rows:
    """Variation of threads of the tier in one split; those of odd numbers vary a little more."""
    keys: Flat = {"group": "B", "a_threads": 1, "b_threads": count, "target": NVM, "conclusive": True}
    return {
        "threads": [
            keys | {"mode": mode, "thread": n, "variation": variation * (1 + 0.01 * (n % 3))}
            for mode, variation in (("a-b", writing), ("b-a", reading)) for n in range(count)
        ]
    }  # fmt: skip


def mixed(low: float, high: float) -> Rows:
    """Threads; half of them vary more when they write."""
    made = threads(low, 0.1)["threads"]
    return {"threads": [one | {"variation": high} if one["mode"] == "a-b" and n % 2 else one
                        for n, one in enumerate(made)]}  # fmt: skip


def hyper(rate: float, half: float = 0.005) -> Rows:
    """Copy on DRAM with as many threads as cores, at 10 GB/s, and with one more."""
    return {
        "stream": [
            row("bandwidth_bytes_per_s", value, half, kernel="copy", target="node:0", threads=n)
            for n, value in ((CORES, 10e9), (CORES + 1, rate))
        ]
    }


CASES: list[tuple[str, Rows, Rows, Rows]] = [
    ("slower_tier", shares(0.4), shares(1.3), shares(1.0)),
    ("gap_narrows", shares(0.4, 0.7), shares(0.7, 0.4), shares(0.5, 0.5)),
    ("hyper_threads", hyper(8e9), hyper(12e9), hyper(10e9)),
    ("no_gain", splits(), splits(first=12e9), splits(first=10.5e9)),
    ("sum_falls", splits(within=8e9), splits(within=12e9), splits(within=10e9)),
    ("sum_stays", splits(crossing=10e9), splits(crossing=7e9), splits(crossing=9e9)),
    ("writes_vary", threads(0.3, 0.1), threads(0.05, 0.1), mixed(0.05, 0.3)),
]
"""Claim, and rows with which it is true, is not true, and is not known."""


def found_of(rows: Rows) -> MadeFound:
    return MadeFound(rows, machine=made_machine(CORES))


def test_every_claim_has_its_cases() -> None:
    assert [name for name, *_ in CASES] == [claim.name for claim in sheets["000"].claims]


@pytest.mark.parametrize(("claim", "holds", "fails", "open_"), CASES)
def test_a_claim_is_decided_by_whole_intervals(claim: str, holds: Rows, fails: Rows, open_: Rows) -> None:
    assert verdict("000", claim, found_of(holds)).verdict == "yes"
    assert verdict("000", claim, found_of(fails)).verdict == "no"
    assert verdict("000", claim, found_of(open_)).verdict == "not known"


@pytest.mark.parametrize("claim", [name for name, *_ in CASES])
def test_inconclusive_rows_and_absent_ones_decide_nothing(claim: str) -> None:
    ((holds, fails),) = [(one[1], one[2]) for one in CASES if one[0] == claim]
    for rows in (holds, fails):
        found = found_of({table: [doubtful(one) for one in held] for table, held in rows.items()})
        assert verdict("000", claim, found).verdict == "not known"
    assert verdict("000", claim, found_of({})).verdict == "not known"


def test_two_threads_decide_nothing_about_splits_or_about_how_threads_vary() -> None:
    two = {"contention": [split("b-b", 2, 0, 10e9, 0.01), split("b-b", 1, 1, 9e9, 0.01)]}
    assert "three cores" in verdict("000", "sum_falls", found_of(two)).why
    assert "more cores" in verdict("000", "writes_vary", found_of(threads(0.3, 0.1, count=5))).why


def test_a_split_compares_with_the_published_one_of_the_same_shares() -> None:
    cells = sheets["000"].cells(MadeFound(splits(), machine=made_server()))
    sums = {one.line: one.published for one in cells if one.column == "sum" and one.part.startswith("Table 3")}
    assert set(sums) == {"1 of 4 threads (4 of 16 there)", "3 of 4 threads (12 of 16 there)"}
    assert sums["1 of 4 threads (4 of 16 there)"] == pytest.approx(63888.22e6)


def test_streams_compare_at_the_same_number_of_threads() -> None:
    stream = hyper(8e9)["stream"]
    cells = sheets["000"].cells(MadeFound({"stream": stream}))
    assert [(one.line, one.published) for one in cells] == [("2 threads", 22995.1e6), ("3 threads", 33554.9e6)]
    far = [one | {"threads": 40} for one in stream]
    assert {one.published for one in sheets["000"].cells(MadeFound({"stream": far}))} == {None}
