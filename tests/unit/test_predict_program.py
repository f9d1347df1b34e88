"""A program's time on a tier: the anchor, its bounds, and when the answer is not known."""

import io
import math
import subprocess
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from rich.console import Console

from tierscope.errors import MachineError, UsageError
from tierscope.predict.program import native, printed
from tierscope.predict.program.anchor import Anchor, anchor
from tierscope.predict.program.answer import Answer, answer, paired_deviation, reaching
from tierscope.predict.program.cold import doubt, explained, extremes
from tierscope.predict.program.found import Found
from tierscope.predict.program.native import Native
from tierscope.predict.program.text import line, show
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

CORES = 13  # the own one first
PARTS = ((0, 1_000_000, 0.5), (1_000_000, 1_000_000, 0.5))


def of(seconds: float, **more: object) -> Traced:
    known = {"machine": "sim:m", "instructions": 2_000_000, "loads": 1, "stores": 1, "counters": {}, "ended": 0}
    return Traced(**known | {"seconds": seconds} | more)  # type: ignore[arg-type]


def here(user: float = 1.0, wall: float = 1.0, noise: float = 0.0) -> Native:
    return Native(Interval(wall, wall, wall, 5), Interval(user - noise, user, user + noise, 5), wall - user, 5)


def told(old: float, new: float, ran: Native | None = None) -> Answer:
    made = anchor(ran or here(), [of(old)] * CORES)
    return answer("far", made, [of(new)] * CORES, of(new), of(old / 2), of(new * 0.9))


@pytest.mark.parametrize("place", range(4))
def test_counts_alone_predict_nothing(place: int) -> None:
    made, there = anchor(here(), [of(1.0)]), [of(1.0)] * 4
    there[place] = replace_seconds(there[place])
    with pytest.raises(MachineError, match="did not time it"):
        answer("far", made, there[:1], *there[1:])


def replace_seconds(one: Traced) -> Traced:
    return msgspec.structs.replace(one, seconds=None)


def test_a_model_that_is_right_here_gives_its_own_ratio() -> None:
    found = told(1.0, 1.5)
    assert (found.ratio, found.low, found.high) == (1.5, 1.5, 1.5)
    assert found.seconds == 1.5
    assert found.latency_share == pytest.approx(1 - 0.5 / 1.5)
    assert found.bandwidth_share == 0
    assert found.large_pages_share == pytest.approx(0.1)


def test_the_bounds_contain_the_interval_of_the_latency_here() -> None:
    """The tier takes 2 s on every core; the model takes 1 s here, and 0.9 to 1.25 s at the ends of the latency."""
    cores, there = [of(1.0)] * CORES, [of(2.0)] * CORES
    found = answer("far", anchor(here(), cores, ends=[of(0.9), of(1.25)]), there, None, None, None)
    assert found.ratio == 2.0
    assert found.low == pytest.approx(2 / 1.25)
    assert found.high == pytest.approx(2 / 0.9)


def test_reaches_of_cores_and_of_the_latency_add_in_squares() -> None:
    times = [1.5, 1.9, 2.0, 2.1, 2.5, 1.8, 2.2]
    cores, there = [of(1.0)] * len(times), [of(time) for time in times]
    alone = answer("far", anchor(here(), cores), there, None, None, None)
    both = answer("far", anchor(here(), cores, ends=[of(0.8)]), there, None, None, None)
    assert alone.high is not None
    assert both.high is not None
    assert both.high - 1.5 == pytest.approx(math.hypot(alone.high - 1.5, 1.5 / 0.8 - 1.5))
    assert both.low == alone.low


def test_the_bounds_contain_reads_that_only_the_trace_has() -> None:
    """The memory takes 0.6 s here and 1.6 s on the tier; without a quarter of its reads, 0.45 s and 1.2 s."""
    cores, there = [of(1.0)] * CORES, [of(2.0)] * CORES
    found = answer("far", anchor(here(), cores, instant=of(0.4), doubt=(0.25, 0.0)), there, None, None, None)
    assert (found.ratio, found.high) == (2.0, 2.0)
    assert found.low == pytest.approx(1.6 / 0.85)


