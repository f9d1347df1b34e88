"""Why points are inconclusive, and what to do: as the top of a page and a terminal show it."""

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from made_storage import storage_run
from tierscope.record.background import Background
from tierscope.record.result import Run
from tierscope.report.content import Content, gather
from tierscope.report.doubtful import ADVICE, cause, changes, more_time, more_visits, next_step, why
from tierscope.report.terminal import show
from tierscope.report.top.top import top
from tierscope.stats.background import doubt
from tierscope.stats.lost import OTHER_MARKS
from tierscope.stats.point import COLD
from tierscope.stats.visited import BETWEEN, ONCE, SLOWED
from tierscope.suites.policy.table import HIDDEN, HUNGRY
from tierscope.tables.emulated import hidden_by_ceiling


def test_the_most_frequent_reason_and_a_step_are_reported(tmp_path: Path) -> None:
    run = storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=3)
    content = gather(_asked(run, budget=20.0, limit=600.0))
    assert why(content) == "4 of 4 points are inconclusive: only 3 repeats: 6 are needed, give a longer budget"
    assert next_step(content) == "measure longer (budget=40s limit=1200s)"
    assert more_time(content) == {"budget": "40s", "limit": "1200s"}
    assert next_step(gather(_asked(run))) == "measure longer"


def test_reasons_that_differ_in_numbers_only_are_one(tmp_path: Path) -> None:
    run = storage_run(tmp_path, "size=64MiB", "preset=latency", noise=0.3)
    content = gather(_asked(run))
    assert "4 of 4 points are inconclusive, all like the first: interval ±" in why(content)
    assert next_step(content) == "repeat it on a quiet machine (tierscope doctor)"


def test_a_reason_shows_its_number_of_points(tmp_path: Path) -> None:
    run = storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=3)
    content = gather(run)
    content.sections["storage"].rows[0]["reasons"] = "not steady: still rising"
    assert "4 of 4 points are inconclusive, 3 of them: only 3 repeats" in why(content)


def test_a_run_without_doubt_shows_nothing(tmp_path: Path) -> None:
    content = gather(storage_run(tmp_path, "size=64MiB", "preset=latency"))
    assert (why(content), next_step(content), cause(content)) == ("", "", "")


def test_an_imported_run_is_not_repeated_here(tmp_path: Path) -> None:
    run = storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=3)
    imported = Run(path=run.path, result=replace(run.result, origin="imported"))
    assert next_step(gather(imported)) == "import a file with more repeats of each point"


def test_a_simulation_has_no_neighbours_to_wait_for(tmp_path: Path) -> None:
    run = _asked(storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=3), budget=20.0)
    line = next_step(gather(Run(path=run.path, result=replace(run.result, origin="simulated"))))
    assert "quiet" not in line
    assert "larger footprint" in line
    assert line.endswith("with more time than budget=20s")


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        (
            f"interval ±12.3 % over 2 %{BETWEEN}",
            "the machine changes from visit to visit",
        ),
        ("only 16 clean blocks of 513: the machine is busy", "the machine is busy"),
        ("latency: only 10 clean blocks of 137, 93 % interrupted: the machine is busy", "the machine is busy"),
        ("only 43 clean blocks of 81: 50 are needed, measure longer", "its points were too short"),
        ("interval ±5.3 % over 2 %", "its intervals are too wide"),
        ("not steady: still rising", "not steady: still rising"),
    ],
)
def test_a_headline_has_the_cause_without_its_numbers(tmp_path: Path, reason: str, said: str) -> None:
    content = gather(storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=3))
    for row in content.sections["storage"].rows:
        row["reasons"] = reason
    assert cause(content) == said


def test_a_reason_with_a_remedy_of_its_own_makes_no_step_of_a_quiet_machine(tmp_path: Path) -> None:
    """The same run again would end the same way, so no command repeats it."""
    content = gather(storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=3))
    for row in content.sections["storage"].rows:
        row["reasons"] = "arrays of 8 MiB fit in the last-level cache, 60 MiB: give larger arrays, array=240MiB"
    assert next_step(content) == "give larger arrays, array=240MiB"
    (step,) = [one for one in top(content).steps if "inconclusive" in one.text]
    assert (step.text, step.command) == ("4 inconclusive points: give larger arrays, array=240MiB.", "")


def test_the_only_point_is_not_one_of_one(tmp_path: Path) -> None:
    content = gather(storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=3))
    rows = content.sections["storage"].rows
    del rows[1:]
    rows[0]["reasons"] = "not steady: still rising"
    assert why(content) == "The only point is inconclusive: not steady: still rising"


@pytest.mark.parametrize("repeats", [3, 8])
def test_a_terminal_has_the_line_where_it_is_due(tmp_path: Path, repeats: int) -> None:
    out = io.StringIO()
    show(storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=repeats), Console(file=out, width=80))
    assert ("measure longer" in " ".join(out.getvalue().split())) == (repeats == 3)


def _asked(run: Run, **options: float) -> Run:
    return Run(path=run.path, result=replace(run.result, options=dict(options)))


