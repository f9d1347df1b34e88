"""Random devices, their words, what is asked of the probers on them, and how answers are scored."""

import math
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest

from made_machine import made_machine
from tierscope.errors import MachineError, ResultError, UsageError
from tierscope.plans import suites
from tierscope.plans.simulation import refuse_mixtures
from tierscope.record.experiment import Target
from tierscope.run.expected import imagine
from tierscope.stats.buffers_levels import Estimate, Level, Levels
from tierscope.stats.combining import Combining
from tierscope.stats.interleave import Interleave, share
from tierscope.stats.median import Interval
from tierscope.stats.migration import Migration as Migrations
from tierscope.stats.migration import Period
from tierscope.stats.strides import Stride, spread_of
from tierscope.suites.closed_loop import findings, score, table
from tierscope.suites.closed_loop.devices import Buffer, Device, Migration, draw, parse
from tierscope.suites.closed_loop.experiments import words
from tierscope.suites.closed_loop.row import ClosedLoopRow
from tierscope.suites.closed_loop.score import ALARM, MISSED, RANGE, RECOVERED, WRONG, Score
from tierscope.units import KiB, MiB

SUITE = suites["closed-loop"]
DEVICE = Device(
    seed=7, path_s=20e-9, buffers=(Buffer(4 * KiB, 256, 80e-9), Buffer(4 * MiB, 4 * KiB, 200e-9)), read_s=100e-9,
    write_s=300e-9, entries=52, ways=6, grain_bytes=4 * KiB, noise=2.5,
    migration=Migration(10_000, 64 * KiB, 50e-6, 0.1),
)  # fmt: skip
BLANK = Device(
    seed=0, path_s=20e-9, buffers=(), read_s=100e-9, write_s=300e-9, entries=0, ways=1, grain_bytes=256, migration=None,
    noise=0.0,
)  # fmt: skip
NOTHING = np.empty(0)


def around(middle: float) -> Estimate:
    return Estimate(0.9 * middle, middle, 1.1 * middle)


def level(size: float, unit: int, seconds: float, told: int | None = None) -> Level:
    return Level(around(size), around(unit), around(seconds), told)


def levels(medium_s: float, *found: Level) -> Levels:
    return Levels(found, around(medium_s), around(0.0), 0.1, 40, NOTHING)


RIGHT = (level(24.2 * KiB, 256, 101e-9, 24 * KiB), level(23.5 * MiB, 4 * KiB, 302e-9, 24 * MiB))


def verdicts(scores: Iterator[Score]) -> dict[tuple[str, int | None], str]:
    return {(one.parameter, one.level): one.verdict for one in scores}


def test_a_device_matches_its_text() -> None:
    for device in (draw(3, number, 10) for number in range(200)):
        assert parse(device.word("sim:blank")) == device
    assert parse(DEVICE.word("sim:blank")).word("sim:blank") == DEVICE.word("sim:blank")


def test_a_word_without_a_key_is_not_a_device() -> None:
    with pytest.raises(ResultError, match=r"sim:blank,seed=1 is not a device of the closed loop: .* is missing"):
        parse("sim:blank,seed=1")


def test_the_same_seed_draws_the_same_devices_wherever_a_run_begins() -> None:
    whole = dict(words(SUITE.read({"devices": "6", "seed": "5"})))
    rest = dict(words(SUITE.read({"devices": "2", "first": "4", "seed": "5"})))
    assert rest == {number: whole[number] for number in (4, 5)}
    assert len(set(whole.values())) == 6
    assert whole[0] != dict(words(SUITE.read({"seed": "6"})))[0]


def test_drawn_devices_span_the_ranges_and_can_be_built() -> None:
    devices = [draw(1, number, 10) for number in range(500)]
    assert {len(device.buffers) for device in devices} == {0, 1, 2, 3}
    assert {device.ways for device in devices} == set(range(1, 13))
    assert min(device.noise for device in devices) == 0
    assert max(device.noise for device in devices) > 9
    for device in devices:
        sizes = [buffer.size_bytes for buffer in device.buffers]
        units = [buffer.unit_bytes for buffer in device.buffers]
        assert all(4 * KiB <= size * device.ways <= 64 * MiB for size in sizes)
        assert (sizes, units) == (sorted(sizes), sorted(units))
        assert all(size % unit == 0 for size, unit in zip(sizes, units, strict=True))
        assert device.ways == 1 or all(unit <= device.grain_bytes for unit in units)


