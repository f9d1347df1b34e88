"""Whether plain stores read their lines first, from made bandwidths whose answer is known."""

import io
from pathlib import Path

import pytest
from rich.console import Console

from made import Maker, Teamwork, one_group
from tierscope.report.content import gather
from tierscope.report.terminal import show
from tierscope.report.view import parts
from tierscope.stats.median import Interval
from tierscope.suites.stream.stores import reads_of_stores, share_read
from tierscope.tables import Insight
from tierscope.units import GiB

R, Z = 1 / 20e9, 1 / 15e9  # seconds of a byte, read and written without a read


def rate(seconds: float, spread: float = 0.01) -> Interval:
    return Interval((1 - spread) / seconds, 1 / seconds, (1 + spread) / seconds, 60)


def bandwidths(share: float, *, one: float = 0.8, free: str = "zva") -> dict[str, dict[int, Interval]]:
    """The rates of four threads at the roof, where this share of stored lines is read first; of one thread alone."""
    write, copy = Z + share * R, (R + Z + share * R) / 2
    roof = {"read": R, free: Z, "write": write, "copy": copy}
    return {kernel: {1: rate(s / one), 4: rate(s)} for kernel, s in roof.items()}


def sentences(share: float, **more: float | str) -> dict[str, Insight]:
    found = reads_of_stores(bandwidths(share, **more), "node:0")  # type: ignore[arg-type]
    return {one.name: one for one in found}


@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 1.0])
@pytest.mark.parametrize("free", ["zva", "write_nt"])
def test_the_share_that_the_bandwidths_were_made_with_is_found_from_writes_and_from_copies(
    share: float, free: str
) -> None:
    found = sentences(share, free=free)
    assert set(found) == {"store_reads write", "store_reads copy"}
    for one in found.values():
        assert one.value == pytest.approx(share, abs=1e-9)
        assert not one.conclusive  # time that is not spent on bytes looks the same
        assert "only counters can confirm" in one.text


def test_nothing_is_stated_where_threads_still_add_up_or_one_alone_was_measured() -> None:
    found = sentences(1.0, one=0.25)["store_reads write"]
    assert not found.conclusive
    assert found.value is None
    assert "still add up" in found.text
    alone = {kernel: {4: by[4]} for kernel, by in bandwidths(1.0).items()}
    assert all("threads=1,N" in one.text for one in reads_of_stores(alone, "node:0"))


def test_bandwidths_without_one_limit_give_no_share() -> None:
    odd = bandwidths(0.0)
    odd["write"][4] = rate(Z + 3 * R)
    found = {one.name: one for one in reads_of_stores(odd, "node:0")}
    assert not found["store_reads write"].conclusive
    assert "unlike limits" in found["store_reads write"].text


def test_without_stores_that_read_nothing_there_is_no_finding() -> None:
    known = {kernel: by for kernel, by in bandwidths(1.0).items() if kernel != "zva"}
    assert reads_of_stores(known, "node:0") == []


def test_bounds_contain_every_corner_of_the_intervals() -> None:
    found = share_read(rate(R, 0.05), rate(Z, 0.05), rate(Z + R, 0.05), copies=False)
    assert found.low < 0.9
    assert found.high > 1.1


def test_explanations_without_findings_are_folded(tmp_path: Path) -> None:
    """The sentences of stores are in the details of a page, once, and not below the table of a terminal."""
    maker = Maker(tmp_path)
    for kernel, per_s in (("read", 4e8), ("write", 2e8), ("write_nt", 3e8)):
        for threads in (1, 2):
            group = one_group(kernel, tuple(range(threads)), GiB)
            work = Teamwork((per_s / threads,) * threads)
            maker.add("stream", {"kernel": kernel, "threads": threads}, (group,), (work,))
    content = gather(maker.save())
    (estimate,) = [one for one in content.insights if one.detail]
    assert estimate.name == "store_reads write"
    shown = parts(content)
    assert [part.details.count(estimate.text) for part in shown if part.details] == [1]
    assert all(estimate.text not in part.points for part in shown)
    out = io.StringIO()
    show(content.run, Console(file=out, width=200))
    assert "reads its line first" not in out.getvalue()
    assert "1 more in the report" in out.getvalue()
