"""The claims of document 001 on rows that are made up: each one is true, is not true, or is not known."""

from collections.abc import Callable

import msgspec
import pytest

from made_documents import MadeFound, doubtful, row, verdict
from made_machine import made_machine
from tierscope.suites.documents.sheet import sheets
from tierscope.tables import Flat

Rows = dict[str, list[Flat]]
Rate = Callable[[str, int, int], float]
SIZES = (8, 8_000, 8_000_000, 80_000_000)


def blocks(rate: Rate, wait: Rate = lambda _name, _size, _threads: 1e-9, half: float = 0.01) -> Rows:
    """Every point of the document, with these laws of operation, size and threads; STREAM copies 10 GB/s."""
    made = []
    for name in ("copy", "write", "random_write"):
        for size in SIZES:
            for threads in (1, 2, 4, 8):
                keys = {"operation": name, "block_bytes": size, "threads": threads}
                one = row("throughput_bytes_per_s", rate(name, size, threads), half, **keys)
                made.append(one | row("latency_s", wait(name, size, threads), half, **keys))
    stream = row("bandwidth_bytes_per_s", 10e9, half, kernel="copy", threads=1)
    return {"blocks": made, "stream": [stream]}


def best(count: int, by: float = 1.2) -> Rate:
    """This number of threads is faster than all others by this factor."""
    return lambda _name, _size, threads: 10e9 * (by if threads == count else 1.0)


def sized(factor: float) -> Rate:
    """Large blocks move more by this factor."""
    return lambda _name, size, _threads: 10e9 * (factor if size == SIZES[-1] else 1.0)


def waiting(random: float = 1.0, many: float = 1.0, half: float = 0.01) -> Rows:
    """Random writes, and eight threads, take longer by these factors."""

    def wait(name: str, _size: int, threads: int) -> float:
        return 1e-9 * (random if name == "random_write" else 1.0) * (many if threads == 8 else 1.0)

    return blocks(sized(1), wait, half)


def flat(rate: float, half: float = 0.01) -> Rows:
    return blocks(lambda *_: rate, half=half)


CASES: list[tuple[str, Rows, Rows, Rows]] = [
    ("copy_four", blocks(best(4)), blocks(best(2)), blocks(best(4, 1.001))),
    ("write_eight", blocks(best(8)), blocks(best(4)), blocks(best(8, 1.001))),
    ("random_two", blocks(best(2)), blocks(best(1)), blocks(best(2, 1.001))),
    ("grows_with_block", blocks(sized(1.5)), blocks(sized(0.7)), blocks(sized(1.0))),
    ("random_waits", waiting(random=2), waiting(random=0.5), waiting()),
    ("waits_longer", waiting(many=2), waiting(many=0.5), waiting()),
    ("stream_near", flat(10e9), flat(5e9), flat(8e9, 0.1)),
    ("below_peak", flat(30e9), flat(60e9), flat(51.2e9)),
]
"""Claim, and rows with which it is true, is not true, and is not known."""


def found_of(rows: Rows, peak: float | None = 51.2e9) -> MadeFound:
    return MadeFound(rows, machine=msgspec.structs.replace(made_machine(8), peak_bytes_per_s=peak))


def test_every_claim_has_its_cases() -> None:
    assert [name for name, *_ in CASES] == [claim.name for claim in sheets["001"].claims]


@pytest.mark.parametrize(("claim", "holds", "fails", "open_"), CASES)
def test_a_claim_is_decided_by_whole_intervals(claim: str, holds: Rows, fails: Rows, open_: Rows) -> None:
    assert verdict("001", claim, found_of(holds)).verdict == "yes"
    assert verdict("001", claim, found_of(fails)).verdict == "no"
    assert verdict("001", claim, found_of(open_)).verdict == "not known"


@pytest.mark.parametrize("claim", [name for name, *_ in CASES])
def test_inconclusive_rows_and_absent_ones_decide_nothing(claim: str) -> None:
    ((holds, fails),) = [(one[1], one[2]) for one in CASES if one[0] == claim]
    for rows in (holds, fails):
        found = found_of({table: [doubtful(one) for one in held] for table, held in rows.items()})
        assert verdict("001", claim, found).verdict == "not known"
    assert verdict("001", claim, found_of({})).verdict == "not known"


def test_without_a_peak_its_share_is_not_known() -> None:
    assert "peak=" in verdict("001", "below_peak", found_of(flat(30e9), peak=None)).why


def test_the_tables_count_a_copied_byte_once_and_compare_latencies_without_a_unit() -> None:
    cells = sheets["001"].cells(found_of(waiting(many=2)))
    (copied,) = [
        one
        for one in cells
        if one.part.startswith("Throughput, copy") and one.line == "1 thread" and one.column == "8KB"
    ]
    assert copied.here is not None
    assert (copied.here.value.middle, copied.published) == (5e9, 1536.91059e6)
    (waited,) = [one for one in cells if one.line == "8 threads" and one.column == "random write" and one.unit == "1"]
    assert waited.here is not None
    assert waited.here.value.middle == pytest.approx(2.0)
    assert waited.published == pytest.approx(0.256942 / 0.123345)
    assert {one.column for one in cells if one.part == "STREAM"} == {"copy", "scale", "add", "triad"}
