"""The audit finds every planted fault, is silent on what is clean, and finds what is known of document 003."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from made import HZ, Maker, Teamwork, add_loaded_latency, add_stream, made_blocks, made_facts, one_group
from made_quick import made_run
from own import own
from said import refused, say
from tierscope.audit import Audit, Quantity, Statement, examine, identities
from tierscope.audit.own import statements
from tierscope.errors import Exit
from tierscope.record import result as results
from tierscope.record.experiment import Label
from tierscope.record.result import STOLEN, Clock, Run
from tierscope.report.content import gather
from tierscope.report.formats import write
from tierscope.units import GiB, KiB, MiB

CLEAN_SEEDS = 50

Numbers = dict[str, float | Quantity]


def stated(
    label: str = "row",
    series: str = "",
    words: dict[str, str] | None = None,
    conclusive: bool = True,
    **numbers: float | Quantity,
) -> Statement:
    quantities = {name: n if isinstance(n, Quantity) else Quantity(float(n)) for name, n in numbers.items()}
    return Statement(label, quantities, words or {}, "t", series, conclusive=conclusive)


def delays(latency: Callable[[float], float]) -> list[Statement]:
    return [
        stated(f"delay {d}", latency_s=latency(d), bandwidth_bytes_per_s=64 / latency(d), delay_cycles=d)
        for d in (0, 50, 100, 400)
    ]


# --- faults put into statements: one good set for each, and what was changed in it ---

GOOD: dict[str, list[Statement]] = {
    "littles_law": [stated(latency_s=160e-6, rate_per_s=100_000, in_flight=16)],
    "operation_bytes": [stated(bandwidth_bytes_per_s=409.6e6, rate_per_s=100_000, operation_bytes=4096)],
    "time_taken": [stated(bandwidth_bytes_per_s=16e9, total_bytes=1.6e9, seconds=0.1)],
    "same_quantity": [stated(bandwidth_bytes_per_s=1e9, second_bandwidth_bytes_per_s=1.01e9)],
    "no_load": [
        stated(f"delay {d}", latency_s=1e-7, bandwidth_bytes_per_s=20e9 - d, delay_cycles=d) for d in (0, 50, 100, 400)
    ],
    "peak_share": [stated(bus_bytes_per_s=250e9, peak_bytes_per_s=307e9)],
    "core_limit": [stated(bandwidth_bytes_per_s=400e9, threads=1, latency_s=1.2e-9, words={"access": "dependent"})],
    "placement": [stated(placed_bytes=1 << 30, astray_bytes=4096)],
    "clock_step": [stated(timed_s=1e-3, clock_step_s=1e-9, clock_cost_s=2e-8)],
    "clock_rate": [stated("first", clock_hz=2.6e9), stated(clock_hz=2.6001e9)],
    "steal": [stated(stolen_share=0.3, left_out_share=0.32)],
    "wall_time": [stated(span_s=1.0, wall_s=1.2)],
    "sum_of_parts": [
        replace(stated(total=30.0, a=10.0, b=19.5), parts=(("total", ("a", "b")),)),
    ],
    "spread": [stated(worst_bytes_per_s=1e9, average_bytes_per_s=2e9, best_bytes_per_s=3e9)],
    "delay_slows": [
        stated("short", bandwidth_bytes_per_s=20e9, delay_cycles=0),
        stated("long", bandwidth_bytes_per_s=5e9, delay_cycles=500),
    ],
    "idle_is_least": [stated("idle", latency_s=100e-9, load_threads=0), stated(latency_s=200e-9, load_threads=1)],
    "footprint_slows": [
        stated("small", latency_s=1e-9, footprint_bytes=4096, words={"access": "dependent"}),
        stated("large", latency_s=90e-9, footprint_bytes=1 << 30, words={"access": "dependent"}),
    ],
    "threads_add": [
        stated("one", bandwidth_bytes_per_s=10e9, threads=1),
        stated("two", bandwidth_bytes_per_s=19e9, threads=2),
    ],
    "digits": [stated(single_s=Quantity(0.012, 1e-3), clock_step_s=1e-3)],
    "in_range": [stated(left_out_share=0.2, latency_s=1e-7)],
    "sentences": [stated(said=Quantity(0.4, bounds=(0.3, 0.5)), whole=1, words={"kind": "share"})],
    "copied": [
        stated("a", bandwidth_bytes_per_s=Quantity(10.1e9, bounds=(10e9, 10.2e9))),
        stated("b", bandwidth_bytes_per_s=Quantity(10.3e9, bounds=(10.2e9, 10.4e9))),
    ],
    "told_again": [stated(seconds=Quantity(3.324019, 1e-6), again_seconds=3.3240185)],
    "moments": [
        stated(seconds_least=0.9, seconds_mean=1.0, seconds_most=1.2, seconds_deviation=0.1, timings=5),
    ],
    "threads_hold": [stated(rate_per_s=90_000, latency_s=11e-6, most_in_flight=1)],
    "within_run": [stated(latency_most_s=0.5, seconds=2.2, seconds_most=2.3)],
    "load_waits": [
        stated("short", latency_s=229e-9, delay_cycles=0),
        stated("long", latency_s=231e-9, delay_cycles=2),
    ],
    "local_is_best": [
        stated("far", latency_s=141e-9, bandwidth_bytes_per_s=34.5e9, words={"from": "node 1", "to": "node 0"}),
        stated("near", latency_s=81e-9, bandwidth_bytes_per_s=112e9, words={"from": "node 0", "to": "node 0"}),
    ],
    "whole_machine": [
        stated("reads", bandwidth_bytes_per_s=225e9, read_share=1, words={"whole": "yes"}),
        stated("mix", bandwidth_bytes_per_s=206e9, read_share=0.75, words={"whole": "yes"}),
        stated("near", bandwidth_bytes_per_s=222e9, words={"part": "yes", "from": "node 0", "to": "node 0"}),
    ],
    "event_parts": [
        stated("cycles", count=1e9, words={"event": "cycles"}),
        stated("minor", count=40, words={"event": "minor-faults"}),
        stated("major", count=9, words={"event": "major-faults"}),
        stated("faults", count=49, words={"event": "page-faults"}),
        stated("branches", count=5e8, words={"event": "branches"}),
        stated("instructions", count=3e9, words={"event": "instructions"}),
    ],
    "cpu_time": [stated(busy_s=2.0, user_s=1.9, system_s=0.11)],
    "peak_formula": [stated(stated_peak_bytes_per_s=68.3e9, channels=4, transfers_per_s=2.133e9)],
    "ratio": [stated(ratio=Quantity(0.431, 1e-3), ratio_of=Quantity(5036.7e6, 1e5), ratio_to=Quantity(11673.5e6, 1e5))],
    "unit_given": [stated(latency_s=1e-7)],
    "quantum": [stated(f"row {v}", latency_s=Quantity(v * 1e-9, 1e-12)) for v in (83.107, 83.212, 85.923, 91.481)],
    "random_no_faster": [
        stated("in sequence", bandwidth_bytes_per_s=4e9, words={"kernel": "write", "order": "sequential"}),
        stated("random", bandwidth_bytes_per_s=4.5e9, words={"kernel": "write", "order": "random"}),
    ],
    "flush_order": [
        stated("ordered", seconds=33.7, words={"flush": "clflush"}),
        stated("overlapping", seconds=8.9, words={"flush": "clwb"}),
    ],
    "work_grows": [
        stated("few", seconds=1.2, operations=1e6, words={"work": "all"}),
        stated("many", seconds=2.3, operations=2e6, words={"work": "all"}),
    ],
    "proportional": [
        stated(f"{n}", proportional_s=Quantity(round(1.3218e-6 * n, 3), 1e-3), operations=n)
        for n in (100_000, 500_000, 1_000_000, 2_000_000, 50_000)
    ],
    "stated_error": [
        stated(
            stated_error=Quantity(0.135, 1e-3),
            error_over_measured=Quantity(0.1346, bounds=(0.133, 0.136)),
            error_over_predicted=Quantity(0.1079, bounds=(0.107, 0.109)),
        )
    ],
}  # fmt: skip


def row_of_stream(label: str) -> Statement:
    """All its times and its rate, as STREAM prints them."""
    times = {"seconds": 0.012387, "seconds_least": 0.012387, "seconds_mean": 0.012452, "seconds_most": 0.012572}
    printed = {name: Quantity(value, 1e-6) for name, value in times.items()}
    return stated(label, bandwidth_bytes_per_s=Quantity(5166.7e6, 1e5), **printed)


def stepped(*times: int) -> list[Statement]:
    """Printed times that are whole steps of a clock."""
    return [stated(f"row {i}", latency=Quantity(round(n * 0.0057312, 6), 1e-6)) for i, n in enumerate(times)]


def printed_sum(total: float) -> Statement:
    """The sum of two printed parts, 10 and 20."""
    numbers = {"total": Quantity(total, 0.01), "a": Quantity(10.0, 0.01), "b": Quantity(20.0, 0.01)}
    return replace(stated(**numbers), parts=(("total", ("a", "b")),))


def changed(name: str, **numbers: float | Quantity) -> list[Statement]:
    """The last statement of a good set with other numbers."""
    *others, last = GOOD[name]
    quantities = {key: n if isinstance(n, Quantity) else Quantity(float(n)) for key, n in numbers.items()}
    return [*others, replace(last, quantities={**last.quantities, **quantities})]


def test_time_between_operations_is_not_a_fault_of_a_fast_device() -> None:
    """fio on memory: 4 in flight, 305 469 operations/s, 12.39 us each; and a device too slow for that."""
    fast = stated(latency_s=12.388e-6, rate_per_s=305_469, in_flight=4)
    slow = stated(latency_s=12.388e-3, rate_per_s=305.469, in_flight=4)
    found = [next(iter(identities["littles_law"].check([one]))) for one in (fast, slow)]
    assert found[0] is None
    assert found[1] is not None


SLIPPED = Quantity(1e6, said="976.6 KiB/s")
SURE = Quantity(1e-7, bounds=(1e-7, 1e-7))
FITS = {"footprint_bytes": float(MiB), "cache_bytes": float(GiB)}
PLANTED: list[tuple[str, list[Statement], str]] = [
    ("littles_law", changed("littles_law", rate_per_s=10_000), "a digit was lost"),
    ("littles_law", changed("littles_law", latency_s=160e-6 * 39), "impossible: 39x"),
    ("littles_law", changed("littles_law", latency_s=0.16), "as if a prefix was lost"),
    ("littles_law", changed("littles_law", rate_per_s=70_000, read_share=0.7), "reads alone"),
    ("littles_law", changed("littles_law", latency_s=120e-6), "25 % below"),
    ("littles_law", changed("littles_law", latency_s=200e-6), "25 % above"),
    ("operation_bytes", changed("operation_bytes", bandwidth_bytes_per_s=4.096e6), "two digits were lost"),
    ("operation_bytes", changed("operation_bytes", bandwidth_bytes_per_s=390.625e6), "MiB were taken for MB"),
    ("operation_bytes", changed("operation_bytes", bandwidth_bytes_per_s=409.6e6 * 8), "bits were taken for bytes"),
    ("operation_bytes", changed("operation_bytes", bandwidth_bytes_per_s=300e6), "x that"),
    ("time_taken", changed("time_taken", seconds=0.2), "total bytes / seconds makes"),
    ("same_quantity", changed("same_quantity", second_bandwidth_bytes_per_s=SLIPPED), "unit slip"),
    ("same_quantity", changed("same_quantity", second_bandwidth_bytes_per_s=1.5e9), "more by a factor of 1.50"),
    ("no_load", delays(lambda d: 85e-9 + d * 1e-12), "no load ran"),
    ("peak_share", changed("peak_share", bus_bytes_per_s=330e9), "fewer channels"),
    ("peak_share", changed("peak_share", bus_bytes_per_s=330e9, **FITS), "the cache's bandwidth"),
    ("peak_share", [stated(bandwidth_bytes_per_s=9e9, peak_bytes_per_s=8e9, footprint_bytes=96e6)], "in the caches"),
    ("peak_share", [stated(line_s=1e-9, peak_bytes_per_s=2e10)], "a line takes 3.2 ns"),
    ("core_limit", changed("core_limit", bandwidth_bytes_per_s=5e12), "no cache explains it"),
    ("core_limit", changed("core_limit", latency_s=1e-11), "did not depend on each other"),
    ("core_limit", [stated(latency_s=0.9e-9, words={"access": "cache to cache"})], "a second-level cache needs 1.38"),
    ("idle_is_least", [stated("alone", seconds=500, load_threads=0), stated(seconds=50, load_threads=8)], "alone has"),
    ("idle_is_least", [stated(latency_s=8e-8, words={"idle": "1"}), stated(latency_s=8e-9, words={"loaded": "1"})],
     "a digit was lost"),
    ("time_taken", [stated(total_bytes=4096e3, operations=10_000, operation_bytes=4096)], "operations x size"),
    ("placement", changed("placement", astray_bytes=1 << 28), "a mixture of tiers"),
    ("clock_step", changed("clock_step", clock_step_s=1e-4), "10.0 steps"),
    ("clock_step", changed("clock_step", clock_cost_s=1e-4), "the clock itself"),
    ("clock_rate", changed("clock_rate", clock_hz=2.7e9), "the guest was moved"),
    ("clock_rate", changed("clock_rate", core_hz=9e9), "the counter was shared"),
    ("steal", changed("steal", left_out_share=0.05), "the host took"),
    ("wall_time", changed("wall_time", span_s=1.5), "the clock's rate is wrong"),
    ("wall_time", changed("wall_time", busy_s=9.0, elapsed_s=2.0, cpus=2), "9 s were timed"),
    ("sum_of_parts", changed("sum_of_parts", b=9.5), "a part is missing"),
    ("spread", changed("spread", average_bytes_per_s=4e9), "columns were swapped"),
    ("spread", changed("spread", bandwidth_bytes_per_s=Quantity(5e9, bounds=(1e9, 2e9))), "of another number"),
    ("delay_slows", changed("delay_slows", bandwidth_bytes_per_s=40e9), "rows were swapped"),
    ("idle_is_least", changed("idle_is_least", latency_s=40e-9), "idle has latency 100 ns"),
    ("footprint_slows", changed("footprint_slows", latency_s=1e-10), "small has latency 1 ns"),
    ("threads_add", changed("threads_add", bandwidth_bytes_per_s=60e9), "the number of threads is wrong"),
    ("digits", changed("digits", single_s=Quantity(0.012345, 1e-6)), "cannot come from that clock"),
    ("digits", changed("digits", operations=10.5), "a count is a whole number"),
    ("digits", changed("digits", points=10, timed_s=1e-3, clock_step_s=1e-6, latency_s=SURE), "digits were added"),
    ("in_range", changed("in_range", left_out_share=20.0), "percent were taken for a share"),
    ("in_range", changed("in_range", latency_s=-1e-7), "the wrong way round"),
    ("in_range", changed("in_range", latency_s=float("inf")), "finite"),
    ("sentences", changed("sentences", said=11.61), "part and whole come from different points"),
    ("sentences", changed("sentences", said=Quantity(0.4, bounds=(0.5, 0.6))), "the wrong way round"),
    ("sentences", changed("sentences", said=Quantity(0.4, bounds=(-0.1, 0.6))), "percent were taken for it"),
    ("sentences", changed("sentences", said=0.9, whole=0.8), "the whole is 0.8"),
    ("sentences", changed("sentences", said=float("nan")), "a number is finite"),
    ("copied", changed("copied", bandwidth_bytes_per_s=Quantity(10.1e9, bounds=(10e9, 10.2e9))), "a row was copied"),
    ("told_again", changed("told_again", seconds=Quantity(33.24019, 1e-5)), "a digit was lost"),
    ("told_again", changed("told_again", seconds=Quantity(3.424019, 1e-6)), "one of the two was changed"),
    ("moments", changed("moments", seconds_mean=1.15), "5 values between 900 ms and 1.2 s"),
    ("moments", changed("moments", seconds_deviation=0.2), "deviate by"),
    ("moments", changed("moments", seconds_deviation=0.01), "deviate by"),
    ("threads_hold", changed("threads_hold", latency_s=110e-6), "9.9 in flight of 1 at most"),
    ("within_run", changed("within_run", latency_most_s=23.0), "the whole run took"),
    ("load_waits", changed("load_waits", latency_s=2.31e-6), "a digit was lost"),
    ("local_is_best", changed("local_is_best", latency_s=810e-9), "far has latency 141 ns"),
    ("local_is_best", changed("local_is_best", bandwidth_bytes_per_s=11.2e9), "a digit was lost"),
    ("whole_machine", changed("whole_machine", bandwidth_bytes_per_s=2220e9), "reads has bandwidth"),
    ("whole_machine", changed("whole_machine", bandwidth_bytes_per_s=22.2e9), "all nodes on their own memory make"),
    ("event_parts", changed("event_parts", count=3e8), "instructions has count"),
    ("event_parts", changed("event_parts", count=3e10), "a core retires"),
    ("cpu_time", changed("cpu_time", busy_s=20.0), "children were never waited for"),
    ("cpu_time", changed("cpu_time", busy_s=0.2), "a part of the run was counted"),
    ("peak_formula", changed("peak_formula", stated_peak_bytes_per_s=51e9), "make 68.26 GB/s"),
    ("ratio", changed("ratio", ratio=Quantity(0.341, 1e-3)), "of another row"),
    ("ratio", changed("ratio", ratio=Quantity(0.569, 1e-3)), "the numbers are the difference"),
    ("unit_given", changed("unit_given", latency=0.103162), "no unit is given"),
    ("quantum", stepped(17, 18, 18, 19, 20, 18, 17), "7 of 7 are whole multiples of 0.00573"),
    ("random_no_faster", changed("random_no_faster", bandwidth_bytes_per_s=9e9), "the first touch"),
    ("flush_order", changed("flush_order", seconds=89), "columns were swapped"),
    ("work_grows", changed("work_grows", seconds=0.23), "a digit was lost"),
    ("proportional", changed("proportional", proportional_s=Quantity(0.036, 1e-3)), "makes 66.1 ms"),
    ("stated_error", changed("stated_error", stated_error=Quantity(0.108, 1e-3)), "over the prediction"),
    ("stated_error", changed("stated_error", stated_error=Quantity(0.075, 1e-3)), "other rows or another mean"),
    ("copied", [row_of_stream("scale"), row_of_stream("copy")], "a row was copied"),
    ("copied", [stated(a, seconds=Quantity(13.643775, 1e-6)) for a in ("alone", "again")], "a row was copied"),
    ("sum_of_parts", [printed_sum(30.05)], "a part is missing"),
    ("threads_add", [*GOOD["threads_add"][:1], *changed("threads_add", bandwidth_bytes_per_s=2.5e9),
                     stated("three", bandwidth_bytes_per_s=21e9, threads=3)], "a digit was lost"),
    ("core_limit", [stated(total_bytes=20e9, seconds=0.008, threads=1)], "for its bytes"),
]  # fmt: skip


for _name in identities:  # examples in the file of an identity itself
    if _good := own(identities[_name], "GOOD"):
        GOOD[_name] = _good
        PLANTED.append((_name, *own(identities[_name], "PLANTED")))


def test_every_identity_has_a_good_set_and_a_planted_fault() -> None:
    assert set(GOOD) == set(identities)
    assert {name for name, _, _ in PLANTED} == set(identities)
    assert len(GOOD) >= 12


@pytest.mark.parametrize("name", sorted(GOOD))
def test_an_identity_passes_where_nothing_is_wrong(name: str) -> None:
    found = examine(GOOD[name])
    assert found.checked[name] > 0
    assert found.failures == ()


@pytest.mark.parametrize(("name", "planted", "why"), PLANTED, ids=[f"{n}-{w}" for n, _, w in PLANTED])
def test_a_planted_fault_is_found_with_its_reason(name: str, planted: list[Statement], why: str) -> None:
    found = [one for one in examine(planted).failures if one.identity == name]
    assert len(found) == 1
    assert why in found[0].text


def test_an_estimate_of_a_count_needs_not_be_whole() -> None:
    """The writes between two stalls, of `policy`: a middle with an interval."""
    (one,) = changed("digits", count=Quantity(15496.9, bounds=(15402.2, 15571.0)))
    assert examine([one]).failures == ()
    (counted,) = changed("digits", count=15496.9)
    assert [failure.identity for failure in examine([counted]).failures] == ["digits"]


def test_a_depth_that_was_not_reached_bounds_from_above_alone() -> None:
    for latency, holds in ((160e-6, True), (16e-9, True), (170e-6, False)):
        one = stated(latency_s=latency, rate_per_s=100_000, most_in_flight=Quantity(16.0, bounds=(0.0, 16.5)))
        assert (examine([one]).failures == ()) is holds


def test_no_reason_names_a_unit_that_a_time_and_a_rate_have_not() -> None:
    """16 in flight and a latency 4.86 % above: the square of 1.024, which is MiB for MB of bytes alone."""
    for factor in (1.024, 1.024**2, 8.0, 64.0, 1 / 64):
        (one,) = changed("littles_law", latency_s=160e-6 * factor)
        (failure,) = examine([one]).failures
        assert not {"MiB", "KiB", "bits", "lines"} & set(failure.why.replace(",", " ").split())


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("latency_s", -1e-9, "a difference was taken the wrong way round"),
        ("operations", -1.0, "a counter ran over, or a difference was taken the wrong way round"),
        ("latency_s", float("nan"), "it was divided by nothing, or made of a number that is none"),
        ("stolen_share", 12.0, "percent were taken for a share, or the part is not of that whole"),
    ],
)
def test_the_reason_of_a_number_out_of_range_fits_its_kind(name: str, value: float, why: str) -> None:
    assert [
        one.why
        for one in identities["in_range"].check([Statement("row", {name: Quantity(value)}, conclusive=True)])
        if one
    ] == [why]


def test_simulated_results_are_not_bound_by_hardware() -> None:
    (one,) = changed("core_limit", latency_s=1e-11)
    assert examine([replace(one, words={"access": "dependent", "origin": "simulated"})]).failures == ()


def test_a_doubtful_row_is_not_compared_with_its_neighbours() -> None:
    few, many = changed("threads_add", bandwidth_bytes_per_s=60e9)
    assert examine([few, replace(many, conclusive=False)]).failures == ()


def test_a_statement_has_its_own_verdict() -> None:
    with pytest.raises(TypeError, match="conclusive"):
        Statement("row", {})  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("verdict", "conclusive"), [({"conclusive": True}, True), ({"conclusive": False}, False), ({}, False)]
)
def test_a_row_that_nobody_judged_is_not_conclusive(
    tmp_path: Path, verdict: dict[str, Label], conclusive: bool
) -> None:
    row: dict[str, Label] = {"bandwidth_bytes_per_s": 1e9, "kernel": "read", **verdict}
    (one,) = statements(Maker(tmp_path).save(), {"stream": [row]}, {})
    assert one.conclusive is conclusive


# --- runs ---


def run_of(folder: Path, seed: int) -> Run:
    maker = Maker(folder, seed)
    add_stream(maker, ("read",))
    maker.add(
        "latency", {"probe": "cycle", "order": "global"}, (one_group("chase", (0,), 4 * KiB),), (Teamwork((8e8,)),)
    )
    maker.add("latency", {"probe": "cycle", "order": "global"}, (one_group("chase", (0,), GiB),), (Teamwork((4e6,)),))
    return maker.save()


def test_no_alarm_on_fifty_clean_runs(tmp_path: Path) -> None:
    alarms = [
        one.text
        for seed in range(CLEAN_SEEDS)
        for one in examine(statements(run_of(tmp_path / str(seed), 1995 + 97 * seed))).failures
    ]
    assert alarms == []


def test_no_alarm_on_a_whole_made_run_and_on_a_recorded_one(tmp_path: Path, root: Path) -> None:
    for run in (made_run(tmp_path), results.load(root / "tests/data/run-schema-1")):
        found = gather(run).audit
        assert found.failures == ()
        assert sum(found.checked.values()) > 500


def planted_run(folder: Path, fault: str) -> Audit:
    """A stream of two points; the second has `fault`."""
    maker = Maker(folder)
    group = one_group("read", (0,), GiB)
    maker.add("stream", {"kernel": "read", "threads": 1}, (group,), (Teamwork((2e8,)),))
    work = (Teamwork((2e12 / 64 if fault == "core_limit" else 6e9 if fault == "peak_share" else 2e8,)),)
    blocks = made_blocks(work, seed=7)
    if fault == "steal":
        blocks["flags"][40:] = STOLEN
    facts = made_facts(group, **({"nodes": {"0": GiB // 2, "1": GiB // 2}} if fault == "placement" else {}))
    record = maker.add_blocks("stream", {"kernel": "read", "threads": 1}, (group,), blocks, (facts,))
    steps = {"clock_step": 1e-3, "digits": 1e-4}
    clock = Clock(
        source="tsc",
        hz=HZ * (1.1 if fault == "clock_rate" else 1),
        resolution_s=steps.get(fault, 1 / HZ),
        read_cost_s=2e-8,
    )
    seconds = 0.01 if fault == "wall_time" else record.seconds
    maker.records[-1] = msgspec.structs.replace(record, clock=clock, seconds=seconds)
    if fault == "copied":
        results.write_blocks(folder / record.samples, results.read_blocks(folder / maker.records[0].samples))
    return examine(statements(maker.save("stream")))


@pytest.mark.parametrize(
    "fault", ["core_limit", "peak_share", "placement", "clock_step", "clock_rate", "wall_time", "copied"]
)
def test_a_fault_planted_in_a_run_is_found(tmp_path: Path, fault: str) -> None:
    assert fault in {one.identity for one in planted_run(tmp_path, fault).failures}


def test_stolen_blocks_are_left_out_and_so_no_fault(tmp_path: Path) -> None:
    assert planted_run(tmp_path, "steal").failures == ()


def test_a_load_that_did_not_run_is_found(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    for delay in (0, 100, 200, 400):
        groups = (
            one_group("chase", (0,), GiB, role="chaser"), one_group("read", (1,), GiB, role="load", pace_cycles=delay),
        )  # fmt: skip
        quiet = {"noise": 1e-5, "correlation": 0.0}
        labels = {"read_share": 1.0, "store": "none", "delay_cycles": delay, "load_threads": 1}
        work = (Teamwork((1e7,), **quiet), Teamwork((1e7,), **quiet))
        maker.add("loaded_latency", labels, groups, work)
    (found,) = (one for one in examine(statements(maker.save())).failures if one.identity == "no_load")
    assert found.label == "all 4 rows"


@pytest.mark.parametrize(("line", "stated_line"), [(64, None), (64, 64), (128, 128), (256, 256)])
def test_a_line_in_flight_has_the_bytes_of_the_machine(line: int, stated_line: int | None) -> None:
    own = {} if stated_line is None else {"line_bytes": float(stated_line)}
    for bytes_of_load, fails in ((line, True), (line // 2, False), (2 * line, False)):
        rows = [
            stated(
                f"delay {d}", latency_s=85e-9 + d * 1e-12, delay_cycles=d,
                bandwidth_bytes_per_s=bytes_of_load / (85e-9 + d * 1e-12), **own,
            )
            for d in (0, 50, 100, 400)
        ]  # fmt: skip
        found = [one for one in examine(rows).failures if one.identity == "no_load"]
        assert [f"1.00 lines of {line} bytes" in one.text for one in found] == [True] * fails
    peak = [stated(line_s=line / 2e10 * 0.5, peak_bytes_per_s=2e10, **own)]
    assert [one.identity for one in examine(peak).failures] == ["peak_share"]
    assert examine([stated(line_s=line / 2e10, peak_bytes_per_s=2e10, **own)]).failures == ()


# --- shown next to the number ---


@pytest.fixture
def broken(tmp_path: Path) -> Run:
    planted_run(tmp_path, "placement")
    return results.load(tmp_path)


def test_a_failed_identity_is_in_every_form(
    broken: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    monkeypatch.setenv("COLUMNS", "400")
    for name in ("html", "markdown"):
        (path,) = write(name, broken, tmp_path / "to")
        assert "the number is of a mixture of tiers" in path.read_text()
    _, out, _ = say(capfd, "show", str(broken.path))
    assert " ! placement: experiment 1" in out
    _, out, _ = say(capfd, "show", str(broken.path), "--json")
    assert [one["identity"] for one in json.loads(out)["audit"]] == ["placement"]


def test_the_command_ends_with_1_where_an_identity_fails(broken: Run, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, "audit", str(broken.path))
    assert (status, "1 of 5 fail" in out) == (Exit.FAILED, False)
    assert "placement" in out
    status, out, _ = say(capfd, "audit", str(broken.path), "--json")
    assert status == Exit.FAILED
    assert json.loads(out)["failures"][0]["quantity"] == "astray_bytes"


def test_the_command_on_what_is_good_silent_or_absent(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], root: Path
) -> None:
    assert say(capfd, "audit", str(root / "tests/data/run-schema-1"))[0] == Exit.GOOD
    assert say(capfd, "audit", "reference:document002_flush")[0] == Exit.GOOD
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("tierscope.cli.audited.examine", lambda _: Audit({}, ()))
        assert say(capfd, "audit", "reference:document002_flush")[0] == Exit.INCONCLUSIVE
    assert refused(capfd, "audit", "reference:document009")[0] == Exit.USAGE
    status, why = refused(capfd, "audit", str(tmp_path / "nothing"))
    assert (status, "no such file or directory" in why) == (Exit.USAGE, True)


def test_loaded_latency_of_a_real_shape_keeps_every_identity(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_loaded_latency(maker)
    found = examine(statements(maker.save()))
    assert found.failures == ()
    assert found.checked["no_load"] == 3
    assert found.checked["delay_slows"] > 10
