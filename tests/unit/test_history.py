"""Change points: found where a step was put, silent where none was; and runs over time."""

import io
import json
from pathlib import Path

import msgspec
import numpy as np
import pytest
from rich.console import Console

from made import Maker, Teamwork, made_machine, one_group
from said import refused, say
from tierscope.compare.condition import Changed, changed, listed
from tierscope.compare.history import history
from tierscope.compare.history_text import data, figure, sentence, show
from tierscope.compare.two import compared
from tierscope.errors import Exit, UsageError
from tierscope.record import result as results
from tierscope.record.glance import glance
from tierscope.record.result import Finding, Run
from tierscope.stats.changes import changes
from tierscope.units import GiB

REPEATS = 400


def noisy(seed: int, steps: tuple[float, ...], each: int, noise: float) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.repeat(np.array(steps), each) * np.exp(rng.normal(0, noise, each * len(steps)))


@pytest.mark.parametrize("noise", [0.002, 0.05])
def test_no_change_is_called_in_more_than_one_history_of_twenty(noise: float) -> None:
    called = sum(bool(changes(noisy(seed, (1e10,), 20, noise), least=0.0)) for seed in range(REPEATS))
    assert called <= 0.05 * REPEATS


def test_many_series_together_keep_that_share() -> None:
    called = sum(
        any(changes(noisy(1000 * seed + n, (1e10,), 12, 0.01), tests=10, least=0.0) for n in range(10))
        for seed in range(100)
    )
    assert called <= 5


def test_a_step_of_three_per_cent_is_found_where_it_is() -> None:
    found = [changes(noisy(seed, (1e10, 0.97e10), 8, 0.005)) for seed in range(100)]
    exact = sum(len(one) == 1 and abs(one[0].place - 8) <= 1 for one in found)
    assert exact >= 90
    assert found[0][0].ratio == pytest.approx(0.97, abs=0.01)


def test_two_steps_are_both_found() -> None:
    found = changes(noisy(7, (1.0, 0.9, 1.1), 8, 0.005))
    assert [one.place for one in found] == [8, 16]
    assert found[1].before == pytest.approx(0.9, abs=0.01)


def test_a_change_below_the_least_of_interest_is_left_out() -> None:
    series = noisy(1, (1.0, 1.01), 10, 1e-4)
    assert changes(series, least=0.005) != ()
    assert changes(series, least=0.02) == ()


@pytest.mark.parametrize("series", [[1.0] * 5, [1.0] * 9, [1.0, 0.0, 1.0, 2.0, 2.0, 2.0], [1.0, np.nan] * 4])
def test_a_history_that_is_short_constant_or_not_of_ratios_has_no_change(series: list[float]) -> None:
    assert changes(np.array(series)) == ()


def test_a_step_without_any_noise_is_certain() -> None:
    (found,) = changes(np.array([1.0] * 4 + [2.0] * 4))
    assert (found.place, found.chance) == (4, 0.0)


def made(
    folder: Path, number: int, times: float = 1.0, origin: str = "real", settings: tuple[tuple[str, str], ...] = ()
) -> Run:
    """settings: name and state of checks; a state of "" is not known."""
    maker = Maker(folder / f"r{number}", 50 + number)
    for kernel, rate in (("read", 19e9), ("triad", 16e9 * times)):
        group = one_group(kernel, (0,), GiB)
        size = 64 if kernel == "read" else 192
        maker.add("stream", {"kernel": kernel, "threads": 1}, (group,), (Teamwork((rate / size,)),), preempted=0.0)
    run = maker.save("stream")
    findings = tuple(
        Finding(name=name, state=state, verdict="good" if state else "unknown", touches=(), effect="", remedy="")
        for name, state in settings
    )
    result = msgspec.structs.replace(
        run.result, started=f"2026-01-{number + 1:02d}T00:00:00Z", origin=origin, findings=findings
    )
    results.save_result(run.path, result)
    return results.load(run.path)


