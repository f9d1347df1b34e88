"""Two settings that alternate: equal ones show no difference, a slower one is found or called inconclusive."""

import json
from pathlib import Path

import numpy as np
import pytest

from fake_core import FakeCore, made_topology, put_in_place
from made import Maker, Teamwork, one_group
from made_machine import made_machine
from said import refused, say
from tierscope.compare.rounds import compare_rounds, judged
from tierscope.errors import Exit, UsageError
from tierscope.record.result import Run, load
from tierscope.units import GiB

REPEATS = 100
POINTS = 30


def called(seed: int, times: float, noise: float, rounds: int, least: float = 0.02, points: int = 1) -> list[str]:
    """The verdicts on rounds whose runs differ by `noise`, and whose drift both sides of a round share."""
    rng = np.random.default_rng(seed)
    drift = np.exp(rng.normal(0, 0.05, rounds))
    sides = drift * np.exp(rng.normal(0, noise, (2, points, rounds)))
    found = judged((sides[1] * times / sides[0]).tolist(), least, less_is_faster=False)
    return [word for _, word in found]


@pytest.mark.parametrize("rounds", [3, 5])
def test_many_equal_points_are_seldom_called_different_with_few_rounds(rounds: int) -> None:
    verdicts = [set(called(seed, 1.0, 0.02, rounds, points=POINTS)) for seed in range(REPEATS)]
    assert sum(bool(words & {"faster", "slower"}) for words in verdicts) <= 5


def test_many_equal_points_show_no_difference_where_the_noise_allows() -> None:
    verdicts = [set(called(seed, 1.0, 0.0015, 6, points=POINTS)) for seed in range(REPEATS)]
    assert verdicts.count({"no difference shown"}) >= 95


@pytest.mark.parametrize("noise", [0.002, 0.005, 0.02])
def test_a_setting_against_itself_is_called_different_in_five_of_a_hundred_at_most(noise: float) -> None:
    verdicts = [called(seed, 1.0, noise, 5)[0] for seed in range(REPEATS)]
    assert sum(word in ("faster", "slower") for word in verdicts) <= 5


def test_a_setting_against_itself_shows_no_difference_where_the_noise_allows() -> None:
    assert [called(seed, 1.0, 0.003, 6)[0] for seed in range(REPEATS)].count("no difference shown") >= 95


def test_three_per_cent_are_found_where_the_noise_allows() -> None:
    assert [called(seed, 0.97, 0.004, 6)[0] for seed in range(REPEATS)].count("slower") >= 90


def test_where_it_does_not_they_are_seldom_taken_for_none() -> None:
    verdicts = [called(seed, 0.97, 0.05, 5)[0] for seed in range(REPEATS)]
    assert verdicts.count("no difference shown") <= 5
    assert verdicts.count("inconclusive") >= 80


def made(folder: Path, seed: int, times: float) -> Run:
    maker = Maker(folder, seed)
    for kernel in ("read", "triad"):
        rate = 1e8 * (times if kernel == "triad" else 1)
        maker.add("stream", {"kernel": kernel, "threads": 1}, (one_group(kernel, (0,), GiB),), (Teamwork((rate,)),))
    return maker.save("stream")


def test_a_slower_kernel_is_found_among_points_and_the_other_is_not(tmp_path: Path) -> None:
    rounds = [(made(tmp_path / f"{n}a", n, 1.0), made(tmp_path / f"{n}b", 50 + n, 0.9)) for n in range(5)]
    rows = {row["point"].split(",")[0]: row for row in compare_rounds(rounds, 0.02)}
    assert rows["triad"]["verdict"] == "slower"
    assert rows["triad"]["ratio"] == pytest.approx(0.9, abs=0.01)
    assert rows["read"]["verdict"] == "no difference shown"
    assert len(rows["read"]["ratios"]) == 5


