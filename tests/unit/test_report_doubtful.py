"""Why points are inconclusive, and what to do: as the top of a page and a terminal show it."""

import io
from pathlib import Path

import pytest
from msgspec.structs import replace
from rich.console import Console

from made_storage import storage_run
from tierscope.record.background import Background
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.doubtful import cause, more_time, more_visits, next_step, why
from tierscope.report.terminal import show
from tierscope.report.top.top import top
from tierscope.stats.visited import BETWEEN


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
    assert "4 of 4 points are inconclusive: interval ±" in why(content)
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
        row["reasons"] = "arrays of 8 MiB fit in the last-level cache, 60 MiB: give array= more"
    assert next_step(content) == "give array= more"
    (step,) = [one for one in top(content).steps if "inconclusive" in one.text]
    assert (step.text, step.command) == ("4 inconclusive points: give array= more.", "")


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
