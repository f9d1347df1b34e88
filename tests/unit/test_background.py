"""The activity of others during a visit: their CPUs, the probe of the memory, and the doubted visits."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import msgspec
import numpy as np
import pytest

from lab import Lab, group, lab_in, plan_of, point
from made_machine import made_machine
from tierscope.errors import MachineError
from tierscope.host.others import Mark, Others, cpus_between
from tierscope.host.system import System
from tierscope.record.background import Background, Quiet
from tierscope.record.experiment import Group
from tierscope.record.machine import Cache, Cpu
from tierscope.record.result import BLOCK, PREEMPTED, Blocks, Clock, GroupFacts, load
from tierscope.run import runner
from tierscope.run.background import FRESH_S, PAUSE_S, SHORT_S, TEACHES_S, WARM_S, Watch
from tierscope.run.measurer import Measurer
from tierscope.run.quiet import MOST, Quiets, quiet_file
from tierscope.stats.background import BUSY, ENOUGH, MORE, busy, doubt, shares_memory, slowed
from tierscope.stats.median import Interval
from tierscope.tables.measured import judged
from tierscope.units import LINE_BYTES, KiB, MiB

QUIET = Quiet(
    latency_s=100e-9, bytes_per_s=20e9, count=ENOUGH, middle_latency_s=95e-9, middle_bytes_per_s=20.8e9
)  # fmt: skip
HZ = 1e9
TICKS = 100


class Clock2:
    """Time that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def proc(root: Path, busy_ticks: int, own: int, children: dict[str, int]) -> System:
    """A tree of /proc: all CPUs together, this process, and its children with what they used."""
    task = root / "proc/self/task/1"
    task.mkdir(parents=True, exist_ok=True)
    (root / "proc/stat").write_text(f"cpu  {busy_ticks} 0 0 50000 0 0 0 0 0 0\n")
    (task / "children").write_text(" ".join(children))
    rest = "0 0 0 0 0 0 0 0 0 0"
    (root / "proc/self/stat").write_text(f"1 (python (x) y) S {rest} {own} 0 0 0 20 0\n")
    for pid, ticks in children.items():
        (root / f"proc/{pid}/task/{pid}").mkdir(parents=True, exist_ok=True)
        (root / f"proc/{pid}/stat").write_text(f"{pid} (core) R {rest} {ticks} 0 0 0 20 0\n")
    return System(root)


def mark(system: System, moment: float) -> Mark:
    others = Others(system, lambda: moment)
    others._ticks = TICKS
    found = others.mark()
    assert found
    return found


def test_time_of_this_process_and_its_children_is_not_that_of_others(tmp_path: Path) -> None:
    first = mark(proc(tmp_path, 1000, 100, {"7": 50}), 0.0)
    only_own = mark(proc(tmp_path, 1000 + 260, 100 + 60, {"7": 50 + 200}), 2.0)
    assert cpus_between(first, only_own) == 0.0
    beside = mark(proc(tmp_path, 1260 + 460, 160 + 60, {"7": 250 + 200}), 4.0)
    assert cpus_between(only_own, beside) == pytest.approx(1.0)


def test_a_child_of_a_child_is_counted_and_stolen_time_is_nobodys(tmp_path: Path) -> None:
    system = proc(tmp_path, 1000, 100, {"7": 50, "9": 30})
    (tmp_path / "proc/self/task/1/children").write_text("7")
    (tmp_path / "proc/7/task/7/children").write_text("9")
    assert mark(system, 0.0).used_s == pytest.approx((1000 - 180) / TICKS)
    (tmp_path / "proc/stat").write_text("cpu  1000 0 0 50000 0 0 0 500 0 0\n")
    assert mark(system, 0.0).used_s == pytest.approx((1000 - 180) / TICKS)


def test_a_system_without_the_fact_is_unknown(tmp_path: Path) -> None:
    assert Others(System(tmp_path)).mark() is None
    assert doubt(Background(cpus=None), 2) == ""


def test_this_system_counts_a_busy_child_as_own() -> None:
    others = Others(System())
    first = others.mark()
    if first is None:
        pytest.skip("this system has no /proc with children")
    second = others.mark()
    assert second
    assert second.moment_s >= first.moment_s


def seen(cpus: float | None, latency: float = 1.0, rate: float = 1.0, quiet: Quiet | None = QUIET) -> Background:
    """latency, rate: over those of quiet times."""
    return Background(
        cpus=cpus, latency_s=latency * QUIET.latency_s, bytes_per_s=rate * QUIET.bytes_per_s, quiet=quiet
    )  # fmt: skip


