"""The audit finds every planted fault, is silent on what is clean, and finds what is known of document 003."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from made import HZ, Maker, Teamwork, add_loaded_latency, add_stream, made_blocks, made_facts, one_group
from made_quick import made_run
from said import refused, say
from tierscope import result as results
from tierscope.audit import Audit, Quantity, Statement, examine, identities
from tierscope.audit.own import statements
from tierscope.errors import Exit
from tierscope.report.content import gather
from tierscope.report.writers import writers
from tierscope.result import STOLEN, Clock, Run
from tierscope.units import GiB, KiB, MiB

CLEAN_SEEDS = 50

Numbers = dict[str, float | Quantity]


def stated(
    label: str = "row", series: str = "", words: dict[str, str] | None = None, **numbers: float | Quantity
) -> Statement:
    quantities = {name: n if isinstance(n, Quantity) else Quantity(float(n)) for name, n in numbers.items()}
    return Statement(label, quantities, words or {}, "t", series)


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
    "copied": [
        stated("a", bandwidth_bytes_per_s=Quantity(10.1e9, bounds=(10e9, 10.2e9))),
        stated("b", bandwidth_bytes_per_s=Quantity(10.3e9, bounds=(10.2e9, 10.4e9))),
    ],
}  # fmt: skip


def changed(name: str, **numbers: float | Quantity) -> list[Statement]:
    """The last statement of a good set with other numbers."""
    *others, last = GOOD[name]
    quantities = {key: n if isinstance(n, Quantity) else Quantity(float(n)) for key, n in numbers.items()}
    return [*others, replace(last, quantities={**last.quantities, **quantities})]


def test_what_a_program_takes_between_operations_is_no_fault_of_a_fast_device() -> None:
    """fio on memory: 4 under way, 305 469 operations/s, 12.39 us each; and a device too slow for that."""
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
    ("littles_law", changed("littles_law", latency_s=160e-6 * 39), "impossible: 39 times"),
    ("littles_law", changed("littles_law", latency_s=0.16), "as if a prefix was lost"),
    ("littles_law", changed("littles_law", rate_per_s=70_000, read_share=0.7), "reads alone"),
    ("littles_law", changed("littles_law", latency_s=120e-6), "25 % below"),
    ("littles_law", changed("littles_law", latency_s=200e-6), "25 % above"),
    ("operation_bytes", changed("operation_bytes", bandwidth_bytes_per_s=4.096e6), "two digits were lost"),
    ("operation_bytes", changed("operation_bytes", bandwidth_bytes_per_s=390.625e6), "MiB were taken for MB"),
    ("operation_bytes", changed("operation_bytes", bandwidth_bytes_per_s=409.6e6 * 8), "bits were taken for bytes"),
    ("operation_bytes", changed("operation_bytes", bandwidth_bytes_per_s=300e6), "times that"),
    ("time_taken", changed("time_taken", seconds=0.2), "total bytes / seconds makes"),
    ("same_quantity", changed("same_quantity", second_bandwidth_bytes_per_s=SLIPPED), "unit slip"),
    ("same_quantity", changed("same_quantity", second_bandwidth_bytes_per_s=1.5e9), "1.50 times more"),
    ("no_load", delays(lambda d: 85e-9 + d * 1e-12), "no load ran"),
    ("peak_share", changed("peak_share", bus_bytes_per_s=330e9), "fewer channels"),
    ("peak_share", changed("peak_share", bus_bytes_per_s=330e9, **FITS), "the cache's bandwidth"),
    ("core_limit", changed("core_limit", bandwidth_bytes_per_s=5e12), "no cache explains it"),
    ("core_limit", changed("core_limit", latency_s=1e-11), "did not depend on each other"),
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
    ("copied", changed("copied", bandwidth_bytes_per_s=Quantity(10.1e9, bounds=(10e9, 10.2e9))), "a row was copied"),
]  # fmt: skip


def test_every_identity_has_a_good_set_and_a_planted_fault() -> None:
    assert set(GOOD) == set(identities)
    assert {name for name, _, _ in PLANTED} == set(identities)
    assert len(GOOD) >= 12


@pytest.mark.parametrize("name", sorted(GOOD))
def test_an_identity_holds_where_nothing_is_wrong(name: str) -> None:
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
    """16 under way and a latency 4.86 % above: the square of 1.024, which is MiB for MB of bytes alone."""
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
    assert [one.why for one in identities["in_range"].check([Statement("row", {name: Quantity(value)})]) if one] == [
        why
    ]


def test_what_is_simulated_is_not_bound_by_hardware() -> None:
    (one,) = changed("core_limit", latency_s=1e-11)
    assert examine([replace(one, words={"access": "dependent", "origin": "simulated"})]).failures == ()


def test_a_doubtful_row_is_not_held_against_its_neighbours() -> None:
    few, many = changed("threads_add", bandwidth_bytes_per_s=60e9)
    assert examine([few, replace(many, words={"conclusive": "False"})]).failures == ()


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
    """A stream of two points, the second of which has `fault`."""
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


# --- shown beside the number ---


@pytest.fixture
def broken(tmp_path: Path) -> Run:
    planted_run(tmp_path, "placement")
    return results.load(tmp_path)


def test_a_failed_identity_stands_in_every_form(
    broken: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tierscope.report.writers.html.bundle", lambda: "")
    monkeypatch.setenv("COLUMNS", "400")
    for name in ("html", "markdown"):
        (path,) = writers[name].write(broken, tmp_path / "to")
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