def test_without_noise_no_device_has_any() -> None:
    assert {parse(word).noise for _, word in words(SUITE.read({"devices": "20", "noise": "0"}))} == {0.0}


@pytest.mark.parametrize(("parts", "policy"), [("buffers", {"parts": "interleave"}), ("policy,buffers", {})])
def test_each_device_is_asked_what_its_probers_ask_and_nothing_else(parts: str, policy: dict[str, str]) -> None:
    machine, chosen = made_machine(), SUITE.read({"devices": "2", "parts": parts})
    asked = imagine(SUITE.plan(machine, chosen))
    for number, word in words(chosen):
        for prober, more in (("policy", policy), ("buffers", {"op": "read"})):
            alone = imagine(suites[prober].plan(machine, suites[prober].read({"target": word, **more})))
            own = [one for one in asked if (one.labels["device"], one.labels["prober"]) == (number, prober)]
            assert [one.groups for one in own] == [one.groups for one in alone]
            assert [one.labels["of_table"] for one in own] == [one.table for one in alone]
    assert {one.table for one in asked} == {"closed_loop"}


def test_kernels_without_memory_are_on_no_machine() -> None:
    first, *_ = imagine(SUITE.plan(made_machine(), SUITE.read({"devices": "1", "parts": "buffers"})))
    groups = tuple(msgspec.structs.replace(one, target=Target(name="null"), source=None) for one in first.groups)
    kernels = frozenset(one.workload.kernel for one in groups)
    refuse_mixtures([msgspec.structs.replace(first, groups=groups)], kernels)
    with pytest.raises(MachineError, match="no simulated form"):
        refuse_mixtures([first], kernels)


def test_a_closed_loop_runs_on_simulated_machines_only() -> None:
    asked = imagine(SUITE.plan(made_machine(), SUITE.read({"devices": "2", "parts": "buffers"})))
    refuse_mixtures(asked, frozenset(), many=SUITE.many_machines)
    with pytest.raises(UsageError, match="are on two machines"):
        refuse_mixtures(asked, frozenset())
    with pytest.raises(UsageError, match="devices are drawn for simulated machines only; try target=sim:blank"):
        imagine(SUITE.plan(made_machine(), SUITE.read({"target": "node:0"})))


def test_buffers_found_exactly_count_as_recovered() -> None:
    found = list(score.of_buffers(DEVICE, levels(404e-9, *RIGHT)))
    assert {one.verdict for one in found} == {RECOVERED}
    assert [(one.parameter, one.truth) for one in found if one.parameter == "capacity"] == [
        ("capacity", 24 * KiB), ("capacity", 24 * MiB),
    ]  # fmt: skip
    assert found[-1].truth == pytest.approx(400e-9)


def test_a_latency_off_by_more_than_three_per_cent_is_wrong() -> None:
    assert verdicts(score.of_buffers(DEVICE, levels(413e-9, *RIGHT)))["medium", None] == WRONG


def test_a_round_capacity_must_be_exact_and_another_within_six_percent() -> None:
    near = level(24.2 * KiB, 256, 100e-9, None)
    assert verdicts(score.of_buffers(DEVICE, levels(400e-9, near, RIGHT[1])))["capacity", 1] == WRONG
    odd = replace(DEVICE, buffers=(Buffer(5 * KiB, 256, 80e-9), DEVICE.buffers[1]))
    for size, verdict in ((30 * KiB * 1.05, RECOVERED), (30 * KiB * 1.07, WRONG)):
        one = level(size, 256, 100e-9)
        assert verdicts(score.of_buffers(odd, levels(400e-9, one, RIGHT[1])))["capacity", 1] == verdict