def test_memory_that_is_slower_than_in_quiet_times_is_used_by_others() -> None:
    assert doubt(seen(0.0), 2) == ""
    assert doubt(seen(1.0, latency=MORE * 0.99), 2) == ""
    assert "latency was 30%" in doubt(seen(1.0, latency=1.3), 2).replace("30 %", "30%")
    assert "latency" in doubt(seen(0.0, latency=1.3), 2)  # other virtual machines use no CPU of this one
    assert "less than in quiet times" in doubt(seen(1.0, rate=0.7), 2)


def test_other_programs_and_memory_of_unknown_speed_raise_a_doubt() -> None:
    for quiet in (None, msgspec.structs.replace(QUIET, count=ENOUGH - 1)):
        assert "not known" in doubt(seen(1.0, quiet=quiet), 2)
        assert doubt(seen(BUSY / 2, quiet=quiet), 2) == ""
    assert "not known" in doubt(Background(cpus=1.0, quiet=QUIET), 2)  # nothing was probed


def test_programs_that_are_not_doubted_may_slow_a_visit_by_as_much_as_the_probe() -> None:
    assert slowed(seen(1.0, latency=1.05), 2) == pytest.approx(math.log(1.05 * 100 / 95))
    assert slowed(seen(1.0, rate=0.93), 2) == pytest.approx(math.log(20.8 / 20 / 0.93))
    assert slowed(seen(1.0, latency=0.9, rate=1.1), 2) == 0.0
    assert slowed(Background(cpus=1.0, bytes_per_s=16e9, quiet=QUIET), 2) == pytest.approx(math.log(1.3))


def test_nothing_slows_a_visit_while_others_rest_or_before_quiet_times_are_known() -> None:
    few, older = (
        msgspec.structs.replace(QUIET, **change)
        for change in ({"count": ENOUGH - 1}, {"middle_latency_s": None, "middle_bytes_per_s": None})
    )
    for background in (None, seen(None, latency=1.05), seen(BUSY / 2, latency=1.05)):
        assert slowed(background, 2) == 0.0
    for quiet in (None, few, older):
        assert slowed(seen(1.0, latency=1.05, quiet=quiet), 2) == 0.0


def test_on_a_large_machine_more_cpus_of_others_are_nothing() -> None:
    assert busy(2) == BUSY
    assert doubt(seen(1.0, quiet=None), 256) == ""
    assert "not known" in doubt(seen(8.0, quiet=None), 256)


def test_a_run_that_nobody_watched_has_no_doubt() -> None:
    assert doubt(None, 2) == ""


def facts(footprint: int, operation: str = "line", cpus: tuple[int, ...] = (0,)) -> GroupFacts:
    class Made:
        pass

    made = Made()
    made.__dict__ = {"footprint_bytes": footprint, "operation": operation, "cpus": cpus}
    return cast("GroupFacts", made)


