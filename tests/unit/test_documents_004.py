"""The claims of document 004 on rows that are made up: each one is true, is not true, or is not known."""

import pytest

from made_documents import NVM, MadeFound, doubtful, row, verdict
from tierscope.suites.documents.found import Found
from tierscope.suites.documents.sheet import sheets
from tierscope.tables import Flat
from tierscope.units import MiB

Rows = dict[str, list[Flat]]
POOLS = {"pool": "pool:/mnt/pmem/p", "dram_pool": "pool:/dev/shm/p"}


class PoolFound(MadeFound):
    """The same with two pools named."""

    def target(self, key: str) -> str:
        return POOLS.get(key) or super().target(key)


def idle(tier: float = 300e-9, store: float = 90e-9, half: float = 0.01) -> Rows:
    """Reads and stores of both tiers; DRAM takes 100 and 88 ns. A small footprint is in a cache."""
    reads, stores = [], []
    for word, read, line in (("node:0", 100e-9, 88e-9), (NVM, tier, store)):
        for size, s in ((512 * MiB, read), (MiB, 5e-9)):
            reads.append(row("latency_s", s, half, target=word, order="global", footprint_bytes=size, page_bytes=4096))
        stores.append(row("line_s", line, half, target=word, instruction="nt"))
    return {"latency": reads, "flush": stores}


def of_map(pool: str, operation: str, count: int, value: int, seconds: float, half: float, fill: float) -> Flat:
    keys = {"structure": "hashmap_atomic", "threads": 1, "target": POOLS[pool], "operation": operation}
    one = row("seconds", seconds, half, count=count, value_bytes=value, operations=count, init_s=fill, **keys)
    return one | row("latency_s", seconds / count, half)


def maps(
    get: float = 2.0, insert: float = 1.2, large: float = 1.0, fill: float = 20.0, growth: float = 10.0,
    each_s: float = 1e-6, half: float = 0.005,
) -> Rows:  # fmt: skip
    """Gets and inserts in both pools; on the tier they take longer than on DRAM by this factor.

    The difference of the pools grows with the number of gets by `growth`.
    """
    made = []
    for count, dram in ((50_000, 0.05 * each_s * 1e6), (500_000, 0.05 * growth * each_s * 1e6)):
        made.append(of_map("dram_pool", "get", count, 16, dram, half, dram))
        made.append(of_map("pool", "get", count, 16, get * dram, half, fill * get * dram))
    for value, slower in ((16, 1.0), (1000, large)):
        made.append(of_map("dram_pool", "insert", 100_000, value, 0.1, half, 0.1))
        made.append(of_map("pool", "insert", 100_000, value, 0.1 * insert * slower, half, 0.1))
    return {"maps": made}


def model(over: float, half: float = 0.01) -> Rows:
    """500 000 gets that take the model's time, 13/3 reads of 300 ns each, over this number."""
    seconds = 500_000 * 300e-9 * 13 / 3 / over
    return idle(half=half) | {"maps": [of_map("pool", "get", 500_000, 16, seconds, half, 1.0)]}


CASES: list[tuple[str, Rows, Rows, Rows]] = [
    ("reads_slower", idle(300e-9), idle(120e-9), idle(200e-9)),
    ("writes_closer", idle(), idle(store=400e-9), idle(store=264e-9)),
    ("gets_slower", maps(get=2), maps(get=0.5), maps(get=1.001)),
    ("gap_grows", maps(), maps(growth=0.1), maps(growth=1.0)),
    ("inserts_closer", maps(), maps(insert=3), maps(insert=2)),
    ("values_free", maps(), maps(large=2), maps(large=1.1)),
    ("set_up", maps(fill=20), maps(fill=1), maps(fill=0.85 / 0.15)),
    ("model", model(1.05), model(2.0), model(1.2)),
]
"""Claim, and rows with which it is true, is not true, and is not known."""


def test_every_claim_has_its_cases() -> None:
    assert [name for name, *_ in CASES] == [claim.name for claim in sheets["004"].claims]


@pytest.mark.parametrize(("claim", "holds", "fails", "open_"), CASES)
def test_a_claim_is_decided_by_whole_intervals(claim: str, holds: Rows, fails: Rows, open_: Rows) -> None:
    assert verdict("004", claim, PoolFound(holds)).verdict == "yes"
    assert verdict("004", claim, PoolFound(fails)).verdict == "no"
    assert verdict("004", claim, PoolFound(open_)).verdict == "not known"


@pytest.mark.parametrize("claim", [name for name, *_ in CASES])
def test_inconclusive_rows_and_absent_ones_decide_nothing(claim: str) -> None:
    ((holds, fails),) = [(one[1], one[2]) for one in CASES if one[0] == claim]
    for rows in (holds, fails):
        found: Found = PoolFound({table: [doubtful(one) for one in held] for table, held in rows.items()})
        assert verdict("004", claim, found).verdict == "not known"
    assert verdict("004", claim, PoolFound({})).verdict == "not known"


def test_pages_of_two_sizes_decide_nothing() -> None:
    rows = idle()
    rows["latency"] = [one | {"page_bytes": 2 << 20} if one["target"] == NVM else one for one in rows["latency"]]
    assert "pages" in verdict("004", "reads_slower", PoolFound(rows)).why


def test_the_table_of_gets_has_measured_and_predicted_times() -> None:
    cells = sheets["004"].cells(PoolFound(model(1.05)))
    by = {(one.line, one.column): one for one in cells}
    assert by["500000 gets", "measured"].published == 0.566
    assert by["500000 gets", "model"].published == 0.661
    here = by["500000 gets", "model"].here
    assert here is not None
    assert here.value.middle == pytest.approx(500_000 * 300e-9 * 13 / 3, rel=1e-3)
    assert by["read", "second tier"].published == 305e-9