def test_a_buffer_that_was_not_found_is_missed_with_all_its_parameters() -> None:
    found = verdicts(score.of_buffers(DEVICE, levels(400e-9, RIGHT[1])))
    assert {key for key, verdict in found.items() if verdict == MISSED} == {
        ("buffers", None), ("capacity", 1), ("unit", 1), ("latency", 1),
    }  # fmt: skip
    assert found["capacity", 2] == RECOVERED


def test_a_buffer_that_is_not_there_is_a_false_alarm() -> None:
    found = verdicts(score.of_buffers(BLANK, levels(120e-9, RIGHT[0])))
    assert found == {("buffers", None): ALARM, ("capacity", 1): ALARM, ("medium", None): RECOVERED}


def test_a_buffer_far_from_any_is_both_missed_and_a_false_alarm() -> None:
    one = replace(BLANK, buffers=(Buffer(MiB, 256, 80e-9),))
    found = [(s.parameter, s.verdict) for s in score.of_buffers(one, levels(200e-9, RIGHT[0]))]
    assert ("capacity", MISSED) in found
    assert ("capacity", ALARM) in found


@pytest.mark.parametrize(
    ("low", "high", "verdict", "bound"),
    [
        (256, 8192, RANGE, False), (512, 8192, WRONG, False), (4096, 4096, WRONG, False),
        (128, 64 * KiB, RECOVERED, True), (4096, 64 * KiB, WRONG, False),
    ],
)  # fmt: skip
def test_a_range_of_units_is_false_only_without_the_one_that_was_built(
    low: int, high: int, verdict: str, bound: bool
) -> None:
    near = replace(RIGHT[0], unit_bytes=Estimate(low, 4096, high))
    scores = score.of_buffers(DEVICE, levels(400e-9, near, RIGHT[1]))
    unit = next(one for one in scores if (one.parameter, one.level) == ("unit", 1))
    assert (unit.verdict, unit.false, unit.bound) == (verdict, verdict == WRONG, bound)


@pytest.mark.parametrize(
    ("low", "high", "sure"),
    [(256, 256, True), (256, 1024, True), (256, 1088, False), (256, 64 * KiB, False), (512, 64 * KiB, True)],
)
def test_a_range_of_units_that_is_too_wide_does_not_count_and_a_wrong_one_is_false(
    low: int, high: int, sure: bool
) -> None:
    near = replace(RIGHT[0], unit_bytes=Estimate(low, 512 if low > 256 else 256, high))
    scores = list(score.of_buffers(DEVICE, levels(400e-9, near, RIGHT[1])))
    unit = next(one for one in scores if (one.parameter, one.level) == ("unit", 1))
    assert unit.sure == sure
    assert unit.false == (low > 256)
    assert all(one.sure for one in scores if one is not unit)


@pytest.mark.parametrize(("low", "high", "verdict"), [(20, 28, RANGE), (25, 28, WRONG), (20, 23.9, WRONG)])
def test_a_range_of_capacities_is_false_only_without_the_one_that_was_built(
    low: float, high: float, verdict: str
) -> None:
    size = Estimate(low * KiB, 22 * KiB, high * KiB)
    near = replace(RIGHT[0], capacity_bytes=size, round_bytes=None, ranged=True)
    scores = score.of_buffers(DEVICE, levels(400e-9, near, RIGHT[1]))
    found = next(one for one in scores if (one.parameter, one.level) == ("capacity", 1))
    assert (found.verdict, found.false) == (verdict, verdict == WRONG)


LARGE = replace(BLANK, buffers=(Buffer(24 * KiB, 256, 80e-9), Buffer(100 * MiB, 4 * KiB, 200e-9)))
NEAR = level(24.2 * KiB, 256, 100e-9, 24 * KiB)
OPEN = math.inf


def at_least(size: float, unit: int, seconds: float) -> Level:
    return Level(Estimate(size, size, OPEN), around(unit), around(seconds), None)