def test_the_bounds_contain_hits_that_only_the_trace_has() -> None:
    """With a quarter more reads, the memory takes 0.75 s here and 2 s on the tier."""
    cores, there = [of(1.0)] * CORES, [of(2.0)] * CORES
    found = answer("far", anchor(here(), cores, instant=of(0.4), doubt=(0.0, 0.25)), there, None, None, None)
    assert (found.ratio, found.low) == (2.0, 2.0)
    assert found.high == pytest.approx(2.4 / 1.15)


@pytest.mark.parametrize(
    ("counts", "shares"),
    [((0, 0, 0), (0, 0)), ((1000, 250, 100), (0.25, 0.1)), ((1000, 1100, 3000), (1, 3)), ((1000, 50, 0), (0.2, 0))],
)
def test_accesses_in_doubt_are_shares_of_the_reads(counts: tuple[float, ...], shares: tuple[float, float]) -> None:
    """Each of 1000 lines of the last cache is empty once, and the trace has 5000 reads."""
    counters = {f"L1.{name}": 9000 for name in ("loads", "load_misses", "stores", "store_misses")}
    counters |= {"dram.reads": 5000, "dram.writes": 700, "other.reads": 0, "other.writes": 0}
    assert doubt(of(1.0, in_doubt=counts, counters=counters), 1000) == shares
    assert doubt(of(1.0, in_doubt=counts), 1000) == (0, 0), "no read"


def test_a_model_without_waits_has_none_in_doubt() -> None:
    assert extremes(1.0, 1.5, (0.5, 2.0)) == (1.0, 1.0)
    assert explained((0.5, 2.0), 1.0, 1.5, (0.75, 1.25)) == (0.5, 2.0)


@pytest.mark.parametrize(
    ("shares", "here_s", "others", "limited"),
    [
        ((1.0, 3.0), (1.0, 1.0), 1.0, (0.5, 0.5)),
        ((0.2, 0.1), (1.0, 1.0), 1.0, (0.2, 0.1)),
        ((1.0, 3.0), (0.9, 1.1), 1.0, (0.65, 0.75)),
        ((1.0, 3.0), (0.7, 0.7), 1.0, (0.95, 0.0)),
        ((1.0, 3.0), (1.0, 1.0), 1.2, (0.75, 0.5)),
        ((1.0, 3.0), (1.0, 1.0), 0.8, (0.5, 1.125)),
    ],
)
def test_accesses_in_doubt_are_limited_by_the_time_here(
    shares: tuple[float, float], here_s: tuple[float, float], others: float, limited: tuple[float, float]
) -> None:
    """The memory takes 0.5 s of the model's 1 s. Shares with which each core differs by a quarter explain nothing."""
    low, high = here_s
    time = Interval(low, (low + high) / 2, high, 9)
    cores = [of(1.0), *[of(others)] * (CORES - 1)]
    made = anchor(Native(time, time, 0.0, 9), cores, instant=of(0.5), doubt=shares)
    assert made.doubt == pytest.approx(limited)


def test_a_bound_of_a_tier_that_is_slower_in_each_respect_is_not_below_one() -> None:
    assert reaching(1.2, [1.0, 1.3], [1.05]) == pytest.approx((1.0, 1.3))
    assert reaching(0.8, [1.0, 0.7], [0.95])[1] == 1.0
    assert reaching(1.2, [0.99, 1.3], [1.05])[0] < 0.99


def test_unexplained_time_is_taken_both_ways() -> None:
    found = told(0.8, 1.2)
    assert found.ratio == pytest.approx(1.5)  # it grows with the memory
    assert found.low == pytest.approx(1.4)  # it stays: 1 + (1.2 - 0.8) / 1
    assert found.high == pytest.approx(1.5)


def test_time_in_the_kernel_stays_and_grows_within_the_bounds() -> None:
    found = told(0.5, 1.0, here(user=0.5, wall=1.0))
    assert found.ratio == pytest.approx(1.5)
    assert found.high == pytest.approx(2.0)


