"""The suite core on made answers: steps, lines in flight, prefetchers, and what hides what."""

import numpy as np
import pytest
from msgspec.structs import replace

from made import Maker
from made_core import MadeCore, add_core, asked
from made_machine import made_machine, with_lines
from tierscope.plans import Plan, suites
from tierscope.plans.live import describe
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.record.work.loop import LoopWork
from tierscope.run.expected import imagine
from tierscope.simulated.core import ends_of, settings, toml_of
from tierscope.stats.median import Interval
from tierscope.suites.core.fetch import Share, farthest, fewest, streamed
from tierscope.suites.core.flight import Line, flight_of
from tierscope.suites.core.found import Core, parameters
from tierscope.suites.core.parameter import Made
from tierscope.suites.core.points import CodePoints, Points
from tierscope.suites.core.row import CoreRow
from tierscope.suites.core.step import Pair, Step, finer, step_of
from tierscope.suites.core.walks import PAGE
from tierscope.tables import tables


def pairs(step: int, counts: range, half: float = 0.02, wrong: tuple[int, ...] = ()) -> list[Pair]:
    return [Pair(n, (2.0 if (n > step) != (n in wrong) else 1.05), half) for n in counts]


def test_the_step_is_between_the_last_that_fits_and_the_first_that_does_not() -> None:
    found = step_of(pairs(50, range(10, 100, 4)))
    assert (found.low, found.high, found.why) == (50, 54, "")


def test_one_disturbed_point_widens_the_step_and_does_not_move_it() -> None:
    found = step_of(pairs(50, range(10, 100, 4), wrong=(22,)))
    assert found.low <= 50 < (found.high or 0) <= 58
    assert found.low >= 42


def test_points_that_contradict_each_other_give_no_step() -> None:
    found = step_of(pairs(50, range(10, 100, 4), wrong=(14, 22, 30, 62, 70, 86)))
    assert not found.low
    assert "no single step" in found.why


def test_a_slow_rise_is_not_a_step() -> None:
    rising = [Pair(n, 1 + n / 100, 0.001) for n in range(5, 100, 5)]
    assert "hide" in step_of(rising).why


def test_a_curve_without_a_step_is_a_bound() -> None:
    found = step_of(pairs(500, range(10, 100, 4)))
    assert (found.low, found.high) == (98, None)


def test_finer_points_halve_the_gap_until_it_is_one() -> None:
    known = pairs(50, range(10, 100, 20))
    for _ in range(10):
        wanted = finer([*known, *pairs(50, range(100, 200, 30))])
        if wanted is None:
            break
        known += pairs(50, range(wanted, wanted + 1))
    found = step_of([*known, *pairs(50, range(100, 200, 30))])
    assert (found.low, found.high) == (50, 51)


@pytest.mark.parametrize("lines", [6, 12, 24, 40])
def test_lines_in_flight_are_those_of_a_made_curve(lines: int) -> None:
    rng = np.random.default_rng(lines)
    curve = [
        Line(p, float(100e-9 / min(p, lines) * rng.normal(1, 0.01)), 2e-11)
        for p in (*range(1, 9), 10, 12, 14, 16, 18, 20, 24, 32, 40, 48, 64, 96, 128)
    ]
    found = flight_of(curve)
    assert found.low <= lines <= found.high
    assert found.high - found.low < 0.25 * lines


def test_a_curve_that_still_falls_is_a_bound() -> None:
    found = flight_of([Line(p, 1e-7 / p, 1e-10) for p in (1, 2, 4, 8, 16, 32, 64)])
    assert found.why
    assert found.middle == pytest.approx(48, rel=0.4)
    assert found.low <= 64


def test_disturbed_times_do_not_prove_many_lines() -> None:
    rng = np.random.default_rng(3)
    counts = (*range(1, 9), 10, 12, 14, 16, 18, 20, 24, 32, 40, 48, 64, 96, 128)
    for _ in range(200):
        curve = [
            Line(p, float(100e-9 / min(p, 20) * rng.lognormal(0, 0.05)), 100e-9 / min(p, 20) * 0.09) for p in counts
        ]
        found = flight_of(curve)
        assert found.low <= 20 * 1.25, found