@pytest.mark.parametrize(
    ("used", "visits", "words"),
    [
        (0.0, 8, "no other program disturbed this run"),
        (None, 8, "a quiet machine helps, too"),
        (0.8, 0, "quiet machine"),
    ],
)
def test_a_machine_that_changes_between_visits_needs_more_of_them(
    tmp_path: Path, used: float | None, visits: int, words: str
) -> None:
    """The advice is not a quiet machine if nothing else ran, and not more visits if much did."""
    run = storage_run(tmp_path, "size=64MiB", "preset=latency", noise=0.3)
    records = tuple(replace(one, background=Background(cpus=used)) for one in run.result.records)
    result = replace(run.result, records=records, options=run.result.options | {"visits": 3, "limit": 105.0})
    content = gather(Run(path=run.path, result=result))
    for row in content.sections["storage"].rows:
        row["reasons"] = f"interval ±12 % over 10 %{BETWEEN}"
    assert more_visits(content) == ({"visits": "8", "limit": "237s"} if visits else {})  # the limit ends the visits
    assert words in next_step(content)
    assert ("visits=8" in next_step(content)) == bool(visits)


def _doubted(tmp_path: Path, reason: str, used: float | None, **options: float) -> Content:
    """Return a run whose points all have this reason, with programs that used some CPUs."""
    run = storage_run(tmp_path, "size=64MiB", "preset=latency", repeats=8)
    records = tuple(replace(one, background=Background(cpus=used)) for one in run.result.records)
    content = gather(Run(path=run.path, result=replace(run.result, records=records, options=dict(options))))
    for row in content.sections["storage"].rows:
        row.update(reasons=reason, conclusive=False)
    return content


def test_intervals_that_contain_what_others_may_take_need_a_quiet_machine(tmp_path: Path) -> None:
    """More visits would be next to the same programs."""
    content = _doubted(tmp_path, f"interval ±12 % over 10 %{SLOWED}", 0.1, visits=3, limit=105.0)
    assert more_visits(content) == {}
    assert next_step(content) == "repeat it on a quiet machine (tierscope doctor)"


@pytest.mark.parametrize(
    ("options", "more"),
    [
        ({"visits": 3, "limit": 105.0}, {"limit": "210s"}),  # the limit ended the visits
        ({"visits": 1, "limit": 105.0}, {"visits": "3", "limit": "210s"}),
        ({"visits": 1}, {"visits": "3"}),
        ({}, {}),
    ],
)
@pytest.mark.parametrize("used", [0.0, 0.8, None])
def test_a_point_of_one_visit_needs_a_second_visit_and_no_quiet_machine(
    tmp_path: Path, options: dict[str, float], more: dict[str, str], used: float | None
) -> None:
    content = _doubted(tmp_path, ONCE, used, **options)
    assert changes(content) == more
    assert next_step(content).startswith("let it visit each point again")
    assert all(f"{key}={value}" in next_step(content) for key, value in more.items())
    (step,) = [one for one in top(content).steps if "inconclusive" in one.text]
    assert all(f"{key}={value}" in step.command for key, value in more.items())


@pytest.mark.parametrize("doubted", [3, 1])
def test_other_programs_come_before_visits_that_they_left_no_time_for(tmp_path: Path, doubted: int) -> None:
    content = _doubted(tmp_path, ONCE, 1.0, limit=105.0)
    rows = content.sections["storage"].rows
    others = doubt(Background(cpus=1.0), 2)
    for number, row in enumerate(rows):
        row.update(reasons=f"{others}; {ONCE}" if number < doubted * len(rows) / 4 else ONCE)
    assert len(rows) >= 4
    assert next_step(content).startswith("stop the other programs" if doubted == 3 else "let it visit each point again")


@pytest.mark.parametrize("reason", ["interval ±5.3 % over 2 %", "not steady: still rising"])
def test_scatter_without_other_programs_needs_more_time(tmp_path: Path, reason: str) -> None:
    content = _doubted(tmp_path, reason, 0.0, budget=0.5)
    assert next_step(content) == "measure longer (budget=1s): no other program disturbed this run"
    assert changes(content) == {"budget": "1s"}
    assert "quiet machine" in next_step(_doubted(tmp_path / "beside", reason, 0.8, budget=0.5))


def test_interruptions_without_other_programs_still_need_a_quiet_machine(tmp_path: Path) -> None:
    """As of a hypervisor, which no count of programs shows."""
    assert "quiet machine" in next_step(_doubted(tmp_path, COLD, 0.0, budget=0.5))
    reason = "only 10 clean blocks of 137, 93 % interrupted: the machine is busy"
    assert "quiet machine" in next_step(_doubted(tmp_path / "busy", reason, 0.0, budget=0.5))


def test_a_quiet_machine_does_not_correct_clocks_that_differ(tmp_path: Path) -> None:
    content = _doubted(tmp_path, f"only 10 % of the moments are clean: {OTHER_MARKS}", 0.8)
    assert next_step(content).startswith("see what tierscope doctor reports about the clock")


def test_a_reason_of_two_sentences_keeps_its_own_remedy(tmp_path: Path) -> None:
    """A semicolon would make two reasons of it, as it joins those of a row."""
    why_not = doubt(Background(cpus=1.5), 2)
    assert "; " not in why_not
    content = _doubted(tmp_path, why_not, 1.5)
    assert next_step(content) == "stop the other programs, or run quick once while they rest"


@pytest.mark.parametrize("reason", [HUNGRY, HIDDEN, hidden_by_ceiling("emu:bandwidth=20GB/s")])
def test_a_reason_of_a_suite_states_its_own_remedy(tmp_path: Path, reason: str) -> None:
    assert reason
    assert ADVICE.search(reason)
    assert "quiet" not in next_step(_doubted(tmp_path, reason, 0.8))