def test_a_model_that_takes_too_long_here_is_also_read_both_ways() -> None:
    found = told(1.2, 2.4)
    assert (found.ratio, found.low) == pytest.approx((2.0, 2.0))  # what it takes too long shrinks with the memory
    assert found.high == pytest.approx(2.2)  # it stays: 1 + (2.4 - 1.2) / 1


def bounds(own: tuple[float, float], others: tuple[float, float], instant: float, noise: float = 0.0) -> Answer:
    """Return the answer for times here and on the tier, of the own core and of all others."""
    here_s, there_s = ([of(one), *[of(other)] * CORES] for one, other in zip(own, others, strict=True))
    return answer("far", anchor(here(noise=noise), here_s, instant=of(instant)), there_s, None, None, None)


def test_unexplained_time_may_all_wait_for_memory() -> None:
    """The own core waits 0.3 s of 0.8 s, and 0.7 s on the tier. If 0.5 s of 1 s wait here, 1.17 s do there."""
    found = bounds((0.8, 1.2), (0.8, 1.2), 0.5)
    assert found.ratio == pytest.approx(1.5)
    assert (found.low, found.high) == pytest.approx((1.4, 0.5 + 0.5 * 0.7 / 0.3))


def test_a_model_that_takes_too_long_may_wait_too_much() -> None:
    """The own core waits 0.3 s of 1.2 s, and 4x on the tier. Only 0.1 s may be left here, or none."""
    assert bounds((1.2, 2.1), (1.2, 2.1), 0.9).low == pytest.approx(0.9 + 0.1 * 4)
    assert bounds((1.2, 1.65), (1.2, 1.65), 1.05).low == pytest.approx(1.0)


def test_what_the_own_core_leaves_open_is_also_read_both_ways() -> None:
    """The other cores explain the time here."""
    found = bounds((0.8, 1.2), (1.0, 1.5), 0.5)
    assert (found.low, found.high) == pytest.approx((1.4, 0.5 + 0.5 * 0.7 / 0.3))


def test_the_ratio_is_known_no_better_than_the_time_here() -> None:
    """Both are of the time that was measured here; the model explains it."""
    found = bounds((1.0, 1.02), (1.0, 1.02), 0.9, noise=0.1)
    assert found.ratio == pytest.approx(1.02)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 1.02 * 0.9
    assert found.high >= 1.02 * 1.1


def test_bounds_contain_the_noise_of_the_runs() -> None:
    """Cores of 0.9x and 1.1x the time here: which of them counts more depends on the time that is taken."""
    own, times = of(1.0), [0.9, 1.1] * 6
    there = [of(1.5), *(of(time * ratio) for time, ratio in zip(times, [1.4, 1.6] * 6, strict=True))]

    def bounds(noise: float) -> tuple[float, float]:
        found = answer("far", anchor(here(noise=noise), [own, *map(of, times)]), there, None, None, None)
        assert found.low is not None
        assert found.high is not None
        return found.low, found.high

    exact, noisy = bounds(0.0), bounds(0.1)
    assert noisy[0] < exact[0]
    assert noisy[1] > exact[1]


def test_bounds_contain_one_more_core() -> None:
    there = [of(time) for time in (1.6, 1.5, 1.6, 1.7)]
    found = answer("far", anchor(here(), [of(1.0)] * 4), there, None, None, None)
    reach = 2.92 * 0.1 * (1 + 1 / 3) ** 0.5  # t with two degrees of freedom at 95 % on one side, for one more
    assert (found.low, found.high) == pytest.approx((1.6 - reach, 1.6 + reach), rel=0.002)


def test_the_reported_ratio_is_that_of_the_own_core_and_within_the_bounds() -> None:
    found = answer("far", anchor(here(), [of(1.0)] * 4), [of(1.9), *[of(1.5)] * 3], None, None, None)
    assert (found.ratio, found.low, found.high) == pytest.approx((1.9, 1.5, 1.9))


def test_cores_that_do_not_explain_the_time_here_hardly_widen_the_bounds() -> None:
    times, there = [1.0] * 6 + [2.0] * 6, [1.5] * 6 + [9.0] * 6
    made = anchor(here(), [of(1.0), *map(of, times)])
    found = answer("far", made, [of(1.5), *map(of, there)], None, None, None)
    assert (found.low, found.high) == pytest.approx((1.5, 1.5), abs=0.05)


