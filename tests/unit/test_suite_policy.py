"""The plan of policy: which strides, places and regions, on what memory; and its rows, figures and texts."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from made import Maker
from made_machine import made_machine
from made_policy import Overwritten
from made_probed import SUITE, WORDS, add_policy, planned
from tierscope.draw.forms import form
from tierscope.errors import UnknownNameError, UsageError
from tierscope.plans.answer import Answer
from tierscope.plans.live import describe
from tierscope.plans.simulation import counted
from tierscope.record.experiment import Experiment
from tierscope.report.content import Content, gather
from tierscope.run.expected import imagine
from tierscope.stats.interleave import Interleave, share
from tierscope.stats.pairs import UNMEASURED, Pairs
from tierscope.stats.summary import ENOUGH
from tierscope.suites.policy.experiments import FAR_BYTES, PRIMES, Field, combining, control_of, field_of, interleave
from tierscope.suites.policy.table import Policy
from tierscope.tables import Flat, policy_found, tables


def table(name: str, **words: str) -> list[Experiment]:
    return [one for one in planned(**words) if one.table == name]


def test_strides_are_powers_of_two_with_controls_and_the_largest_odd_multiples() -> None:
    asked = [one.labels for one in table("interleave")]
    plain = {int(one["stride_bytes"] or 0) for one in asked if not one["control"]}
    assert {1 << power for power in range(7, 23)} <= plain
    assert {stride >> (stride & -stride).bit_length() - 1 for stride in plain} == {1, 3, 5, 7, 9, 11}
    assert max(plain) == 4 << 20
    assert any(one["control"] for one in asked)


def test_a_control_meets_all_memories_alike() -> None:
    for stride in (4096, 3 << 12, 1 << 20, 11 << 18):
        control = control_of(stride)
        assert not any(control // 64 % prime == 0 for prime in PRIMES)
        assert 0.5 < control / stride < 1
        for ways in range(2, 13):
            assert share(control, ways, 4096) == pytest.approx(1, rel=0.02)


@pytest.mark.parametrize("ways", [2, 3, 4, 8, 12])
def test_a_few_steps_of_a_control_meet_all_memories_of_a_large_grain(ways: int) -> None:
    places = np.arange(96) * control_of(4 << 20)
    visits = np.bincount(places // (64 << 10) % ways, minlength=ways)
    assert visits.max() < 1.5 * 96 / ways


def test_an_odd_number_of_lines_is_a_stride_where_bandwidth_falls() -> None:
    setting = field_of(made_machine(4), SUITE.read(WORDS))
    many = strides_of(setting, lambda stride: share(stride, 3, 64))
    assert 3 * 64 in many
    assert 5 * 64 not in many


def test_all_strides_of_an_odd_number_are_taken_only_where_bandwidth_falls() -> None:
    setting = field_of(made_machine(4), SUITE.read(WORDS))
    few = strides_of(setting, lambda stride: 1.0)
    many = strides_of(field_of(made_machine(4), SUITE.read(WORDS)), lambda stride: share(stride, 3, 4096))
    assert len([one for one in few if one % 3 == 0 and one % 9]) == 2
    assert len([one for one in many if one % 3 == 0 and one % 9]) > 10
    assert len([one for one in many if one % 5 == 0]) == len([one for one in few if one % 5 == 0])


def strides_of(setting: Field, bandwidth) -> list[int]:  # type: ignore[no-untyped-def]
    """Strides without controls, where the rates are known beforehand."""
    rates = {stride: bandwidth(stride) for odd in (1, 3, 5, 7, 9, 11) for stride in (odd << p for p in range(7, 23))}
    setting.known.update({(stride, len(setting.cpus)): rate for stride, rate in rates.items()})
    return [int(one.labels["stride_bytes"] or 0) for one in imagine(interleave(setting, 4 << 20))
            if not one.labels["control"]]  # fmt: skip


class Slow(Answer):
    """The times of a memory that writes larger regions more slowly: 27 ns a line, in 512 KiB 110 ns."""

    def rate(self, group: int = 0) -> float:
        del group
        return 1 / line_s_of(self.experiment)


def line_s_of(experiment: Experiment) -> float:
    return 27e-9 * (int(experiment.labels["region_bytes"] or 0) / 64) ** 0.156


@pytest.mark.parametrize("target", ["sim:optane100", "node:0"])
def test_each_region_gets_the_time_of_as_many_blocks_as_its_verdict_needs(target: str) -> None:
    setting = field_of(made_machine(4), SUITE.read({**WORDS, "target": target}))
    plan = counted(lambda: combining(setting))
    experiment = next(plan)
    blocks = []
    with suppress(StopIteration):
        while True:
            block_s = (experiment.groups[0].workload.per_block or 0) * line_s_of(experiment)
            blocks.append(experiment.schedule.budget_s / block_s)
            experiment = plan.send(Slow(experiment))
    assert len(blocks) == 26
    assert min(blocks) > 1.2 * ENOUGH


def test_a_place_beyond_the_grain_is_in_one_of_the_memories() -> None:
    setting = field_of(made_machine(4), SUITE.read(WORDS))
    within, beyond = (setting.overwritten(place, 1000, 1e-6, (6, 4096)) for place in (4096, 16384))
    assert (within.groups[0].workload.footprint_bytes, within.groups[0].workload.work.element_bytes) == (4096, 256)
    work = beyond.groups[0].workload
    addresses = range(0, work.footprint_bytes, work.work.element_bytes)
    assert [address // 4096 % 6 for address in addresses] == [0] * 4  # one write in each of its four grains
    assert work.work.access_bytes == 256
    assert beyond.labels["region_bytes"] == 16384


def test_single_writes_are_timed_up_to_a_place_larger_than_a_unit() -> None:
    experiments = table("migration")
    assert {one.groups[0].workload.per_block for one in experiments} == {1}
    assert all(one.schedule.minimum_s >= 150_000 * one.schedule.block_s for one in experiments)  # room for all blocks
    assert all(one.schedule.block_s >= 1e-6 for one in experiments)  # as the core asks
    places = [int(one.labels["region_bytes"] or 0) for one in experiments]
    assert (places[0], places[-1]) == (256, FAR_BYTES)
    assert all(one.groups[0].workload.footprint_bytes == place for one, place in zip(experiments, places, strict=True))


def test_fresh_regions_are_whole_and_fenced() -> None:
    for one in table("combining"):
        work = one.groups[0].workload
        assert (work.work.order, work.work.fence, work.work.element_bytes) == ("once", "region", 64)
        assert work.footprint_bytes % work.work.locality_bytes == 0
        assert work.per_block * 64 % work.work.locality_bytes == 0


def test_parts_are_measured_as_asked() -> None:
    assert {one.table for one in planned(parts="combining")} == {"combining"}
    with pytest.raises(UnknownNameError, match="part"):
        planned(parts="banks")


@pytest.mark.parametrize("words", [{"threads": "9"}, {"cpu": "77"}, {"memory": "1MiB"}, {"to": "1GiB"}])
def test_an_impossible_request_is_refused_with_what_to_try(words: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="try"):
        planned(**words)


def test_each_experiment_is_described_by_what_it_does() -> None:
    told = [describe(one) for one in planned()]
    assert "lines stored every 128 B" in told
    assert "single writes to 256 B" in told
    assert "lines stored in fresh regions of 4 KiB" in told


def made(
    directory: Path, ways: int = 6, device: Overwritten | None = None, entries: int = 52, *, limited: bool = False,
    hashed: int = 1,
) -> Content:  # fmt: skip
    maker = Maker(directory)
    add_policy(maker, ways, device, entries, limited=limited, hashed=hashed)
    return gather(maker.save("policy"))


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return made(tmp_path_factory.mktemp("policy"), device=Overwritten(2000, 16384, 5e-5))


@pytest.fixture(scope="module")
def nothing(tmp_path_factory: pytest.TempPathFactory) -> Content:
    return made(tmp_path_factory.mktemp("policy"), ways=1, entries=0)


def rows_of(content: Content) -> dict[str, Flat]:
    return {str(row["part"]): row for row in content.sections["policy"].rows}


def test_rows_contain_what_the_device_was_built_with(content: Content) -> None:
    rows = rows_of(content)
    assert all(row["found"] for row in rows.values())
    assert (rows["interleaving"]["count"], rows["interleaving"]["unit_bytes"]) == (6, 4096)
    assert rows["migration"]["count"] == pytest.approx(2000, rel=0.01)
    assert rows["migration"]["seconds"] == pytest.approx(5e-5, rel=0.05)
    assert rows["migration"]["unit_bytes"] == 16384


def test_nothing_is_found_where_nothing_is(nothing: Content) -> None:
    rows = rows_of(nothing)
    assert not any(row["found"] for row in rows.values())
    assert all(row["count"] is None and row["unit_bytes"] is None for row in rows.values())
    assert [insight.value for insight in nothing.sections["policy"].insights] == [0, 0, 0]


def test_a_processor_that_is_the_limit_makes_interleaving_inconclusive(tmp_path: Path) -> None:
    row = rows_of(made(tmp_path, ways=6, entries=0, limited=True))["interleaving"]
    assert not row["conclusive"]
    assert "take more CPUs" in str(row["reasons"])


def test_a_hashed_order_does_not_look_like_one_memory(tmp_path: Path) -> None:
    content = made(tmp_path, ways=1, device=Overwritten(2000, 16384, 5e-5), hashed=4)
    rows = rows_of(content)
    assert not rows["interleaving"]["conclusive"]
    assert "looks like one memory" in str(rows["interleaving"]["reasons"])
    assert rows["migration"]["found"]
    assert rows["migration"]["unit_bytes"] is None  # a place is in several memories
    assert rows["migration"]["seconds"] is None  # another memory may hide a part of a stall
    assert rows["migration"]["seconds_least"] == pytest.approx(5e-5, rel=0.05)
    (moved,) = (one.text for one in content.sections["policy"].insights if one.name == "policy migration")
    assert "stalls for at least " in moved
    told = [one for one in content.sections["policy"].insights if one.name == "policy interleaving"]
    assert [one.conclusive for one in told] == [False]
    assert "4 memories" in told[0].text


@pytest.mark.parametrize(
    ("ways", "grain", "several", "divided"),
    [(6, 4096, False, False), (6, 256, False, False), (4, 128, False, True), (1, 0, True, True), (1, 0, False, False)],
)
def test_a_stall_is_whole_only_if_the_bytes_are_in_one_memory(
    content: Content, ways: int, grain: int, several: bool, divided: bool
) -> None:
    found = next(iter(policy_found.found(content.run).values()))
    seen = Interleave(ways, grain, ((ways, grain),), 0.0, 1.0, 50.0, np.empty(0))
    pairs = Pairs(0.25, 0.2, 0.3) if several else Pairs(1.0, 0.9, 1.0)
    assert replace(found, interleave=seen, pairs=pairs).divided is divided
    assert replace(found, interleave=None, pairs=UNMEASURED).divided  # strides that show nothing
    assert not replace(found, interleave=None, pairs=UNMEASURED, strides=[], controls=[]).divided  # not asked


def test_a_grain_that_joined_writes_may_hide_is_inconclusive(content: Content, monkeypatch: pytest.MonkeyPatch) -> None:
    target, found = next(iter(policy_found.found(content.run).items()))
    hidden = Interleave(2, 128, ((2, 64), (2, 128)), 0.0, 1.0, 50.0, np.empty(0), faster_bytes=512)
    monkeypatch.setattr("tierscope.suites.policy.table.found", lambda _: {target: replace(found, interleave=hidden)})
    row = next(row for row in Policy().rows(content.run) if row.part == "interleaving")
    assert not row.conclusive
    assert "strides up to 512 B are faster" in row.reasons[0]
    assert (row.unit_low, row.unit_bytes) == (64, 128)


def test_every_row_has_every_column(content: Content, nothing: Content) -> None:
    for one in (content, nothing):
        for name in ("policy", "interleave", "pairs", "migration", "combining"):
            keys = {column.name for column in tables[name].columns}
            assert all(set(row) == keys for row in one.sections[name].rows), name


def test_sentences_give_ways_period_and_queue(content: Content) -> None:
    told = " ".join(insight.text for insight in content.sections["policy"].insights)
    assert "6 memories in units of 4 KiB" in told
    assert "after 2000 writes of 256 B" in told
    assert "combines writes into units of 256 B" in told


def test_each_curve_is_drawn_with_what_was_inferred(content: Content) -> None:
    drawn = {drawing.figure.name: drawing.spec for drawing in content.drawings}
    assert {"interleave", "migration", "combining"} <= drawn.keys()
    series = {point["series"] for point in drawn["interleave"]["data"]["values"]}
    assert series == {"node:0, measured", "node:0, as found"}


def test_the_terminal_has_one_line_for_each_property(content: Content, nothing: Content) -> None:
    console = Console(width=100)
    for one, word in ((content, "6"), (nothing, "none")):
        with console.capture() as said:
            for part in form("policy")(one.sections["policy"], console):
                console.print(part)
        line = next(line for line in said.get().splitlines() if line.startswith("interleaving"))
        assert word in line.split()