def test_runs_without_a_common_point_are_refused(tmp_path: Path) -> None:
    one = made(tmp_path / "a", 1, 1.0)
    maker = Maker(tmp_path / "b")
    maker.add("stream", {"kernel": "copy", "threads": 1}, (one_group("copy", (0,), GiB),), (Teamwork((1e8,)),))
    with pytest.raises(UsageError, match="different things"):
        compare_rounds([(one, maker.save("stream"))] * 3, 0.02)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCore:
    """In an empty current directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    return put_in_place(FakeCore(), monkeypatch)


def test_both_runs_are_measured_alternately(fake: FakeCore, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("run", "stream", "kernels=triad", "threads=1", "array=64MiB", "--out", "a", "--quiet")
    assert say(capfd, *words)[0] in (Exit.GOOD, Exit.INCONCLUSIVE)
    picture = tmp_path / "turns.html"
    status, out, _ = say(
        capfd, "compare", "a", "a", "--rerun", "3", "--out", "turns", "--json", "--figure", str(picture)
    )
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE)
    (row,) = json.loads(out)["rows"]
    assert len(row["ratios"]) == 3
    assert row["ratio"] == pytest.approx(1, abs=0.05)
    assert "over 1 points in 3 rounds" in picture.read_text()
    names = sorted(path.name for path in (tmp_path / "turns").iterdir())
    assert names == ["01-after", "01-before", "02-after", "02-before", "03-after", "03-before"]
    starts = {path.name: load(path).result.records[0].started for path in (tmp_path / "turns").iterdir()}
    assert len(starts) == 6
    assert "not a number of rounds" in refused(capfd, "compare", "a", "a", "--rerun", "2")[1]
    assert "is not empty" in refused(capfd, "compare", "a", "a", "--rerun", "3", "--out", "turns")[1]
    assert "b does not exist" in refused(capfd, "compare", "a", "b", "--rerun", "3")[1]


def test_an_imported_run_cannot_be_measured_again(
    fake: FakeCore, root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    say(capfd, "import", str(root / "tests/data/imports/stream.txt"), "--out", "i")
    assert "cannot be repeated" in refused(capfd, "compare", "i", "i", "--rerun", "3")[1]


def test_runs_of_different_things_stop_after_one_round(
    fake: FakeCore, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for kernel in ("triad", "copy"):
        words = ("run", "stream", f"kernels={kernel}", "threads=1", "array=64MiB", "--out", kernel, "--quiet")
        assert say(capfd, *words)[0] in (Exit.GOOD, Exit.INCONCLUSIVE)
    status, _, err = say(capfd, "compare", "triad", "copy", "--rerun", "9", "--out", "turns")
    assert (status, "different things" in err) == (Exit.USAGE, True)
    assert sorted(path.name for path in (tmp_path / "turns").iterdir()) == ["01-after", "01-before"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("b", "--rerun", "3", "--across-origins"), "give one of the two"),
        (("reference:optane100_bandwidth", "--rerun", "3"), "is a published table"),
        (("b", "--out", "x"), "--out is the directory of the runs of --rerun"),
    ],
)
def test_options_without_a_meaning_are_refused(
    words: tuple[str, ...], told: str, capfd: pytest.CaptureFixture[str]
) -> None:
    status, line = refused(capfd, "compare", "a", *words)
    assert (status, told in line) == (Exit.USAGE, True)


def test_rounds_that_are_refused_leave_nothing(
    fake: FakeCore, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("run", "stream", "kernels=triad", "threads=1", "array=64MiB", "--out", "a", "--quiet")
    assert say(capfd, *words)[0] in (Exit.GOOD, Exit.INCONCLUSIVE)
    monkeypatch.setattr("tierscope.core.topology", lambda: made_topology(made_machine(cpus=4)))
    status, _, err = say(capfd, "compare", "a", "a", "--rerun", "3")
    assert (status, "not the machine of the run" in err) == (Exit.CANNOT, True)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