def scores_of(device: Device, medium: Estimate, *found: Level) -> dict[tuple[str, int | None], Score]:
    seen = replace(levels(0.0, *found), medium_s=medium, reach_bytes=64 * MiB)
    return {(one.parameter, one.level): one for one in score.of_buffers(device, seen)}


def test_a_lower_bound_of_a_large_buffer_is_right_and_marked() -> None:
    medium = Estimate(350e-9, 350e-9, OPEN)
    found = scores_of(LARGE, medium, NEAR, at_least(64 * MiB, 4 * KiB, 300e-9))
    assert {one.verdict for one in found.values()} == {RECOVERED}
    assert {key for key, one in found.items() if one.bound} == {("buffers", None), ("capacity", 2), ("medium", None)}
    behind = replace(LARGE, buffers=(*LARGE.buffers, Buffer(500 * MiB, 4 * KiB, 90e-9)))
    more = scores_of(behind, medium, NEAR, at_least(64 * MiB, 4 * KiB, 300e-9))
    assert {one.verdict for one in more.values()} == {RECOVERED}  # that there may be more is a part of the answer


def test_a_lower_bound_that_is_too_large_is_false() -> None:
    medium = Estimate(350e-9, 350e-9, OPEN)
    found = scores_of(LARGE, medium, NEAR, at_least(128 * MiB, 4 * KiB, 300e-9))
    assert {key for key, one in found.items() if one.false} == {("capacity", 2)}
    slow = scores_of(LARGE, Estimate(500e-9, 500e-9, OPEN), NEAR, at_least(64 * MiB, 4 * KiB, 300e-9))
    assert {key for key, one in slow.items() if one.false} == {("medium", None)}
    invented = scores_of(replace(LARGE, buffers=LARGE.buffers[:1]), Estimate(150e-9, 150e-9, OPEN), NEAR,
                         at_least(64 * MiB, 4 * KiB, 300e-9))  # fmt: skip
    assert {key for key, one in invented.items() if one.false} == {("buffers", None), ("capacity", 2)}


@pytest.mark.parametrize(
    ("size", "medium_s", "false"),
    [
        (100 * MiB, 300e-9, set()), (100 * MiB, 400e-9, set()), (100 * MiB, 250e-9, {"medium"}),
        (100 * MiB, 430e-9, {"medium"}), (50 * MiB, 400e-9, {"buffers"}),
    ],
)  # fmt: skip
def test_no_buffer_up_to_a_capacity_is_a_bound_where_a_larger_one_exists(
    size: int, medium_s: float, false: set[str]
) -> None:
    device = replace(LARGE, buffers=(LARGE.buffers[0], replace(LARGE.buffers[1], size_bytes=size)))
    found = scores_of(device, around(medium_s), NEAR)
    assert {one.parameter for one in found.values() if one.false} == false
    assert found["buffers", None].bound == (size > 64 * MiB)


def test_a_buffer_of_single_lines_is_not_expected() -> None:
    """No fresh region has a line twice, so that it only delays what is behind it."""
    device = replace(DEVICE, buffers=(Buffer(MiB, 64, 50e-9), *DEVICE.buffers), path_s=DEVICE.path_s - 50e-9)
    assert {one.verdict for one in score.of_buffers(device, levels(400e-9, *RIGHT))} == {RECOVERED}


def spread(ways: int, grain: int) -> Interleave:
    return Interleave(ways, grain, ((ways, grain),), 0.0, 1.0, 50.0, NOTHING)


@pytest.mark.parametrize(
    ("device", "seen", "verdict"),
    [
        (DEVICE, spread(6, 4 * KiB), {"ways": RECOVERED, "grain": RECOVERED}),
        (DEVICE, spread(3, 8 * KiB), {"ways": WRONG, "grain": WRONG}),
        (DEVICE, spread(1, 0), {"ways": MISSED, "grain": MISSED}),
        (BLANK, spread(1, 0), {"ways": RECOVERED}),
        (BLANK, spread(2, 256), {"ways": ALARM}),
    ],
)
def test_interleaving_is_right_wrong_missed_or_a_false_alarm(
    device: Device, seen: Interleave, verdict: dict[str, str]
) -> None:
    assert {one.parameter: one.verdict for one in score.of_interleaving(device, seen)} == verdict