def test_fetched_bytes_are_bounded_by_the_request() -> None:
    yes, no, unsure = Share(0.95, 0.05), Share(0.02, 0.05), Share(0.5, 0.2)
    bound = farthest({1: yes, 2: yes, 4: yes, 8: no})
    assert (bound.low, bound.high) == (4, 7)
    assert farthest({1: yes, 2: no, 4: yes}).why
    assert farthest({1: unsure, 2: unsure}).why
    assert farthest({1: no, 2: unsure}).why
    assert (fewest({1: no, 2: no, 3: yes, 4: yes}).low, fewest({1: no, 2: no, 3: yes}).high) == (3, 3)
    assert fewest({1: no, 3: yes, 4: no}).why


def made_rows(
    tmp_path: object, made: MadeCore, machine: Machine | None = None, **words: str
) -> dict[tuple[str, str], CoreRow]:
    maker = Maker(tmp_path)  # type: ignore[arg-type]
    add_core(maker, made, machine, **words)
    run: Run = maker.save("core", machine or made_machine(2))
    rows = tables["core_parameters"].rows(run)
    return {(row.parameter, row.level): row for row in rows}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], CoreRow]:
    """Return the rows of all probes of one made core."""
    return made_rows(tmp_path_factory.mktemp("core"), MadeCore())


def test_a_made_core_is_found(whole: dict[tuple[str, str], CoreRow]) -> None:
    rows = whole
    values = {name: rows[name].value for name in rows}
    reorder, stores = values["reorder buffer", ""], values["store buffer", ""]
    assert reorder
    assert reorder.low <= 160 <= reorder.high
    assert stores
    assert stores.low <= 40 <= stores.high
    assert rows["width", ""].whole == 4
    assert rows["visits that train", "up"].whole == 3
    ahead, miss, lines = values["lines ahead", "up"], values["branch miss", ""], values["lines in flight", "memory"]
    assert ahead
    assert ahead.low <= 8 <= ahead.high
    assert miss
    assert miss.low <= 18 <= miss.high
    assert lines
    assert lines.low <= 12 <= lines.high
    assert rows["next line", "up"].answer == "none"
    assert rows["streams", ""].whole == 16


def test_the_short_probes_find_lines_and_kind_with_few_points(
    tmp_path: object, whole: dict[tuple[str, str], CoreRow]
) -> None:
    """They ask a part of what `flight` and `fetch` ask, and no question that they did not ask has an answer."""
    rows = made_rows(tmp_path, MadeCore(), probes="window,lines,kind")
    for name in (("lines in flight", "memory"), ("visits that train", "up"), ("next line", "up"), ("pattern", "")):
        assert rows[name].answer == whole[name].answer
    found, visits = rows["lines in flight", "memory"].value, rows["visits that train", "up"].value
    assert found
    assert found.low <= 12 <= found.high
    assert visits
    assert (visits.low, visits.high) == (3, 6)
    assert ("lines in flight", "L2") not in rows
    assert not any(parameter in {"widest stride", "lines ahead", "streams"} for parameter, _ in rows)
    assert not any(level in {"down", "pair"} for _, level in rows)
    short, long_ = (len(asked(MadeCore(), probes=probes)) for probes in ("lines,kind", "flight,fetch"))
    assert short < long_ / 2


@pytest.mark.parametrize("ramp", [0.98, 1.0, 1.03])
@pytest.mark.parametrize(("width", "units"), [(6, 2), (8, 3), (4, 0), (4, 1)])
def test_the_width_does_not_depend_on_vector_units_or_the_clock(
    tmp_path: object, width: int, units: int, ramp: float
) -> None:
    """Two vector units let a mix reach 4 instructions per cycle; integers alone reach the width of 6."""
    row = made_rows(tmp_path, MadeCore(width=width, vector_units=units, ramp=ramp), probes="width")["width", ""]
    assert row.answer == "known"
    assert row.whole == width


@pytest.mark.parametrize(("width", "answer"), [(3, "at least"), (5, "at least"), (6, "known")])
def test_a_width_below_the_documented_one_is_a_bound(tmp_path: object, width: int, answer: str) -> None:
    """A guest cannot see what another one takes of the core."""
    machine = made_machine(2)
    machine = replace(machine, identity=replace(machine.identity, family="GenuineIntel:6:207:2"))
    row = made_rows(tmp_path, MadeCore(width=width), machine, probes="width")["width", ""]
    assert row.answer == answer
    assert row.documented == 6
    assert row.value
    assert row.value.low == width


