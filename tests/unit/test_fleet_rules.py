"""Rules about fleets on imagined ones with a fixed seed: power, false verdicts, kinds, changes. No clock."""

from pathlib import Path

import msgspec
import numpy as np
import pytest

from tierscope.errors import UsageError
from tierscope.fleet.confirm import discoveries
from tierscope.fleet.confirm_plan import write_plan
from tierscope.fleet.covariates import separating
from tierscope.fleet.groups import grouped
from tierscope.fleet.imagine import imagine
from tierscope.fleet.imagine_files import write_fleet, write_sessions
from tierscope.fleet.imagine_options import ImagineOptions, planted
from tierscope.fleet.imagine_score import score_outliers, score_trend
from tierscope.fleet.modes import two_modes
from tierscope.fleet.outliers import outliers, unlike, usual_facts
from tierscope.fleet.outliers_text import lines
from tierscope.fleet.trend import trend
from tierscope.fleet.trend_cusum import alarms

FACTS = {"sku": "a", "family": "f", "dimms": "8x32", "bios": "1", "kernel": "6"}


def test_equal_seeds_give_equal_fleets() -> None:
    first, second = imagine(ImagineOptions()), imagine(ImagineOptions())
    assert np.array_equal(first.level, second.level)
    assert first.truth == second.truth
    assert not np.array_equal(first.level, imagine(ImagineOptions(seed=2)).level)


def test_a_fault_that_is_not_known_names_those_that_are() -> None:
    with pytest.raises(UsageError, match="'slw:3' is not KIND:COUNT"):
        planted(ImagineOptions(faults="slw:3"))
    with pytest.raises(UsageError, match="needs more hosts than machines=2"):
        planted(ImagineOptions(machines=2, faults="slow:3"))


def test_two_stages_find_planted_faults_and_nearly_nothing_else() -> None:
    found = score_outliers(ImagineOptions(machines=2000, days=7, faults="slow:30,metric:30", seed=3))
    assert found.found["slow"] == 30
    assert found.found["metric"] >= 24
    assert found.false <= 4
    assert found.suspects < 300


def test_noise_alone_gives_no_false_verdict() -> None:
    found = score_outliers(ImagineOptions(machines=1000, days=7, faults="", spread=0.0, run_noise=0.03, seed=5))
    assert (found.false, found.natural) == (0, 0)


def test_many_slow_hosts_that_share_no_fact_are_still_slow() -> None:
    found = score_outliers(ImagineOptions(machines=1000, days=7, faults="slow:100", size=0.1))
    assert found.covariate == ""
    assert found.found["slow"] >= 98


def test_two_kinds_are_separated_and_named_and_excuse_their_hosts() -> None:
    found = score_outliers(ImagineOptions(machines=1000, days=7, kinds_apart=0.03, faults="slow:10", seed=2))
    assert found.covariate == "dimm_part"
    assert found.false + found.natural <= 6
    assert found.found["slow"] == 10


@pytest.mark.parametrize("law", ["normal", "t3", "exponential"])
def test_one_kind_is_not_taken_for_two(law: str) -> None:
    draw = np.random.default_rng(7)
    laws = {
        "normal": draw.standard_normal,
        "t3": lambda n: draw.standard_t(3, n),
        "exponential": lambda n: -draw.exponential(1, n),
    }
    assert sum(two_modes(laws[law](500)) is not None for _ in range(100)) <= 2


def test_a_fact_that_differs_on_every_host_separates_nothing() -> None:
    slow = [place < 10 for place in range(50)]
    serial = [{"serial": str(place), "bios": "old" if place < 10 else "new"} for place in range(50)]
    found = separating(serial, slow)
    assert found is not None
    assert (found.fact, found.slow_values, found.agreement) == ("bios", ("old",), 1.0)
    assert separating([{"serial": one["serial"]} for one in serial], slow) is None


def test_a_host_with_a_rare_bios_is_compared_with_those_that_share_the_rest() -> None:
    names, members = grouped([FACTS] * 12 + [FACTS | {"bios": "2"}] + [FACTS | {"sku": "b"}])
    assert len(set(names[:12])) == 1
    assert names[12] == "sku=a family=f dimms=8x32"
    assert members[names[12]] == list(range(13))
    assert names[13] == ""
    assert unlike(FACTS | {"bios": "2"}, usual_facts([FACTS] * 12)) == ("bios=2 (peers: 1)",)


def test_benjamini_and_hochberg_reject_up_to_the_last_that_passes() -> None:
    chance = np.array([0.001, 0.013, 0.012, 0.04, 0.6])
    assert discoveries(chance, 0.05).tolist() == [True, True, True, True, False]
    assert not discoveries(np.ones(3), 0.05).any()


def test_changes_are_found_with_few_false_alarms() -> None:
    found = score_trend(ImagineOptions(machines=500, metrics=1, faults="step:100", session_noise=0.008, seed=4), 200)
    assert found.found >= 95
    assert found.false <= 1
    assert found.date_error <= 1


def test_a_change_that_the_next_week_refutes_is_dropped() -> None:
    noise = np.random.default_rng(1).normal(0, 0.01, (80, 1))
    noise[40:45] -= 0.08
    assert alarms(noise) == []
    noise[45:] -= 0.08
    (found,) = alarms(noise)
    assert (found.day, found.confirmed) == (40, True)
    assert found.change == pytest.approx(-0.08, abs=0.01)