def moving(writes: float, unit: int | None) -> Migrations:
    return Migrations(Period(writes, writes, writes, 52e-6, 50e-6, 54e-6, 40, 1e-3, 1e-9), unit, None, (), "")


def test_a_migration_moves_more_than_the_grain_of_a_memory() -> None:
    found = {one.parameter: one for one in score.of_migration(DEVICE, moving(10_400, 64 * KiB))}
    assert {one.verdict for one in found.values()} == {RECOVERED}
    assert found["moved unit"].truth == 64 * KiB
    assert {one.verdict for one in score.of_migration(DEVICE, moving(10_600, 8 * KiB))} == {WRONG, RECOVERED}


def test_no_migration_is_an_answer_and_another_one_a_false_alarm() -> None:
    nothing = Migrations(None, None, None, (), "no stalls in step")
    assert [one.verdict for one in score.of_migration(BLANK, nothing)] == [RECOVERED]
    assert [one.verdict for one in score.of_migration(BLANK, moving(10_000, 4 * KiB))] == [ALARM]
    assert {one.verdict for one in score.of_migration(DEVICE, nothing)} == {MISSED}


@pytest.mark.parametrize(("entries", "writes"), [(0, 4.0), (1, 4.0), (2, 2.0), (3, 4 / 3), (4, 1.0), (128, 1.0)])
def test_a_short_queue_writes_a_chunk_in_parts(entries: int, writes: float) -> None:
    device = replace(BLANK, entries=entries)
    assert score.writes_of_chunk(device) == pytest.approx(writes)
    merging = replace(DEVICE, entries=entries)
    assert score.writes_of_chunk(merging) == pytest.approx(2 / 3 if entries == 3 else 1.0)


def joining(entries: float) -> Combining:
    unit = 256 if entries else 0
    return Combining(entries, entries, entries, unit, unit, unit, 3e-7, 2e-8, 0.01, 99.0, NOTHING)


@pytest.mark.parametrize(
    ("built", "found", "verdict"),
    [
        (52, 53.9, [RECOVERED, RECOVERED]), (52, 55.0, [WRONG, RECOVERED]), (52, 0.0, [MISSED, MISSED]),
        (1, 0.0, [RECOVERED]), (0, 8.0, [ALARM]),
    ],
)  # fmt: skip
def test_queues_may_be_off_by_two_lines(built: int, found: float, verdict: list[str]) -> None:
    device = replace(BLANK, entries=built)
    assert [one.verdict for one in score.of_combining(device, joining(found))] == verdict


@pytest.mark.parametrize(("stall_s", "verdict"), [(60e-6, RECOVERED), (50e-6, RECOVERED), (40e-6, WRONG)])
def test_a_stall_that_may_be_partly_hidden_is_a_lower_bound(stall_s: float, verdict: str) -> None:
    built = replace(DEVICE, migration=Migration(10_000, 64 * KiB, stall_s, 0.1))
    found = {one.parameter: one for one in score.of_migration(built, moving(10_000, 64 * KiB), at_least=True)}
    assert (found["stall"].verdict, found["stall"].bound) == (verdict, True)
    assert [one.bound for name, one in found.items() if name != "stall"] == [False, False]


def row(
    number: int, verdict: str, truth: float | None = 24 * KiB, *, sure: bool = True, bound: bool = False
) -> ClosedLoopRow:
    return ClosedLoopRow(
        device=number, prober="buffers", parameter="capacity", level=1, measure="B", truth=truth, found=16 * KiB,
        low=15e3, high=17e3, bound=bound, verdict=verdict, sure=sure, noise=0.0, repeat=f"tierscope run {number}",
        origin="simulated",
    )  # fmt: skip