def test_sampling_of_the_other_cores_widens_the_bounds() -> None:
    uneven = ((0, 1_000_000, 1.0), (1_000_000, 1_000_000, 1.2))
    made = anchor(here(), [of(1.0, parts=PARTS)] * CORES)
    found = answer("far", made, [of(2.2, parts=uneven)] * CORES, None, None, None)
    assert found.high is not None
    assert found.high - 2.2 == pytest.approx(1.796 * (0.2 / 2**0.5) * (1 + 1 / 12) ** 0.5, rel=0.002)


@pytest.mark.parametrize(
    ("others", "count"),
    [([], "0.0 of 0"), ([1.0, 1.0], "2.0 of 2"), ([1.0, 0.0, 1.0], "2.0 of 3"), ([1.0, 1.0, 2.5, 2.5], "2.0 of 4")],
)
def test_too_few_cores_that_explain_the_time_here_give_no_answer(others: list[float], count: str) -> None:
    cores = [of(time) for time in (1.0, *others)]
    found = answer("far", anchor(here(), cores), [of(1.5)] * len(cores), None, None, None)
    assert (found.ratio, found.low, found.high) == (None, None, None)
    assert line(found).startswith(f"not known, because only {count} cores that this machine may have explain the time")


def test_one_more_core_changes_nothing_of_the_time_in_the_kernel() -> None:
    cores, there = [of(0.5)] * 4, [of(0.8), of(0.75), of(0.8), of(0.85)]
    alone = answer("far", anchor(here(), [of(1.0)] * 4), [of(1.6), of(1.5), of(1.6), of(1.7)], None, None, None)
    found = answer("far", anchor(here(user=0.5, wall=1.0), cores), there, None, None, None)
    assert alone.low is not None
    assert found.low == pytest.approx(1 + (alone.low - 1) / 2)


@pytest.mark.parametrize(
    ("own", "ran", "why"),
    [
        (of(0.7), here(), "model takes 0.70x"),
        (of(1.3), here(), "model takes 1.30x"),
        (of(0.7), here(), "`tierscope run core` measures the core"),
        (of(0.7), here(noise=0.2), "runs here differ by 20%, so repeat it on an idle machine"),
        (of(1.5, sampling_deviation_s=0.3), here(), "makes the model's time uncertain by 20%"),
        (of(0.005), here(0.005, 0.005), "less than 10 ms of CPU time; give it more work"),
        (of(0.0), here(0.0, 0.02), "less than 10 ms of CPU time; give it more work"),
        (of(1.0, threads=4), here(0.0, 1.0), "less than 10 ms of CPU time; give it more work"),
        (of(0.005, threads=4), here(0.02, 0.005), "runs for less than 10 ms; give it more work"),
        (of(1.0, notes=("fork", "fork")), replace(here(), children_s=0.5), "started 2 processes"),
        (of(1.0, whole=False), here(), "replaced itself by another program (exec), which the tracer cannot follow"),
        (of(1.0, ended=-4), here(), "build the program for x86-64-v3"),
        (of(1.0, ended=-11), here(), "or be at fault"),
        (of(1.0, ended=3), here(), "status 3"),
    ],
)
def test_a_wrong_anchor_gives_no_number(own: Traced, ran: Native, why: str) -> None:
    found = answer("far", anchor(ran, [own] * CORES), [of(2.0)] * CORES, None, None, None)
    assert (found.ratio, found.low, found.high, found.seconds) == (None, None, None, None)
    assert why in found.unknown
    assert line(found).startswith("not known, because ")


def test_a_program_that_was_not_traced_as_a_whole_has_no_ratio_of_the_model() -> None:
    assert anchor(here(), [of(0.001, ended=-4)] * CORES).ratio is None
    compiler = replace(here(), children_s=0.9)
    assert anchor(compiler, [of(0.001, notes=("fork",))] * CORES).ratio is None
    assert anchor(here(), [of(0.9)] * CORES).ratio == 0.9


