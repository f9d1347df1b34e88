"""A fleet over days: groups under new names, hosts without peers, hosts that join later, asked sessions."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from tierscope.errors import Exit, ResultError, UsageError
from tierscope.fleet.confirm_plan import read_plan, settle
from tierscope.fleet.fold import collect
from tierscope.fleet.imagine import imagine
from tierscope.fleet.imagine_files import day_name, write_fleet
from tierscope.fleet.imagine_options import ImagineOptions
from tierscope.fleet.outliers import outliers
from tierscope.fleet.trend import trend
from tierscope.fleet.trend_cusum import alarms, beginnings, followed
from tierscope.fleet.trend_result import FactChange
from tierscope.fleet.trend_text import lines as trend_lines
from tierscope.fleet.trend_text import status as trend_status


def edited(at: Path, edit: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Write every report again."""
    for path in (at / "reports").glob("*/*.json"):
        path.write_bytes(msgspec.json.encode(edit(msgspec.json.decode(path.read_bytes()))))


@pytest.mark.parametrize("peak", [None, 307.2e9])
def test_a_kernel_that_makes_all_hosts_slower_cannot_hide_behind_its_new_group(
    tmp_path: Path, peak: float | None
) -> None:
    """The kernel is part of the identity: from the update on, no group has the name of the days before."""
    write_fleet(
        tmp_path / "made", imagine(ImagineOptions(machines=14, days=50, faults="fleet:1", size=0.08, metrics=3))
    )

    def updated(report: dict[str, Any]) -> dict[str, Any]:
        kernel = "6.5.0" if report["day"] >= "2026-01-26" else "6.1.0"
        return report | {"facts": report["facts"] | {"kernel": kernel}, "peak_bytes_per_s": peak}

    edited(tmp_path / "made", updated)
    (group,) = outliers(tmp_path / "made").result.groups
    assert "kernel=6.5.0" in group.name
    assert group.slower_than_before is not None
    assert group.slower_than_before.value == pytest.approx(0.08, abs=0.01)
    found = trend(tmp_path / "made")
    (change,) = found.groups
    assert change.day == "2026-01-26"
    assert change.facts == (FactChange("kernel", "6.1.0", "6.5.0", "2026-01-26"),)
    assert "since 2026-01-26; kernel 6.1.0 -> 6.5.0 on 2026-01-26" in "\n".join(trend_lines(found))


def test_a_group_of_another_bios_that_was_always_slower_is_not_slower_than_before(tmp_path: Path) -> None:
    write_fleet(tmp_path / "made", imagine(ImagineOptions(machines=40, days=30, faults="", metrics=2, kinds_apart=0.06,
                                                          kinds_share=0.5)))  # fmt: skip
    edited(tmp_path / "made", lambda one: one | {"facts": one["facts"] | {"bios": one["facts"]["dimm_part"]}})
    groups = outliers(tmp_path / "made").result.groups
    assert len(groups) == 2
    assert [one.slower_than_before for one in groups] == [None, None]
    assert trend(tmp_path / "made").groups == ()


def test_two_hosts_with_a_rare_bios_are_not_a_group_that_changed(tmp_path: Path) -> None:
    fleet = imagine(ImagineOptions(machines=30, days=60, faults="step:2", size=0.08, metrics=2))
    write_fleet(tmp_path / "made", fleet)
    found = trend(tmp_path / "made")
    assert {one.host for one in found.changes} == set(fleet.truth.faults["step"])
    assert found.groups == ()


def test_a_host_without_peers_is_compared_with_its_own_past(tmp_path: Path) -> None:
    fleet = imagine(ImagineOptions(machines=2, days=60, faults="step:1", size=0.1, metrics=4))
    write_fleet(tmp_path / "made", fleet)
    found = trend(tmp_path / "made")
    (change,) = found.changes
    assert (change.host, change.against, change.state) == (fleet.truth.faults["step"][0], "its own past", "confirmed")
    assert change.slower.low < 0.1 < change.slower.high
    assert change.day == day_name(fleet, fleet.truth.day[change.host])
    assert "than in its own past since" in "\n".join(trend_lines(found))
    assert trend_status(found) == Exit.FAILED
    assert (found.machines, found.followed) == (2, 2)


def test_a_host_that_joins_the_fleet_later_is_followed_from_its_own_first_day() -> None:
    noise = np.random.default_rng(1).normal(0, 0.01, (120, 3))
    noise[:50, :2] = np.nan
    noise[90:, 0] -= 0.08
    noise[:100, 2] = np.nan  # 20 days are not a baseline
    (alarm,) = alarms(noise)
    assert (alarm.series, alarm.confirmed) == (0, True)
    assert abs(alarm.day - 90) <= 1
    assert followed(noise).tolist() == [True, True, False]
    assert beginnings(noise)[0].tolist()[:2] == [50, 50]


def test_two_versions_of_tierscope_that_differ_in_speed_are_named(tmp_path: Path) -> None:
    write_fleet(
        tmp_path / "made", imagine(ImagineOptions(machines=60, days=2, faults="", kinds_apart=0.08, kinds_share=0.5))
    )
    edited(tmp_path / "made", lambda one: one | {
        "tierscope": "0.0.9" if one["facts"].pop("dimm_part") == "B-4800-32" else "0.1.0"})  # fmt: skip
    named = {one.covariate.fact for one in outliers(tmp_path / "made").result.groups if one.covariate}
    assert named == {"tierscope"}


def test_sessions_are_asked_for_on_the_last_day_alone_and_not_once_they_are_done(tmp_path: Path) -> None:
    fleet = imagine(ImagineOptions(machines=60, days=3, faults="slow:2", seed=7))
    write_fleet(tmp_path / "made", fleet)
    past = outliers(tmp_path / "made", "2026-01-02")
    assert past.result.suspects
    assert (past.plan, past.last) == (None, False)
    found = outliers(tmp_path / "made")
    assert found.plan is not None
    assert found.last
    settle(tmp_path / "made", found.plan, found.result.plan)
    settle(tmp_path / "made", None, "another plan")
    assert read_plan(tmp_path / "made") == found.plan
    settle(tmp_path / "made", None, found.result.plan)
    assert not (tmp_path / "made/confirm.json").exists()
    settle(tmp_path / "made", None, found.result.plan)


@pytest.mark.parametrize("start", ["2026-02-31", "9999-12-30"])
def test_a_first_or_last_day_that_no_calendar_has_is_refused(start: str) -> None:
    with pytest.raises(UsageError, match=f"start={start} and 10 days: .*; try start=2026-01-01"):
        imagine(ImagineOptions(machines=20, days=10, start=start))


def test_half_an_imagined_fleet_is_not_judged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = imagine(ImagineOptions(machines=14, days=2, metrics=3))

    def stopped(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("tierscope.fleet.imagine_files._write_day", stopped)
        with pytest.raises(KeyboardInterrupt):
            write_fleet(tmp_path / "half", made)
    (tmp_path / "half/reports").mkdir()
    with pytest.raises(ResultError, match="that was not finished"):
        collect(tmp_path / "half")
    with pytest.raises(UsageError, match="an unfinished imagined fleet"):
        write_fleet(tmp_path / "half", made)
    write_fleet(tmp_path / "whole", made)
    assert len(collect(tmp_path / "whole").days) == 2