def test_shares_are_reported_and_every_failure_with_the_command_that_repeats_it() -> None:
    told = findings.sentences([row(0, RECOVERED), row(1, RECOVERED), row(2, WRONG), row(3, ALARM, None)])
    every = "2 of 4 parameters of simulated memories recovered (1 wrong, 1 false alarm)"
    assert (told[0].text, told[0].value) == (every, 0.5)
    assert (told[1].text, told[1].value) == ("2 conclusive answers are wrong, on 2 of 4 devices", 2.0)
    assert told[2].text == "`buffers` is right on 2 of 4 devices, false on 2 and inconclusive on 0"
    assert (told[3].text, told[3].value) == ("2 of 4 capacities recovered (1 wrong, 1 false alarm)", 0.5)
    assert [one.text for one in told[4:]] == [
        "Device 2: capacity of buffer 1 is 24 KiB, found 16 KiB: wrong; tierscope run 2",
        "Device 3: capacity of buffer 1 is none, found 16 KiB: false alarm; tierscope run 3",
    ]


def test_only_conclusive_answers_are_false() -> None:
    told = findings.sentences([row(0, WRONG, sure=False), row(0, ALARM, None), row(1, MISSED, sure=False)])
    assert told[1].text == "1 conclusive answer is wrong, on 1 of 2 devices"
    assert findings.sentences([row(1, MISSED)])[1].text == "1 conclusive answer is wrong, on 1 of 1 device"
    assert (
        findings.sentences([row(0, WRONG, sure=False)])[1].text == "No conclusive answers are wrong, on 0 of 1 device"
    )


@pytest.mark.parametrize(
    ("rows", "verdict"),
    [
        ([row(0, RECOVERED), row(0, RANGE)], findings.RIGHT),
        ([row(0, RECOVERED), row(0, WRONG)], findings.FALSE),
        ([row(0, RECOVERED), row(0, MISSED, sure=False)], findings.INCONCLUSIVE),
        ([row(0, RECOVERED, sure=False)], findings.INCONCLUSIVE),
        ([row(0, RECOVERED, sure=False), row(0, ALARM, None)], findings.FALSE),
    ],
)
def test_a_device_is_right_only_if_all_answers_are_conclusive_and_true(rows: list[ClosedLoopRow], verdict: str) -> None:
    assert findings.verdict_of(rows) == verdict


def test_right_devices_with_a_lower_bound_are_counted() -> None:
    rows = [row(0, RECOVERED, bound=True), row(1, RECOVERED), row(2, WRONG, bound=True), row(3, RANGE, sure=False)]
    (one,) = findings.devices(rows)
    assert (one.total, one.right, one.bounds, one.false, one.inconclusive) == (4, 2, 1, 1, 1)
    text = "`buffers` is right on 2 of 4 devices (1 with a lower bound), false on 1 and inconclusive on 1"
    assert findings.sentences(rows)[2].text == text


@pytest.mark.parametrize(
    ("media", "entries", "writes"),
    [(64, 0, 4.0), (64, 52, 4.0), (128, 1, 4.0), (128, 3, 2.0), (512, 1, 4.0), (512, 52, 1.0), (2048, 52, 1.0)],
)
def test_other_units_of_the_medium_count_other_writes(media: int, entries: int, writes: float) -> None:
    device = replace(BLANK, entries=entries, media_bytes=media)
    assert score.writes_of_chunk(device) == pytest.approx(writes)


@pytest.mark.parametrize(
    ("media", "moved", "merged", "stalls"),
    [(256, 256, False, True), (64, 128, False, False), (512, 4096, False, True), (512, 4096, True, False)],
)
def test_a_chunk_moves_a_unit_only_if_it_has_most_of_the_writes(
    media: int, moved: int, merged: bool, stalls: bool
) -> None:
    buffers = (Buffer(16 * KiB, media, 1e-7),) if merged else ()
    built = Migration(20_000, moved, 50e-6, 0.0)
    device = replace(BLANK, buffers=buffers, media_bytes=media, entries=52, migration=built)
    assert score.stalls_at_a_chunk(device) is stalls
    nothing = Migrations(None, None, None, (), "no stalls in step")
    assert next(one.verdict for one in score.of_migration(device, nothing)) == (MISSED if stalls else RECOVERED)