def test_a_fresh_change_waits_and_repeats_of_one_night_confirm_it() -> None:
    noise = np.random.default_rng(1).normal(0, 0.01, (50, 1))
    noise[44:] -= 0.08
    (waiting,) = alarms(noise)
    assert not waiting.confirmed
    repeats = np.full((50, 1), np.nan)
    repeats[49] = -0.08
    (sure,) = alarms(noise, repeats)
    assert sure.confirmed


def test_days_without_a_report_are_not_a_slowdown() -> None:
    noise = np.random.default_rng(1).normal(0, 0.01, (90, 3))
    noise[30:60, 1] = np.nan
    noise[:, 2] = np.nan
    assert alarms(noise) == []


def test_screen_sessions_and_verdict_work_on_files(tmp_path: Path) -> None:
    fleet = imagine(ImagineOptions(machines=60, days=7, faults="slow:1,step:1,wrong:1", size=0.08, metrics=6))
    write_fleet(tmp_path / "made", fleet)
    first = outliers(tmp_path / "made")
    slow, step = fleet.truth.faults["slow"][0], fleet.truth.faults["step"][0]
    assert {one.verdict for one in first.result.suspects} == {"inconclusive"}
    assert first.plan is not None
    assert {slow, step} <= set(first.plan.suspects)
    assert not set(first.plan.suspects) & set(first.plan.controls)
    assert [one.host for one in first.result.wrong] == list(fleet.truth.faults["wrong"])
    said = "\n".join(lines(first.result, first.plan, tmp_path))
    assert f"  suspects: {first.result.suspects[0].host}" in said
    assert said.endswith(f"  tierscope fleet imagine {tmp_path} --confirm")
    measured = msgspec.structs.replace(first.result, origin="measured")
    last = [*lines(measured, first.plan, tmp_path)][-1]
    assert last.endswith(f"hours: tierscope fleet run --via ENGINE --out {tmp_path} --confirm")
    write_plan(tmp_path / "made", first.plan)
    write_sessions(tmp_path / "made", fleet, dict.fromkeys((*first.plan.suspects, *first.plan.controls), 3), 6)
    second = outliers(tmp_path / "made")
    by_host = {one.host: one for one in second.result.suspects}
    assert second.plan is None
    whole = (fleet.level + fleet.fault(6)).mean(axis=1)
    true = -np.expm1(whole - np.median(whole))
    for host in (slow, step):
        assert by_host[host].verdict == "slower"
        size = by_host[host].slower
        assert size.low < true[fleet.names.index(host)] < size.high
    assert by_host[step].unlike == ("bios=1.2 (peers: 1.1)",)
    assert msgspec.json.encode(second.result)


def test_a_fleet_that_is_slow_as_a_whole_is_found(tmp_path: Path) -> None:
    fleet = imagine(ImagineOptions(machines=30, days=50, faults="fleet:1", size=0.08, metrics=2))
    write_fleet(tmp_path / "made", fleet)
    (group,) = outliers(tmp_path / "made").result.groups
    assert group.slower_than_before is not None
    assert group.slower_than_before.low < 0.08 < group.slower_than_before.high
    (change,) = trend(tmp_path / "made").groups
    assert change.day == "2026-01-26"


def test_a_fleet_without_a_known_peak_is_judged_by_the_medians_of_its_metrics(tmp_path: Path) -> None:
    """Virtual machines show no DIMMs: an unknown efficiency must neither count as a change nor hide one."""
    for name, faults, days in (("steady", "", 10), ("slower", "fleet:1", 50)):
        fleet = imagine(ImagineOptions(machines=14, days=days, faults=faults, size=0.08, metrics=3))
        write_fleet(tmp_path / name, fleet)
        for path in (tmp_path / name / "reports").glob("*/*.json"):
            report = msgspec.json.decode(path.read_bytes())
            path.write_bytes(msgspec.json.encode(report | {"peak_bytes_per_s": None}))
    (steady,) = outliers(tmp_path / "steady").result.groups
    assert steady.slower_than_before is None
    (slower,) = outliers(tmp_path / "slower").result.groups
    assert slower.slower_than_before is not None
    assert slower.slower_than_before.value == pytest.approx(0.08, abs=0.01)
    (change,) = trend(tmp_path / "slower").groups
    assert (change.metric, change.day) == ("mean of all metrics", "2026-01-26")


def test_a_step_has_a_date_and_the_fact_that_changed(tmp_path: Path) -> None:
    fleet = imagine(ImagineOptions(machines=30, days=70, faults="step:1", size=0.08, metrics=2))
    write_fleet(tmp_path / "made", fleet)
    for place, path in enumerate((tmp_path / "made/reports").glob("*/*.json")):
        report = msgspec.json.decode(path.read_bytes())
        facts = report["facts"] | {"load_1min": str(place)}  # different on each day, and so no change of the host
        path.write_bytes(msgspec.json.encode(report | {"facts": facts}))
    (change,) = trend(tmp_path / "made").changes
    assert change.host == fleet.truth.faults["step"][0]
    (fact,) = change.facts
    assert (fact.fact, fact.before, fact.after) == ("bios", "1.1", "1.2")
    assert fact.day == change.day
