"""The claims of document 003 on rows that are made up: each one is true, is not true, or is not known."""

import pytest

from made_documents import MadeFound, doubtful, row, verdict
from tierscope.suites.documents.sheet import sheets
from tierscope.tables import Flat
from tierscope.units import KiB

Rows = dict[str, list[Flat]]


def loads(latency: float = 1.0, bandwidth: float = 1.0, half: float = 0.005) -> Rows:
    """Each mix without delay, slower by this factor, and at the longest delay."""
    made = []
    for kernel in ("mix_3r1w_nt", "mix_1r1w_nt", "mix_2r1w_nt", "write_nt"):
        for delay, wait, rate in ((20_000, 1.0, 1.0), (0, latency, bandwidth)):
            keys = {"kernel": kernel, "delay_cycles": delay, "load_threads": 1, "target": "node:0"}
            one = row("latency_s", wait * 40e-9, half, **keys)
            made.append(one | row("bandwidth_bytes_per_s", rate * 1.6e9, half, **keys))
    return {"loaded_latency": made}


def strides(far: float, half: float = 0.01) -> Rows:
    """A chaser alone with adjacent accesses, and with accesses 256 bytes apart."""
    keys = {"load_threads": 0, "target": "node:0", "order": "sequential"}
    times = ((64, 40e-9), (256, far * 40e-9))
    return {"loaded_latency": [row("latency_s", s, half, stride_bytes=size, **keys) for size, s in times]}


def jobs(read: float, write: float, small: float = 0.3, half: float = 0.01, wait: float = 1.0) -> Rows:
    """Jobs over a mix of 1 GB/s: reads and writes by these factors; 4 KiB have the share `small` of bandwidth."""
    made = []
    for name, rate in (("mix", 1e9), ("read", read * 1e9), ("write", write * 1e9)):
        for kib in (4, 32, 128):
            rate_of = rate * (small if kib == 4 else 1.0)
            keys = {"operation": name, "part": "both" if name == "mix" else name, "block_bytes": kib * KiB}
            one = row("bandwidth_bytes_per_s", rate_of, half, order="random", **keys)
            one |= row("iops", rate_of / (kib * KiB), half)
            made.append(one | row("latency_s", 1e-4 * (wait if name == "mix" else 1.0), half, **keys, order="random"))
    return {"storage": made}


CASES: list[tuple[str, Rows, Rows, Rows]] = [
    ("latency_flat", loads(latency=1.01), loads(latency=2.0), loads(latency=1.05)),
    ("bandwidth_flat", loads(bandwidth=1.01), loads(bandwidth=10), loads(bandwidth=1.05)),
    ("far_twice", strides(2.1), strides(1.0), strides(1.8)),
    ("reads_fastest", jobs(2, 0.5), jobs(0.5, 0.2), jobs(1.0, 0.5)),
    ("writes_slowest", jobs(2, 0.5), jobs(3, 2), jobs(2, 1.0)),
    ("large_blocks", jobs(2, 0.5), jobs(2, 0.5, small=2), jobs(2, 0.5, small=1.0)),
    ("small_reads", jobs(2, 0.5, small=0.5), jobs(2, 0.5, small=0.01), jobs(2, 0.5, small=1 / 8)),
    ("mix_waits_less", jobs(2, 1, wait=0.5), jobs(2, 1, wait=2.0), jobs(2, 1, wait=1.0)),
]
"""Claim, and rows with which it is true, is not true, and is not known."""


def test_every_claim_has_its_cases() -> None:
    assert [name for name, *_ in CASES] == [claim.name for claim in sheets["003"].claims]


@pytest.mark.parametrize(("claim", "holds", "fails", "open_"), CASES)
def test_a_claim_is_decided_by_whole_intervals(claim: str, holds: Rows, fails: Rows, open_: Rows) -> None:
    assert verdict("003", claim, MadeFound(holds)).verdict == "yes"
    assert verdict("003", claim, MadeFound(fails)).verdict == "no"
    assert verdict("003", claim, MadeFound(open_)).verdict == "not known"


@pytest.mark.parametrize("claim", [name for name, *_ in CASES])
def test_inconclusive_rows_and_absent_ones_decide_nothing(claim: str) -> None:
    ((holds, fails),) = [(one[1], one[2]) for one in CASES if one[0] == claim]
    for rows in (holds, fails):
        found = MadeFound({table: [doubtful(one) for one in held] for table, held in rows.items()})
        assert verdict("003", claim, found).verdict == "not known"
    assert verdict("003", claim, MadeFound({})).verdict == "not known"


def test_a_published_latency_that_cannot_be_is_named() -> None:
    (claim,) = [one for one in sheets["003"].claims if one.name == "mix_waits_less"]
    assert "impossible" in claim.doubt
    assert list(claim.published()) == pytest.approx([115.86 / 7471.88])


def test_thousands_are_read_as_printed() -> None:
    (claim,) = [one for one in sheets["003"].claims if one.name == "small_reads"]
    assert list(claim.published()) == pytest.approx([83_100 / 26_800, 83_100 / 4788])


def test_accesses_in_another_order_are_not_compared() -> None:
    near, far = strides(2.1)["loaded_latency"]
    mixed: Rows = {"loaded_latency": [near, far | {"order": "random"}]}
    assert verdict("003", "far_twice", MadeFound(mixed)).verdict == "not known"


def test_distances_are_compared_with_the_published_ones_without_load() -> None:
    cells = sheets["003"].cells(MadeFound(strides(2.1)))
    found = {(one.line, one.column): (one.published, one.here and one.here.value.middle) for one in cells}
    assert found["64 bytes", "W9"] == pytest.approx((39.70e-9, 40e-9))
    assert found["256 bytes", "W8"] == pytest.approx((85.38e-9, 84e-9))


def test_a_load_with_gaps_is_in_no_table_of_adjacent_lines() -> None:
    gaps = {"loaded_latency": [one | {"load_stride_bytes": 256} for one in loads()["loaded_latency"]]}
    assert not [one for one in sheets["003"].cells(MadeFound(gaps)) if "over delay" in one.part]


def test_the_tables_have_the_documents_shape() -> None:
    cells = sheets["003"].cells(MadeFound(loads() | jobs(2, 0.5)))
    latencies = {(one.line, one.column): one.published for one in cells if one.part.startswith("Latency over")}
    assert latencies["delay 0", "W9"] == pytest.approx(38.99e-9)
    assert set(latencies) == {(f"delay {n}", mode) for n in (0, 20_000) for mode in ("W9", "W8", "W7", "W6")}
    rates = {(one.line, one.column): one.published for one in cells if one.part.startswith("Bandwidth of")}
    assert rates["mixed", "32 KiB"] == pytest.approx(351e6)