def test_the_unit_that_joins_is_that_of_the_medium() -> None:
    device = replace(BLANK, entries=52, media_bytes=512)
    assert [(one.truth, one.verdict) for one in score.of_combining(device, joining(52))] == [
        (52, RECOVERED), (512, WRONG),
    ]  # fmt: skip
    assert [one.verdict for one in score.of_combining(replace(device, media_bytes=64), joining(0))] == [RECOVERED]


def strides(ways: int, grain: int, threads: int = 24) -> list[Stride]:
    """Rates of this number of memories; half of the threads saturate the control too."""
    powers = [128 << step for step in range(16)]
    sizes = [*powers, *(odd * power for odd in (3, 5) for power in powers)]
    alone = [Stride(size, False, threads, rate(share(size, ways, grain))) for size in sizes]
    controls = [Stride(power + 64, True, threads, rate(1.0)) for power in powers]
    return [*alone, *controls, Stride(powers[-1] + 64, True, threads // 2, rate(1.0))]


def rate(part: float) -> Interval:
    return Interval(0.99e8 * part, 1e8 * part, 1.01e8 * part, 40)


def test_the_suite_learns_of_interleaving_from_rates() -> None:
    found, none = spread_of(strides(6, 4 * KiB)), spread_of(strides(1, 4 * KiB))
    assert found is not None
    assert (found.interleave.ways, found.interleave.grain_bytes) == (6, 4 * KiB)
    assert none is not None
    assert none.interleave.ways == 1
    assert spread_of(strides(6, 4 * KiB)[:7]) is None
    assert spread_of([one for one in strides(6, 4 * KiB) if not one.control]) is None


def test_no_answer_at_all_is_missed_even_where_there_is_nothing() -> None:
    assert score.unanswered("ways", "1", 1).verdict == MISSED
    assert not score.unanswered("ways", "1", 1).sure


@pytest.mark.parametrize(
    ("scores", "false"),
    [
        (score.of_buffers(DEVICE, levels(400e-9, RIGHT[1])), ["buffers"]),
        (score.of_interleaving(DEVICE, spread(1, 0)), ["ways"]),
        (score.of_migration(DEVICE, Migrations(None, None, None, (), "no stalls in step")), ["period"]),
        (score.of_migration(DEVICE, moving(10_400, None)), []),
        (score.of_combining(replace(BLANK, entries=52), joining(0)), ["entries"]),
    ],
)
def test_an_answer_of_nothing_is_false_once_and_not_in_its_parts(scores: Iterator[Score], false: list[str]) -> None:
    assert [one.parameter for one in scores if one.false] == false


@pytest.mark.parametrize("conclusive", [True, False])
def test_an_answer_is_as_sure_as_the_row_of_its_prober(conclusive: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = ("medium", "interleaving", "migration", "combining")
    rows = [SimpleNamespace(part=part, conclusive=conclusive) for part in parts]
    seen = SimpleNamespace(
        levels=levels(400e-9, level(4 * KiB, 256, 1e-7), level(4 * MiB, 4 * KiB, 3e-7)),
        interleave=spread(1, 0), migration=moving(10_400, 64 * KiB),
        combining=joining(52), hidden=False, divided=False, saturated=True, strides=[], controls=[], regions=[],
    )  # fmt: skip
    monkeypatch.setattr(table, "_own_rows", lambda *_: rows)
    monkeypatch.setattr(table, "records", lambda *_: [])
    for module in (table.buffers_found, table.policy_found):
        monkeypatch.setattr(module, "found", lambda *_: {"": seen})
    machine = SimpleNamespace(line_bytes=lambda: 64)
    view: Any = SimpleNamespace(result=SimpleNamespace(machine=machine))
    alone = replace(DEVICE, ways=1)
    every = [one for prober in ("buffers", "policy") for one in table._scores(prober, alone, view)]
    assert {"medium", "ways", "period", "entries"} <= {one.parameter for one in every}
    assert {one.sure for one in every} == {conclusive}