def test_a_core_that_merges_nops_has_a_lower_bound_of_its_width(tmp_path: object) -> None:
    row = made_rows(tmp_path, MadeCore(width=6, nops=8, vector_units=2, ramp=1.03), probes="width")["width", ""]
    assert row.answer == "at least"
    assert row.value is not None
    assert row.value.low == 6


def test_a_store_buffer_behind_the_reorder_buffer_is_a_bound(tmp_path: object) -> None:
    rows = made_rows(tmp_path, MadeCore(reorder=40, stores=60), probes="window,store")
    assert rows["store buffer", ""].answer == "at least"
    assert "reorder buffer fills first" in rows["store buffer", ""].why


def test_the_load_buffer_and_the_registers_are_found_and_bound_a_simulated_core(tmp_path: object) -> None:
    rows = made_rows(tmp_path, MadeCore(files=True), probes="width,window,load")
    places = rows["load buffer", ""]
    assert (places.answer, places.unit) == ("known", "loads")
    assert places.value
    assert places.value.low <= 60 <= places.value.high
    assert places.value.high - places.value.low <= 1
    found = {one.key: one.value for one in settings(list(rows.values()))}
    assert found["load_buffer"] == "60"
    assert found["integer_registers"] == "97"  # 96 fillers and a load
    assert found["vector_registers"] == "94"  # two of the fillers end the loop


def test_registers_that_outlast_the_reorder_buffer_bound_nothing(tmp_path: object) -> None:
    rows = made_rows(tmp_path, MadeCore(files=True, vectors=400, loads=400), probes="width,window,load")
    assert rows["load buffer", ""].answer == "at least"
    assert "reorder buffer fills first" in rows["load buffer", ""].why
    assert not {"integer_registers", "vector_registers"} & {one.key for one in settings(list(rows.values()))}


@pytest.mark.parametrize(("family", "places"), [("GenuineIntel:6:207:2", "192"), ("AuthenticAMD:25:1:1", "")])
def test_half_of_a_reorder_buffer_is_not_taken_for_registers(tmp_path: object, family: str, places: str) -> None:
    """While another hardware thread works, all windows end there: the program may have the whole core."""
    machine = made_machine(2)
    machine = replace(machine, identity=replace(machine.identity, family=family))
    half = MadeCore(reorder=113, vectors=400, loads=400, files=True)
    rows = made_rows(tmp_path, half, machine, probes="width,window,load")
    found = {one.key: one for one in settings(list(rows.values()))}
    assert not {"integer_registers", "vector_registers"} & set(found)
    assert rows["load buffer", ""].answer == "at least"
    assert rows["load buffer", ""].value
    least = rows["load buffer", ""].value.low
    assert ("load_buffer" in found) == bool(places)
    ends = (f",core.load_buffer={least:.0f}", f",core.load_buffer={places}") if places else ("", "")
    assert ends_of(list(rows.values())) == ends


def test_both_ends_of_registers_and_of_the_load_buffer_are_those_of_the_small_and_the_large_core(
    tmp_path: object,
) -> None:
    rows = made_rows(tmp_path, MadeCore(files=True), probes="width,window,load")
    wide = [
        replace(row, value=Interval(90, 95, 100, 9)) if (row.parameter, row.level) == ("window", "result") else row
        for row in rows.values()
    ]
    small, large = ends_of(wide)
    assert "core.integer_registers=90" in small
    assert "core.integer_registers=100" in large
    assert small.count("=") == large.count("=") == 3


def test_a_load_buffer_is_not_sure_if_the_window_of_results_is_not(whole: dict[tuple[str, str], CoreRow]) -> None:
    found = Core(Points(()), CodePoints(), Made("node:0", "real"))
    reorder = whole["reorder buffer", ""]
    for results in (Step(0, None, "the time has no single step over the number of fillers"), None):
        row = found._loads(Step(30, 31), 9, reorder, results)
        assert (row.answer, row.why.endswith("are not known")) == ("at least", True)
    assert found._loads(Step(30, 31), 9, reorder, Step(96, 97)).answer == "known"


def test_a_load_buffer_behind_the_registers_is_a_bound(tmp_path: object) -> None:
    rows = made_rows(tmp_path, MadeCore(files=True, loads=94), probes="width,window,load")
    assert (rows["load buffer", ""].answer, rows["load buffer", ""].why) == ("at least", "registers run out first")
    without = made_rows(tmp_path, MadeCore(), probes="width,window,load")["load buffer", ""]
    assert without.answer == "at least"
    assert "not known" in without.why