@pytest.fixture(scope="module")
def slower(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight runs; triad loses a tenth from the fifth on."""
    folder = tmp_path_factory.mktemp("runs")
    for number in range(8):
        made(folder, number, 0.9 if number >= 4 else 1.0)
    return folder


def test_a_slower_kernel_is_found_with_its_run_and_the_other_is_left_alone(slower: Path) -> None:
    runs = [results.load(path) for path in sorted(slower.iterdir(), reverse=True)]
    found = history(runs, 0.02)
    assert found.names == tuple(f"r{number}" for number in range(8))
    read, triad = found.series
    assert read.changes == ()
    assert [(one.place, triad.worse(one)) for one in triad.changes] == [(4, True)]
    assert sentence(found) == "1 of 2 points changed over 8 runs"
    spec = figure(found)
    assert [value["rule"] for value in spec["data"]["values"] if value["rule"] is not None] == [3.5]


def test_the_command(
    slower: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    picture = tmp_path / "h.svg"
    status, out, _ = say(capfd, "history", str(slower), "--figure", str(picture))
    assert status == Exit.FAILED
    assert "(slower) from r4" in " ".join(out.split())
    assert picture.read_text().startswith("<svg")
    status, out, _ = say(capfd, "history", *(str(slower / f"r{n}") for n in range(4)), "--json")
    assert status == Exit.INCONCLUSIVE
    assert "too few runs" in json.loads(out)["verdict"]
    status, out, _ = say(capfd, "history", str(slower), "--least", "0.5", "--json")
    assert (status, json.loads(out)["verdict"]) == (Exit.GOOD, "no change in 2 points over 8 runs")
    assert refused(capfd, "history", str(slower), "--least", "2")[0] == Exit.USAGE
    assert "is not a run directory" in refused(capfd, "history", str(tmp_path))[1]


def test_a_point_of_too_few_runs_is_not_called_unchanged(slower: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """`read` is in five of eight runs."""
    runs = [results.load(path) for path in sorted(slower.iterdir())]
    without = [msgspec.structs.replace(run, result=_without_read(run)) for run in runs[5:]]
    found = history([*runs[:5], *without], 0.5)
    assert [one.judged for one in found.series] == [False, True]
    assert sentence(found) == ("no change in 1 point over 8 runs; 1 more: not known: needs 6 runs that are conclusive")
    show(found, Console(width=200))
    lines = capfd.readouterr().out.splitlines()
    assert sorted(line.split()[1] for line in lines if line.endswith("not known: needs 6 runs")) == ["read,"]


def _without_read(run: Run) -> results.Result:
    records = tuple(one for one in run.result.records if one.experiment.groups[0].workload.kernel != "read")
    return msgspec.structs.replace(run.result, records=records)


def test_too_few_conclusive_numbers_are_distinguished_from_too_few_runs(slower: Path) -> None:
    runs = [results.load(path) for path in sorted(slower.iterdir())]
    doubtful = [msgspec.structs.replace(run, result=unsure(run)) for run in runs[2:]]
    assert "up to 6 per point are inconclusive and left out" in sentence(history([*runs[:2], *doubtful], 0.02))


def unsure(run: Run) -> results.Result:
    """Its schedule asks for more precision than there is."""
    asked = msgspec.structs.replace
    records = tuple(
        asked(
            one,
            experiment=asked(one.experiment, schedule=asked(one.experiment.schedule, precision=1e-9)),
        )
        for one in run.result.records
    )
    return asked(run.result, records=records)


def test_runs_of_two_origins_and_of_nothing_in_common_are_refused(tmp_path: Path) -> None:
    one, other = made(tmp_path, 1), made(tmp_path, 2, origin="simulated")
    with pytest.raises(UsageError, match="real and simulated"):
        history([one, other], 0.02)
    with pytest.raises(UsageError, match="no point is in two"):
        history([one], 0.02)


def test_other_machines_are_counted(tmp_path: Path) -> None:
    one, other = made(tmp_path, 1), made(tmp_path, 2)
    result = msgspec.structs.replace(other.result, machine=made_machine(cpus=4))
    assert history([one, msgspec.structs.replace(other, result=result)], 0.02).machines == 2


POWERSAVE, PERFORMANCE = (("governor", "powersave"), ("turbo", "on")), (("governor", "performance"), ("turbo", "on"))


def test_a_history_names_the_run_from_which_a_setting_differs(tmp_path: Path) -> None:
    runs = [made(tmp_path, number, settings=POWERSAVE if number < 3 else PERFORMANCE) for number in range(6)]
    seen = [glance(run.path) for run in runs]
    found = history(seen, 0.02)
    assert [(number, [one.name for one in settings]) for number, settings in found.settings] == [(3, ["governor"])]
    console = Console(width=200, record=True, file=io.StringIO())
    show(found, console)
    assert "from r3 on, settings of the machine differ: governor (powersave before, performance after)" in (
        console.export_text()
    )
    assert data(found)["settings"] == [{"run": "r3", "name": "governor", "before": "powersave", "after": "performance"}]


def test_two_runs_with_other_settings_have_a_note_and_their_verdict(tmp_path: Path) -> None:
    old, new = made(tmp_path, 0, settings=POWERSAVE), made(tmp_path, 1, 0.5, settings=PERFORMANCE)
    rows, notes = compared(old, new, None, None)
    assert {row["verdict"] for row in rows} == {"slower", "no difference shown"}
    (note,) = (one for one in notes if "settings" in one)
    assert "governor (powersave before, performance after)" in note
    assert "turbo" not in note


@pytest.mark.parametrize("times", [0.5, 1.0])
def test_settings_that_are_not_known_are_named_where_numbers_differ(tmp_path: Path, times: float) -> None:
    old, new = made(tmp_path, 0, settings=POWERSAVE), made(tmp_path, 1, times, settings=(("governor", ""),))
    notes = compared(old, new, None, None)[1]
    assert any("Not known of at least one of them: governor." in one for one in notes) == (times != 1.0)
    assert not any("settings of the machine differ" in one for one in notes)


def test_a_run_that_does_not_know_a_setting_hides_no_change(tmp_path: Path) -> None:
    settings = (PERFORMANCE, PERFORMANCE, (("governor", ""),), POWERSAVE, POWERSAVE, POWERSAVE)
    found = history([made(tmp_path, number, settings=one) for number, one in enumerate(settings)], 0.02)
    assert [(number, str(one)) for number, ones in found.settings for one in ones] == [
        (3, "governor (performance before, powersave after)")
    ]


def test_two_good_states_are_one_setting(tmp_path: Path) -> None:
    """Their words differ, and nothing else."""
    old, new = (("numa_balancing", "off"),), (("numa_balancing", "not built into this kernel"),)
    assert changed(made(tmp_path, 0, settings=old), made(tmp_path, 1, settings=new)) == ()


def test_many_settings_are_counted() -> None:
    found = [Changed(f"s{number}", "a", "b") for number in range(7)]
    assert listed(found).endswith("s4 (a before, b after) and 2 more")