@pytest.mark.parametrize(("ours", "theirs", "known"), [("a", "a", True), ("a", "b", False), ("", "b", True)])
def test_a_program_that_prints_something_else_in_the_tracer_is_not_predicted(
    ours: str, theirs: str, known: bool
) -> None:
    made = anchor(replace(here(), said=ours), [of(1.0)] * CORES, theirs)
    assert (made.unknown == "") == known
    assert known or "takes another path" in made.unknown


@pytest.mark.parametrize(("script", "same"), [("echo said", True), ("cat /proc/sys/kernel/random/uuid", False)])
def test_the_output_of_every_run_is_known(monkeypatch: pytest.MonkeyPatch, script: str, same: bool) -> None:
    monkeypatch.setattr(native, "SPENT_S", 0.0)
    assert (native.measured(["/bin/sh", "-c", script], 10).said != "") == same


def test_a_process_that_lives_on_does_not_block_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printed, "SOON_S", 0.01)
    with printed.printed() as output:
        subprocess.run(["/bin/sh", "-c", "sleep 1 & echo said"], stdout=output.descriptor, check=True)
    assert output.digest == ""


@pytest.mark.parametrize(
    "ran", [here(0.0, 0.02), Native(Interval(0.02, 0.02, 0.02, 5), Interval(0, 0, 0.004, 5), 0, 5)]
)
def test_a_program_without_user_time_has_no_noise_and_no_ratio(ran: Native) -> None:
    made = anchor(ran, [of(0.01)] * CORES)
    found = Found(("true",), made, (answer("far", made, [of(0.02)] * CORES, None, None, None),), ())
    assert found.document()["measured"]["noise_share"] is None
    assert found.document()["model_over_measured"] is None
    said = io.StringIO()
    show(found, Console(file=said, width=200))
    assert "user time 0 ns\n" in said.getvalue()
    assert "far: not known, because the program takes less than 10 ms of CPU time" in said.getvalue()


def test_the_anchor_of_several_threads_is_the_wall_time() -> None:
    made: Anchor = anchor(here(user=2.0, wall=1.0), [of(1.0, threads=2)] * CORES)
    assert made.ratio == 1.0
    assert made.rest_s == 0


def test_units_that_all_slow_down_alike_add_no_doubt() -> None:
    slow = tuple((gap, count, 2 * seconds) for gap, count, seconds in PARTS)
    uneven = ((0, 1_000_000, 1.0), (1_000_000, 1_000_000, 1.2))
    assert paired_deviation(of(1.5, parts=PARTS), of(3.0, parts=slow)) == 0
    assert paired_deviation(of(1.5, parts=PARTS), of(3.0, parts=uneven)) == pytest.approx(0.2 / 2**0.5)


def test_a_tier_is_one_sentence() -> None:
    assert line(told(1.0, 1.5)) == (
        "1.50x (1.50 to 1.50), 1.5 s: 67% of the time waits for misses, 0% for bandwidth; 2 MiB pages would save 10%"
    )


@pytest.mark.parametrize(
    ("script", "why"),
    [("echo lost the way >&2; exit 3", r"status 3 \(lost the way\)"), ("kill -SEGV $$", "signal 11")],
)
def test_a_program_that_fails_here_is_refused(script: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        native.measured(["/bin/sh", "-c", script], 10)


def test_a_program_that_mostly_waits_has_a_note() -> None:
    assert native._waited(np.array([1.0, 1.0]), np.array([0.9, 0.95])) == ()
    assert native._waited(np.array([1.0]), np.array([3.2])) == ()  # of four threads
    (note,) = native._waited(np.array([1.0, 1.0]), np.array([0.1, 0.1]))
    assert note.startswith("it ran for 10% of its wall time here and waited otherwise")


def test_a_program_that_runs_for_long_is_ended() -> None:
    with pytest.raises(UsageError, match="takes longer than 50 ms"):
        native.measured(["/bin/sleep", "30"], 0.05)


def test_every_run_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "SPENT_S", 0.0)
    found = native.measured(["/bin/true"], 10)
    assert found.runs == native.LEAST
    assert 0 < found.wall_s.low <= found.wall_s.middle