def test_a_point_in_the_caches_of_its_own_core_meets_nobody() -> None:
    cpus = [Cpu(number=n, core=n // 2, package=0, node=0, allowed=True) for n in range(4)]
    caches = [
        Cache(level=level, kind="Unified", size_bytes=size, cpus=of, ways=8, line_bytes=64)
        for level, size, of in ((2, MiB, (0, 1)), (3, 32 * MiB, (0, 1, 2, 3)))
    ]
    for size, shares in ((512 * KiB, False), (MiB, False), (2 * MiB, True), (64 * MiB, True), (0, True)):
        assert shares_memory(facts(size), caches, cpus) is shares
    assert not shares_memory(facts(2 * MiB, cpus=(0, 2)), caches, cpus)  # 1 MiB each
    assert not shares_memory(facts(64, "handover"), [], cpus)
    assert shares_memory(facts(64 * KiB), [], cpus)  # caches that the system does not report


class Memory:
    """A core that only probes. `slower`: than quiet, latency and bandwidth alike."""

    clock = Clock(source="tsc", hz=HZ, resolution_s=1e-9, read_cost_s=2e-8)

    def __init__(self) -> None:
        self.slower, self.flags, self.probes, self.closed, self.refuses = 1.0, 0, 0, 0, False
        self.turns_s, self.cold = 0.0, 1.0  # from one interruption to the next; how many times longer reads then take

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        if self.refuses:
            raise MachineError("no memory")
        return ()

    def measure(self, seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        self.probes += groups == (0,)
        blocks = np.zeros(round(seconds / block_s), dtype=BLOCK)
        number = np.arange(len(blocks))
        blocks["start_ticks"], blocks["stop_ticks"] = number * block_s * HZ, (number + 1) * block_s * HZ
        rate = 1 / 100e-9 if groups == (0,) else 20e9 / 64
        turn = round(self.turns_s / block_s) or len(blocks)
        blocks["flags"] = np.where((number % turn == 0) & (self.turns_s > 0), PREEMPTED, self.flags)
        cold = np.where((number % turn < round(WARM_S / block_s)) & (groups == (0,)), self.cold, 1.0)
        blocks["operations"] = block_s * rate / self.slower / cold
        return blocks

    def close(self) -> None:
        self.closed += 1


class Told(Others):
    """Others that a test lets use CPUs."""

    def __init__(self, clock: Clock2) -> None:
        self.cpus, self._made = 0.0, clock
        self._used = self._then = 0.0

    def mark(self) -> Mark | None:
        self._used += self.cpus * (self._made.now - self._then)
        self._then = self._made.now
        return Mark(self._made.now, self._used)


class Scene:
    """A watch over a memory and others that a test rules."""

    def __init__(self, path: Path | None = None, quiets: Quiets | None = None) -> None:
        self.clock, self.memory = Clock2(), Memory()
        self.others, self.quiets = Told(self.clock), quiets or Quiets(path)
        self.watch = Watch(made_machine(2), self.others, lambda: cast("Measurer", self.memory), self.quiets, self.clock)
        self.watch.expect(100.0)

    def visit(self, seconds: float = 0.3) -> Background:
        self.watch.before(point())
        self.clock.now += seconds
        return self.watch.after(point())


def test_the_memory_is_probed_each_second_while_others_rest_and_around_each_visit_while_they_do_not() -> None:
    scene = Scene(quiets=quiet_times())
    found = [scene.visit(0.3) for _ in range(10)]
    assert scene.memory.probes == 1 + int(3.0 // (PAUSE_S + 0.2))
    assert found[-1].cpus == pytest.approx(0.0)
    assert found[-1].latency_s == pytest.approx(100e-9, rel=0.01)
    scene.others.cpus = 1.0
    scene.visit(1.0)
    before = scene.memory.probes
    scene.visit()  # the probe after one visit is that before the next
    assert scene.memory.probes == before + 1
    scene.clock.now += 2 * FRESH_S
    scene.visit()
    assert scene.memory.probes == before + 3


def test_quiet_times_teach_what_the_memory_gives_and_busy_ones_do_not() -> None:
    scene = Scene()
    for _ in range(ENOUGH + 2):
        found = scene.visit(1.0)
    assert found.quiet
    assert found.quiet.latency_s == pytest.approx(100e-9, rel=0.01)
    known = found.quiet.count
    scene.others.cpus, scene.memory.slower = 1.0, 1.5
    for _ in range(5):
        found = scene.visit(1.0)
    assert found.quiet
    assert found.quiet.count == known
    assert found.cpus == pytest.approx(1.0)
    assert "latency was" in doubt(found, 2)


def test_a_program_that_only_computes_raises_no_doubt_if_quiet_times_are_known() -> None:
    scene = Scene()
    for _ in range(ENOUGH + 2):
        scene.visit(1.0)
    scene.others.cpus = 1.0
    for _ in range(3):
        found = scene.visit(1.0)
    assert found.cpus == pytest.approx(1.0)
    assert doubt(found, 2) == ""


@pytest.mark.parametrize("turns_s", [0.0, 0.006, 0.009])
def test_reads_that_are_slow_after_an_interruption_show_no_others(turns_s: float) -> None:
    """Most undisturbed blocks of these turns are cold, and their median is 30 % too slow."""
    scene = Scene(quiets=quiet_times())
    scene.memory.turns_s, scene.memory.cold, scene.others.cpus = turns_s, 1.3, 1.0
    scene.visit(1.0)
    found = scene.visit(1.0)
    assert found.latency_s == pytest.approx(100e-9, rel=0.01)
    assert doubt(found, 2) == ""
    scene.memory.slower = 1.3
    scene.visit(1.0)
    assert scene.visit(1.0).latency_s == pytest.approx(130e-9, rel=0.01)


def test_reads_in_order_show_programs_that_rest_while_the_probe_is_warm() -> None:
    """A program on the CPU of the probe wakes others that use the memory for some milliseconds."""
    scene = Scene(quiets=quiet_times())
    scene.others.cpus = 1.0
    measured = scene.memory.measure

    def in_pulses(seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        blocks = measured(seconds, block_s, groups)
        number = np.arange(len(blocks)) % 20
        blocks["flags"] = np.where(number == 0, PREEMPTED, 0)
        blocks["operations"] = blocks["operations"] / np.where(number < 12, 1.3, 1.0)
        return blocks

    scene.memory.measure = in_pulses  # type: ignore[method-assign]
    scene.visit(1.0)
    found = scene.visit(1.0)
    assert found.latency_s == pytest.approx(100e-9, rel=0.01)
    assert "one CPU got 20% less" in doubt(found, 2)


def test_a_probe_that_fails_leaves_no_older_one_to_certify_a_visit() -> None:
    scene = Scene(quiets=quiet_times())
    scene.visit(1.0)
    scene.others.cpus = 1.0
    scene.memory.flags = PREEMPTED
    scene.visit(1.0)
    found = scene.visit(1.0)
    assert found.latency_s is None
    assert "not known" in doubt(found, 2)


def test_where_no_block_is_warm_all_undisturbed_ones_count() -> None:
    scene = Scene(quiets=quiet_times())
    scene.memory.turns_s, scene.memory.cold, scene.others.cpus = WARM_S * 0.75, 1.3, 1.0
    scene.visit(1.0)
    assert scene.visit(1.0).latency_s == pytest.approx(130e-9, rel=0.01)


def test_a_probe_that_was_interrupted_shows_nothing() -> None:
    scene = Scene()
    scene.memory.flags = PREEMPTED
    found = scene.visit()
    assert (found.latency_s, found.quiet) == (None, None)


def quiet_times() -> Quiets:
    """Return those of the made memory, as an earlier run found them."""
    quiets = Quiets(None)
    for _ in range(ENOUGH):
        quiets.add(0, 100e-9, LINE_BYTES * 300e6)
    return quiets


def test_a_short_run_is_probed_only_while_others_run() -> None:
    scene = Scene()
    scene.watch.expect(TEACHES_S / 2)
    scene.visit(TEACHES_S / 4)
    scene.visit(TEACHES_S / 4)
    assert scene.memory.probes == 0
    scene.others.cpus = 1.0
    scene.visit(1.0)
    assert scene.memory.probes == 1


def test_a_run_of_seconds_teaches_what_quiet_times_are_and_later_ones_use_it() -> None:
    scene = Scene()
    scene.watch.expect(SHORT_S / 2)
    for _ in range(ENOUGH + 4):
        scene.visit(0.2)
    assert ENOUGH <= scene.memory.probes < ENOUGH + 4
    scene.others.cpus = 1.0
    scene.visit(2.0)
    assert doubt(scene.visit(2.0), 2) == ""


def test_a_machine_that_never_rests_is_not_probed_before_every_visit() -> None:
    scene = Scene()
    scene.others.cpus = 0.1
    for _ in range(40):
        scene.visit(0.2)
    assert scene.memory.probes <= 1 + 40 * 0.2 / PAUSE_S


def test_a_run_that_lasts_longer_than_expected_is_probed() -> None:
    scene = Scene(quiets=quiet_times())
    scene.watch.expect(SHORT_S / 2)
    found = [scene.visit(1.0).latency_s for _ in range(int(SHORT_S) + 3)]
    assert found[: int(SHORT_S) - 1] == [None] * (int(SHORT_S) - 1)
    assert found[-1] == pytest.approx(100e-9, rel=0.01)


def test_a_core_that_cannot_probe_is_ended_and_asked_once() -> None:
    scene = Scene()
    scene.memory.refuses = True
    for _ in range(3):
        assert scene.visit(2.0).latency_s is None
    assert scene.memory.closed == 1


def test_the_next_run_knows_the_quiet_times_of_this_one(tmp_path: Path) -> None:
    path = tmp_path / "quiet" / "machine.json"
    scene = Scene(path)
    for _ in range(ENOUGH + 2):
        scene.visit(1.0)
    scene.watch.close()
    assert scene.memory.closed == 1
    again = Quiets(path).of(0)
    assert again == scene.quiets.of(0)
    assert again.middle_latency_s == pytest.approx(100e-9, rel=0.01)
    assert again.middle_bytes_per_s == pytest.approx(20e9, rel=0.01)
    many = Quiets(path)
    for _ in range(2 * MOST):
        many.add(0, 50e-9, 30e9)
    assert cast("Quiet", many.of(0)).count == MOST


@pytest.mark.parametrize(
    "text",
    ["", "[]", '{"0":[{"latency_s":-1,"bytes_per_s":1}]}', '{"0":[{"latency_s":1e-7,"bytes_per_s":1e400}]}', "{"],
)
def test_a_damaged_file_of_quiet_times_is_ignored(tmp_path: Path, text: str) -> None:
    path = tmp_path / "machine.json"
    path.write_text(text)
    assert Quiets(path).of(0) is None


def test_a_folder_that_cannot_be_written_stops_no_run(tmp_path: Path) -> None:
    (tmp_path / "quiet").write_text("a file where a folder should be")
    quiets = Quiets(tmp_path / "quiet" / "machine.json")
    quiets.add(0, 1e-7, 2e10)
    quiets.save()
    assert (tmp_path / "quiet").read_text().startswith("a file")


def test_the_file_is_in_the_users_cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert quiet_file("abc") == tmp_path / "tierscope/warm/abc.json"


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    return lab_in(tmp_path, monkeypatch)


class Always(Watch):
    """The same background during all visits but some."""

    def __init__(self, background: Background, but: tuple[int, ...] = ()) -> None:
        self._background, self._but, self._visits, self.ended = background, but, 0, 0

    def expect(self, seconds: float) -> None:
        pass

    def before(self, experiment: object) -> None:
        pass

    def after(self, experiment: object) -> Background:
        self._visits += 1
        return Background(cpus=0.0) if self._visits in self._but else self._background

    def close(self) -> None:
        self.ended += 1


def run_with(
    lab: Lab, watch: Watch, monkeypatch: pytest.MonkeyPatch, visits: int
) -> list[tuple[bool, tuple[str, ...]]]:
    made = runner.Runner
    monkeypatch.setattr("lab.Runner", lambda *words: made(*words, watch=watch))
    kernels = ("copy", "scale", "add", "triad", "update")
    lab(plan_of(*(point(group(one), minimum_s=0.2, budget_s=1.0, visits=visits) for one in kernels)))
    run = load(lab.directory)
    found = [judged(run, record) for record in run.result.records]
    return [(one.conclusive, one.reasons) for one in found]


@pytest.mark.parametrize("visits", [0, 3])
def test_points_measured_while_programs_use_the_memory_are_inconclusive(
    lab: Lab, monkeypatch: pytest.MonkeyPatch, visits: int
) -> None:
    watch = Always(seen(1.0, latency=1.4))
    for conclusive, reasons in run_with(lab, watch, monkeypatch, visits):
        assert not conclusive
        assert any("others use the memory" in reason for reason in reasons)
    assert watch.ended == 1


def test_a_visit_with_other_programs_is_left_out_of_the_number(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first visit of each of the five points."""
    every = run_with(lab, Always(Background(cpus=0.0)), monkeypatch, 3)
    assert all(conclusive for conclusive, _ in every)


def intervals(path: Path, monkeypatch: pytest.MonkeyPatch, watch: Watch) -> list[Interval]:
    path.mkdir()
    lab = lab_in(path, monkeypatch)
    run_with(lab, watch, monkeypatch, 3)
    run = load(lab.directory)
    return [judged(run, record).points[0].groups[0].interval for record in run.result.records]


def test_an_interval_contains_what_a_program_below_the_doubt_may_take(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slower = 1.05
    quiet = intervals(tmp_path / "quiet", monkeypatch, Always(Background(cpus=0.0)))
    next_to_one = intervals(tmp_path / "next", monkeypatch, Always(seen(1.0, latency=slower)))
    for one, two in zip(quiet, next_to_one, strict=True):
        assert (two.low, two.middle) == pytest.approx((one.low, one.middle), rel=0.002)
        assert two.high == pytest.approx(one.high * slower * 100 / 95, rel=0.002)


def test_a_program_during_one_visit_of_three_raises_the_end_by_what_it_changes_of_their_median(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    quiet = intervals(tmp_path / "quiet", monkeypatch, Always(Background(cpus=0.0)))
    watch = Always(seen(1.0, latency=1.05), but=tuple(range(6, 40)))
    one_tour = intervals(tmp_path / "next", monkeypatch, watch)
    for one, two in zip(quiet, one_tour, strict=True):
        assert one.high <= two.high < one.high * 1.02


def test_two_quiet_visits_of_three_are_enough(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    watch = Always(seen(1.0, latency=1.4), but=tuple(range(6, 40)))  # the first tour is disturbed
    found = run_with(lab, watch, monkeypatch, 3)
    assert [conclusive for conclusive, _ in found] == [True] * 5
    run = load(lab.directory)
    for record in run.result.records:
        point_seen = judged(run, record).points[0].seen
        assert point_seen
        assert point_seen.visits == 2
