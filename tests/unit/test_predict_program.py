"""A program's time on a tier: the anchor, its bounds, and when the answer is not known."""

import io
import subprocess
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from rich.console import Console

from tierscope.errors import MachineError, UsageError
from tierscope.predict.program import native, printed
from tierscope.predict.program.answer import Anchor, Answer, anchor, answer, paired_deviation, refuted
from tierscope.predict.program.asked import Found
from tierscope.predict.program.native import Native
from tierscope.predict.program.text import line, show
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

PARTS = ((0, 1_000_000, 0.5), (1_000_000, 1_000_000, 0.5))


def of(seconds: float, **more: object) -> Traced:
    known = {"machine": "sim:m", "instructions": 2_000_000, "loads": 1, "stores": 1, "counters": {}, "ended": 0}
    return Traced(**known | {"seconds": seconds} | more)  # type: ignore[arg-type]


def here(user: float = 1.0, wall: float = 1.0, noise: float = 0.0) -> Native:
    return Native(Interval(wall, wall, wall, 5), Interval(user - noise, user, user + noise, 5), wall - user, 5)


def told(old: float, new: float, ran: Native | None = None) -> Answer:
    made = anchor(ran or here(), [of(old)] * 3)
    return answer("far", made, [of(new)] * 3, of(new), of(old / 2), of(new * 0.9))


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


def test_unexplained_time_is_taken_both_ways() -> None:
    found = told(0.8, 1.2)
    assert found.ratio == pytest.approx(1.5)  # it grows with the memory
    assert found.low == pytest.approx(1.4)  # it stays: 1 + (1.2 - 0.8) / 1
    assert found.high == pytest.approx(1.5)


def test_time_in_the_kernel_stays_and_grows_within_the_bounds() -> None:
    found = told(0.5, 1.0, here(user=0.5, wall=1.0))
    assert found.ratio == pytest.approx(1.5)
    assert found.high == pytest.approx(2.0)


def test_bounds_contain_small_and_large_cores_and_the_noise_of_the_runs() -> None:
    made = anchor(here(noise=0.1), [of(1.0), of(1.2), of(0.9)])
    found = answer("far", made, [of(1.5), of(1.5), of(1.8)], None, None, None)
    assert found.ratio == pytest.approx(1.5)
    assert found.low is not None
    assert found.low <= 1.25  # of the small core
    assert found.high is not None
    assert found.high >= 2.0  # of the large one


def test_a_model_that_takes_too_long_here_is_also_read_both_ways() -> None:
    found = told(1.2, 2.4)
    assert (found.ratio, found.low) == pytest.approx((2.0, 2.0))  # what it takes too long shrinks with the memory
    assert found.high == pytest.approx(2.2)  # it stays: 1 + (2.4 - 1.2) / 1
    made = anchor(here(), [of(1.0), of(1.3), of(1.0)])
    other = answer("far", made, [of(2.0), of(2.6), of(2.0)], None, None, None)
    assert other.high == pytest.approx(2.0)  # a core that takes 1.3x the time here is not this one


STUDENT = 2.92 * (1 + 1 / 3) ** 0.5  # t with two degrees of freedom at 95 % on one side, for one more


def test_bounds_contain_one_more_core_of_the_three_sizes() -> None:
    found = answer("far", anchor(here(), [of(1.0)] * 3), [of(1.5), of(1.6), of(1.7)], None, None, None)
    reach = STUDENT * 0.1
    assert (found.low, found.high) == pytest.approx((1.6 - reach, 1.6 + reach), rel=0.002)


@pytest.mark.parametrize("variants", [1, 2, 20])
def test_variants_of_the_own_core_do_not_count_as_sizes(variants: int) -> None:
    """Own core 1.5x, small 1.6x, large 1.7x; other prefetchers of the own core have its ratio."""
    there = [of(1.5), of(1.6), of(1.7)]
    alone = answer("far", anchor(here(), [of(1.0)] * 3), there, None, None, None)
    more = answer("far", anchor(here(), [of(1.0)] * (3 + variants)), there + [of(1.5)] * variants, None, None, None)
    assert (more.low, more.high) == (alone.low, alone.high)


def test_a_variant_of_the_own_core_is_within_the_bounds() -> None:
    made = anchor(here(), [of(1.0)] * 4)
    found = answer("far", made, [of(1.5), of(1.5), of(1.5), of(1.8)], None, None, None)
    assert (found.low, found.high) == pytest.approx((1.5, 1.8))


