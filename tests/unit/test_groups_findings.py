"""What own groups say: the same group in several experiments, compared with the first."""

from msgspec.structs import replace

from tierscope.stats.median import Interval
from tierscope.suites.groups.findings import said
from tierscope.suites.groups.row import GroupsRow
from tierscope.units import GiB

LABELS = {0: "copy alone", 1: "copy beside reads", 2: "copy beside writes"}


def row(experiment: int, rate: float, *, role: str = "", sure: bool = True, threads: int = 1) -> GroupsRow:
    bandwidth = Interval(rate * 0.99, rate, rate * 1.01, 100)
    return GroupsRow(
        experiment=experiment, group=0, role=role, kernel="copy", threads=threads, target="node:0",
        footprint_bytes=GiB, page_bytes=None, bandwidth=bandwidth, operations_per_s=rate / 128, latency=None,
        conclusive=sure, reasons=() if sure else ("the machine is busy",), blocks=100, left_out_share=0.0,
        origin="real",
    )  # fmt: skip


def test_the_largest_loss_comes_first_in_the_words_of_the_file() -> None:
    found = said([row(0, 20e9), row(1, 18e9), row(2, 10e9)], LABELS)
    assert [one.text for one in found] == [
        'copy in "copy beside writes": 10.00 GB/s, 0.50x that in "copy alone" (0.49 to 0.51)',
        'copy in "copy beside reads": 18.00 GB/s, 0.90x that in "copy alone" (0.89 to 0.91)',
    ]
    assert [one.name for one in found] == ["group_ratio copy 2", "group_ratio copy 1"]


def test_other_groups_and_inconclusive_ones_are_not_compared() -> None:
    assert said([row(0, 20e9), row(1, 18e9, role="solver"), row(2, 9e9, threads=2)], LABELS) == []
    assert said([row(0, 20e9), row(1, 18e9, sure=False)], LABELS) == []
    assert said([row(0, 20e9, sure=False), row(1, 18e9)], LABELS) == []


def test_a_group_that_is_there_once_says_nothing() -> None:
    assert said([row(0, 20e9)], LABELS) == []
    one = replace(row(0, 20e9), bandwidth=None)
    assert said([one, row(1, 20e9)], LABELS) == []
