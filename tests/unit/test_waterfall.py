"""The waterfall of a comparison: the slowest first, whatever is measured, and no value without a form in the file."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from made import Maker, Teamwork, one_group
from said import refused, say
from tierscope.compare.waterfall import ROOM, WIDE, waterfall
from tierscope.draw.theme import Spec
from tierscope.errors import Exit
from tierscope.units import GiB


def row(name: str, unit: str, ratio: float, verdict: str = "no difference shown", half: float = 0.01) -> dict[str, Any]:
    ends = {"ratio_low": ratio * (1 - half), "ratio_high": ratio * (1 + half)}
    return {"point": name, "unit": unit, "ratio": ratio, "verdict": verdict, **ends}


def marks(spec: Spec, kind: str) -> list[Spec]:
    return [layer for layer in spec["layer"] if layer["mark"]["type"] == kind]


def domain(spec: Spec) -> list[float]:
    ends: list[float] = marks(spec, "bar")[0]["encoding"]["x"]["scale"]["domain"]
    return ends


def test_the_slowest_is_first_for_times_and_rates_alike() -> None:
    rows = [
        row("fast rate", "B/s", 1.2),
        row("slow time", "s", 1.25),
        row("slow rate", "B/s", 0.9),
        row("fast time", "s", 0.7),
    ]
    spec = waterfall(rows, 0.02)
    points = spec["data"]["values"]
    names = ["slow time", "slow rate", "fast rate", "fast time"]
    assert [point["name"] for point in points] == names
    assert marks(spec, "bar")[0]["encoding"]["y"]["sort"] == names
    assert points[0]["speed"] == pytest.approx(0.8)
    assert points[0]["low"] < 0.8 < points[0]["high"]
    assert [point["said"] for point in points] == ["time × 1.250", "rate × 0.900", "rate × 1.200", "time × 0.700"]


def test_a_narrow_logarithmic_axis_has_ticks_of_its_own() -> None:
    spec = waterfall([row("slow", "B/s", 0.7), row("fast", "B/s", 1.6)], 0.02)
    x = marks(spec, "bar")[0]["encoding"]["x"]
    assert x["scale"]["type"] == "log"
    assert "values" not in x["axis"]


def test_counts_are_not_speeds_and_a_note_states_where_they_are() -> None:
    spec = waterfall([row("misses", "1", 2.0), row("bytes", "B", 1.1), row("rate", "1/s", 1.2)], 0.02)
    assert [point["name"] for point in spec["data"]["values"]] == ["rate"]
    assert "2 counts are in the table alone." in json.dumps(spec)


def test_the_band_is_the_region_of_no_interest_on_the_axis() -> None:
    for least in (0.0, 0.02, 0.9):
        spec = waterfall([row("a", "B/s", 1.0)], least)
        (band,) = marks(spec, "rect")[0]["data"]["values"]
        low, high = domain(spec)
        assert band["from"] == pytest.approx(max(low, 1 - least))
        assert band["to"] == pytest.approx(min(high, 1 + least))
        assert low < 1 < high


def test_values_that_are_not_finite_are_left_out_with_a_note_and_wide_intervals_are_cut() -> None:
    endless = row("wide", "s", 1.1) | {"ratio_low": 0.0, "ratio_high": math.inf}
    spec = waterfall([row("none", "B/s", math.nan), endless, row("far", "B/s", 1.3, half=0.99)], 0.02)
    json.dumps(spec, allow_nan=False)
    assert spec["usermeta"]["tierscope"]["notes"] == ["1 of 3 points has no number: see the table for why."]
    low, high = domain(spec)
    assert (low > 1 / 1.1 / ROOM / 1.1, high < 1.3 * ROOM * 1.1) == (True, True)
    assert all(low <= point["low"] <= point["speed"] <= point["high"] <= high for point in spec["data"]["values"])


def test_a_wide_axis_is_logarithmic_and_a_narrow_one_is_not() -> None:
    for times, kind in ((1.1, "linear"), (2 * WIDE, "log")):
        x = marks(waterfall([row("a", "B/s", times)], 0.02), "bar")[0]["encoding"]["x"]
        assert x["scale"]["type"] == kind


def test_many_rows_keep_their_names_and_rows_of_one_name_are_distinguished() -> None:
    few, many = (
        waterfall([row("same name", "B/s", 1 + number / 1e3) for number in range(count)], 0.02) for count in (3, 150)
    )
    assert [point["name"] for point in few["data"]["values"]] == ["same name", "same name (2)", "same name (3)"]
    assert len({point["name"] for point in many["data"]["values"]}) == 150
    assert many["height"] < 150 * 20 < 150 * few["height"]
    axis = marks(many, "bar")[0]["encoding"]["y"]["axis"]
    assert axis["labelFontSize"] < many["height"] / 150
    assert not axis["labelOverlap"]


def made(folder: Path, times: float) -> str:
    maker = Maker(folder, 7)
    for kernel in ("read", "triad"):
        rate = 1e8 * (times if kernel == "triad" else 1)
        maker.add("stream", {"kernel": kernel, "threads": 1}, (one_group(kernel, (0,), GiB),), (Teamwork((rate,)),))
    return str(maker.save("stream").path)


def test_the_command_draws_it_in_the_format_of_the_ending(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    runs = made(tmp_path / "a", 1.0), made(tmp_path / "b", 0.8)
    files = {ending: tmp_path / f"w.{ending}" for ending in ("svg", "png", "html")}
    for file in files.values():
        status, out, _ = say(capfd, "compare", *runs, "--figure", str(file))
        assert (status, "1 slower" in out) == (Exit.FAILED, True)
    assert files["svg"].read_text().startswith("<svg")
    assert files["png"].read_bytes().startswith(b"\x89PNG")
    page = files["html"].read_text()
    assert "after / before over 2 points: 1 slower, 1 no difference shown" in page
    assert page.count('fill="var(--bad)"') >= 2
    assert page.count('<td class="wrap">stream: triad') == 1
    assert "<script" not in page


def test_another_ending_is_refused_before_anything_is_read(capfd: pytest.CaptureFixture[str]) -> None:
    status, why = refused(capfd, "compare", "no run", "nor here", "--figure", "w.pdf")
    assert (status, "name a file that ends in one of .svg, .png, .html" in why) == (Exit.USAGE, True)