def test_more_lines_than_places_for_loads_are_a_bound(tmp_path: object) -> None:
    rows = made_rows(tmp_path, MadeCore(files=True, loads=14), probes="width,window,load,lines")
    assert rows["lines in flight", "memory"].answer == "at least"
    assert "places for loads" in rows["lines in flight", "memory"].why


def test_more_lines_than_the_reorder_buffer_has_loads_are_a_bound(tmp_path: object) -> None:
    rows = made_rows(tmp_path, MadeCore(reorder=24, lines=20), probes="window,flight")
    assert rows["lines in flight", "memory"].answer == "at least"


def test_loops_that_visit_no_memory_are_spread_over_the_run() -> None:
    """One visit alone met another guest's thread on this core, and found half of its width, within 2 %."""
    for one in asked(MadeCore(), probes="width,guess,lines"):
        work = one.groups[0].workload.of(LoopWork)
        assert one.schedule.visits == (0 if work.chains else 5)


def test_loops_without_a_time_leave_the_width_open_with_the_reason(tmp_path: object) -> None:
    maker = Maker(tmp_path)  # type: ignore[arg-type]
    add_core(maker, MadeCore(), probes="width")
    run = maker.save("core", made_machine(2))
    points = [replace(row, time=None) if row.filler == "nop" else row for row in tables["core_points"].rows(run)]
    rows = parameters(Points(points), CodePoints(), Made("node:0", "real"))
    (width,) = [row for row in rows if row.parameter == "width"]
    assert width.answer == "not known"
    assert "changes too much" in width.why


def test_loops_whose_time_changes_by_half_leave_the_width_open(tmp_path: object) -> None:
    """No vendor documents this core."""
    maker = Maker(tmp_path)  # type: ignore[arg-type]
    add_core(maker, MadeCore(), probes="width")
    rows = tables["core_points"].rows(maker.save("core", made_machine(2)))
    points = [replace(row, time=spread(row.time)) if row.probe == "width" else row for row in rows]
    (width,) = [row for row in parameters(Points(points), CodePoints(), Made("node:0", "real")) if row.level == ""
                and row.parameter == "width"]  # fmt: skip
    assert width.answer == "not known"
    assert "changes too much" in width.why


def spread(time: Interval | None) -> Interval:
    assert time
    return Interval(0.7 * time.middle, time.middle, 1.3 * time.middle, time.count)


def test_the_settings_of_a_simulated_core_are_those_found(whole: dict[tuple[str, str], CoreRow]) -> None:
    rows = list(whole.values())
    found = {(one.section, one.key): one.value for one in settings(rows)}
    assert found["core", "reorder"] == "160"
    assert found["core", "store_buffer"] == "40"
    assert found["core", "width"] == "4"
    assert found["core", "wrong_guess"] == "16"  # the cost of 18, less two cycles until the branch is known
    assert found["cpu", "loads"] == "12"
    assert float(found["cpu", "cycle"].strip('"ns')) == pytest.approx(0.25, rel=0.01)
    assert "[core]\nwidth = 4  # found" in toml_of(rows)


def test_a_parameter_that_is_not_known_is_left_to_the_simulator(tmp_path: object) -> None:
    rows = list(made_rows(tmp_path, MadeCore(), probes="guess").values())
    assert {one.key for one in settings(rows)} == {"cycle", "wrong_guess"}


def test_points_state_their_question() -> None:
    experiments: list[Experiment] = asked(MadeCore(), probes="store")
    store = next(one for one in experiments if one.groups[0].workload.of(LoopWork).chains == 2)
    assert describe(store) == "store: 2 lines, 4 store"


def loops(plan: Plan) -> list[Experiment]:
    """Return the experiments of a plan but those on much code."""
    return [one for one in imagine(plan) if one.groups[0].workload.kernel == "loop"]


@pytest.mark.parametrize("train", [7, 12, 15])
def test_a_prefetcher_that_waits_for_many_visits_is_found(tmp_path: object, train: int) -> None:
    """As on servers that fetch ahead only along a part of a page; 6 visits do not show it."""
    row = made_rows(tmp_path, MadeCore(train=train), probes="kind")["visits that train", "up"]
    assert row.answer == "at least"
    assert row.value
    assert row.value.low == 7 <= train
    assert row.why.startswith("a stream along a page is fetched")
    whole = made_rows(tmp_path, MadeCore(train=train), probes="fetch")["visits that train", "up"]
    assert whole.value
    assert whole.value.low <= train <= whole.value.high