def test_a_size_that_the_time_here_refutes_still_counts_and_leaves_a_note() -> None:
    """The own core and its variants do not show how cores differ."""
    made = anchor(here(), [of(1.0), of(2.0), of(0.5), of(1.0), of(1.0)])
    found = answer("far", made, [of(1.6), of(3.0), of(0.85), of(1.6), of(1.6)], None, None, None)
    reach = STUDENT * 0.1
    assert (found.low, found.high) == pytest.approx((1.6 - reach, 1.6 + reach), rel=0.002)
    (note,) = refuted(made)
    assert note.startswith("1 of 3 sizes of the core take within 25% of the time here; the bounds rest on all of them")
    assert "`tierscope run core` narrows them" in note
    assert refuted(anchor(here(), [of(1.0), of(1.2), of(0.9), of(3.0)])) == ()


def test_a_program_without_any_cpu_time_is_not_known_and_no_size_is_refuted() -> None:
    made = anchor(here(user=0.0, wall=3.0), [of(1.0)] * 3)
    assert "give it more work" in made.unknown
    assert refuted(made) == ()


@pytest.mark.parametrize("cores", [[1.0], [1.0, 1.0], [1.0, 0.0, 1.0]])
def test_fewer_than_three_sizes_give_no_bounds_and_no_answer(cores: list[float]) -> None:
    made = anchor(here(), [of(time) for time in cores])
    found = answer("far", made, [of(1.5)] * len(cores), None, None, None)
    assert (found.ratio, found.low, found.high) == (None, None, None)
    assert line(found).startswith(
        f"not known, because {sum(map(bool, cores))} of 3 sizes of the core have a model time"
    )


def test_one_more_core_changes_nothing_of_the_time_in_the_kernel() -> None:
    cores, there = [of(0.5)] * 3, [of(0.75), of(0.8), of(0.85)]
    alone = answer("far", anchor(here(), [of(1.0)] * 3), [of(1.5), of(1.6), of(1.7)], None, None, None)
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
        (of(0.005), here(0.005, 0.005), "less than 10 ms of CPU time; give it more work"),
        (of(0.0), here(0.0, 0.02), "less than 10 ms of CPU time; give it more work"),
        (of(1.0, threads=4), here(0.0, 1.0), "less than 10 ms of CPU time; give it more work"),
        (of(0.005, threads=4), here(0.02, 0.005), "runs for less than 10 ms; give it more work"),
        (of(1.0, notes=("fork", "fork")), replace(here(), children_s=0.5), "started 2 processes"),
        (of(1.0, whole=False), here(), "replaced itself by another program (exec), which the tracer cannot follow"),
        (of(1.0, ended=-4), here(), "AVX-512"),
        (of(1.0, ended=3), here(), "status 3"),
    ],
)
def test_a_wrong_anchor_gives_no_number(own: Traced, ran: Native, why: str) -> None:
    found = answer("far", anchor(ran, [own] * 3), [of(2.0)] * 3, None, None, None)
    assert (found.ratio, found.low, found.high, found.seconds) == (None, None, None, None)
    assert why in found.unknown
    assert line(found).startswith("not known, because ")


@pytest.mark.parametrize(("ours", "theirs", "known"), [("a", "a", True), ("a", "b", False), ("", "b", True)])
def test_a_program_that_prints_something_else_in_the_tracer_is_not_predicted(
    ours: str, theirs: str, known: bool
) -> None:
    made = anchor(replace(here(), said=ours), [of(1.0)] * 3, theirs)
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
    made = anchor(ran, [of(0.01)] * 3)
    found = Found(("true",), made, (answer("far", made, [of(0.02)] * 3, None, None, None),), ())
    assert found.document()["measured"]["noise_share"] is None
    assert found.document()["model_over_measured"] is None
    said = io.StringIO()
    show(found, Console(file=said, width=200))
    assert "user time 0 ns\n" in said.getvalue()
    assert "far: not known, because the program takes less than 10 ms of CPU time" in said.getvalue()


def test_the_anchor_of_several_threads_is_the_wall_time() -> None:
    made: Anchor = anchor(here(user=2.0, wall=1.0), [of(1.0, threads=2)] * 3)
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
