"""The findings of own groups: the same group in several experiments, compared with the first."""

from msgspec.structs import replace

from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.work.line import LineWork
from tierscope.stats.median import Interval
from tierscope.suites.groups.findings import said
from tierscope.suites.groups.row import GroupsRow
from tierscope.suites.groups.terminal import groups as drawn
from tierscope.units import GiB

LABELS = {0: "copy alone", 1: "copy beside reads", 2: "copy beside writes"}


def asked(role: str = "", pages: str = "thp") -> Group:
    work = Workload(kernel="copy", footprint_bytes=GiB, work=LineWork())
    return Group(workload=work, target=Target(pages=pages), team=Team(cpus=(0,)), role=role)


def texts(*rows: GroupsRow, groups: tuple[Group, ...] = ()) -> list[str]:
    return [one.text for one in said(list(rows), groups or tuple(asked(row.role) for row in rows), LABELS)]


def row(experiment: int, rate: float, *, role: str = "", sure: bool = True, threads: int = 1) -> GroupsRow:
    bandwidth = Interval(rate * 0.99, rate, rate * 1.01, 100)
    return GroupsRow(
        experiment=experiment, group=0, label=LABELS[experiment], role=role, kernel="copy", threads=threads,
        target="node:0",
        footprint_bytes=GiB, page_bytes=None, bandwidth=bandwidth, operations_per_s=rate / 128, latency=None,
        conclusive=sure, reasons=() if sure else ("the machine is busy",), blocks=100, left_out_share=0.0,
        origin="real",
    )  # fmt: skip


def chase(experiment: int, seconds: float) -> GroupsRow:
    """A group with a latency; its bandwidth is that of the hops."""
    return replace(row(experiment, 8 / seconds), latency=Interval(seconds * 0.99, seconds, seconds * 1.01, 100))


def test_the_largest_loss_comes_first_in_the_words_of_the_file() -> None:
    assert texts(row(0, 20e9), row(1, 18e9), row(2, 10e9)) == [
        'copy in "copy beside writes": 10.00 GB/s, 0.50x that in "copy alone" (0.49 to 0.51)',
        'copy in "copy beside reads": 18.00 GB/s, 0.90x that in "copy alone" (0.89 to 0.91)',
    ]
    gain, loss = texts(row(0, 20e9), row(1, 19.8e9), row(2, 100e9))
    assert "5.00x" in gain
    assert "0.99x" in loss


def test_a_latency_that_doubles_is_twice_and_not_half() -> None:
    (text,) = texts(chase(0, 152e-9), chase(1, 304e-9))
    assert text == 'copy in "copy beside reads": 304 ns, 2.00x that in "copy alone" (1.97 to 2.03)'


def test_other_groups_and_inconclusive_ones_are_not_compared() -> None:
    assert texts(row(0, 20e9), row(1, 18e9, role="solver"), row(2, 9e9, threads=2)) == []
    assert texts(row(0, 20e9), row(1, 18e9, sure=False)) == []
    assert texts(row(0, 20e9, sure=False), row(1, 18e9)) == []
    assert texts(row(0, 20e9), row(1, 18e9), groups=(asked(), asked(pages="4k"))) == []


def test_groups_of_one_experiment_are_not_compared_with_each_other() -> None:
    assert texts(row(0, 20e9), row(0, 19e9)) == []


def test_a_group_that_exists_once_gives_no_finding() -> None:
    assert texts(row(0, 20e9)) == []
    assert texts(replace(row(0, 20e9), bandwidth=None), row(1, 20e9)) == []


def test_the_label_of_the_experiment_is_in_the_terminal() -> None:
    _, heads, lines = drawn([row(1, 1e10)])
    assert [name for name, _ in heads][:2] == ["group", "label"]
    assert lines[0][:2] == ["#1.0", "copy beside reads"]