def test_a_stream_that_is_fetched_in_part_decides_nothing(tmp_path: object) -> None:
    row = made_rows(tmp_path, MadeCore(train=30), probes="kind")["visits that train", "up"]
    assert row.answer == "not known"
    assert row.why == "6 visits of a page train none, and a stream along a page is not sure enough"


@pytest.mark.parametrize(
    ("ratio", "fetched"), [(0.13, True), (0.33, None), (0.375, None), (0.5, None), (0.75, False), (1.0, False)]
)
def test_a_stream_is_fetched_if_nothing_else_makes_it_as_fast(ratio: float, fetched: bool | None) -> None:
    """Pairs take half of the time, pairs with open pages 0.375x, the next two lines a third."""
    assert streamed((ratio, 0.01 * ratio), (1.0, 0.01)) is fetched


@pytest.mark.parametrize(("ratio", "fetched"), [(0.2, True), (0.33, None), (0.42, None), (0.45, False), (0.9, False)])
def test_a_stream_that_takes_half_of_the_time_shows_no_more_than_the_next_line(
    ratio: float, fetched: bool | None
) -> None:
    assert streamed((ratio, 0.01 * ratio), (1.0, 0.01), next_line=True) is fetched


@pytest.mark.parametrize("line", [64, 128, 256])
def test_no_prefetcher_is_stated_after_a_stream_along_a_page(tmp_path: object, line: int) -> None:
    machine = with_lines(made_machine(2), line)
    row = made_rows(tmp_path, MadeCore(depth=0), machine=machine, probes="kind")["visits that train", "up"]
    assert (row.answer, row.why) == ("none", "and a stream along a page takes the time of its lines alone")


@pytest.mark.parametrize(("line", "irregular"), [(64, 23), (128, 23), (256, 11)])
def test_chains_and_windows_have_the_lines_of_the_machine(line: int, irregular: int) -> None:
    chosen = suites["core"].read({})
    machine = with_lines(made_machine(), line)
    assert suites["core"].left_out(machine, chosen) == ()
    works = [one.groups[0].workload.of(LoopWork) for one in loops(suites["core"].plan(machine, chosen))]
    assert {work.element_bytes for work in works} == {line, PAGE + line}, "of page walks, places are a page apart"
    windows = [work for work in works if work.train]
    for one in loops(suites["core"].plan(machine, chosen)):
        work = one.groups[0].workload.of(LoopWork)
        group = max(work.windows, 1) * (work.train + 1) if work.train else 0
        blocks = one.groups[0].workload.per_block
        assert blocks % group == 0 if group else blocks == 0  # whole groups of windows in each block
    reach = {(work.train - 1) * work.stride + work.ahead for work in windows}
    assert max(reach) < 4096 // line
    patterns = {work.ahead for work in windows if work.train == 1 and not work.stride and not work.parity}
    assert patterns == {irregular}


def test_a_page_of_few_lines_leaves_the_prefetcher_out_with_the_reason(tmp_path: object) -> None:
    machine = with_lines(made_machine(2), 512)
    chosen = suites["core"].read({})
    (why,) = suites["core"].left_out(machine, chosen)
    assert why.startswith("the prefetcher is not probed: a page of 4 KiB has 8 lines of 512 bytes, too few")
    (step,) = why.split("; try ")[1:]
    assert suites["core"].left_out(machine, suites["core"].read(dict([step.split("=")]))) == ()
    works = [one.groups[0].workload.of(LoopWork) for one in loops(suites["core"].plan(machine, chosen))]
    assert works
    assert not any(work.train for work in works)
    rows = made_rows(tmp_path, MadeCore(), machine=machine, probes="guess,fetch")
    assert rows["branch miss", ""].value
    assert ("pattern", "") not in rows


def test_a_window_that_no_page_has_answers_nothing(tmp_path: object) -> None:
    """Windows show four strides of 16 lines of 256 bytes; 8 strides are at least those."""
    made = MadeCore(depth=8)
    rows = made_rows(tmp_path, made, machine=with_lines(made_machine(2), 256), probes="fetch")
    ahead = rows["lines ahead", "up"]
    assert ahead.answer == "at least"
    assert ahead.value
    assert ahead.value.low == 8
    assert rows["visits that train", "up"].value == Interval(3, 3, 3, 2)
    assert rows["pattern", ""].why.startswith("a line 11 lines from")
