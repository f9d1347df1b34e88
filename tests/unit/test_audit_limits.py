"""The limits of a machine that a user knows: peak=, channels= and speed=, cache=, for `audit` and `import`."""

import json
from pathlib import Path

import pytest

from said import refused, say
from tierscope.audit import examine
from tierscope.audit.limits import Limits, limited, of_options, parsed
from tierscope.audit.own import statements
from tierscope.audit.readings import statements as of_readings
from tierscope.errors import Exit, UsageError
from tierscope.imports import read
from tierscope.record import result as results
from tierscope.units import MiB

DATA = Path(__file__).parents[1] / "data/imports"
NT = "1:1 Reads-Writes :\t200010.2"


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")


def with_nt_writes(folder: Path) -> Path:
    """MLC's output with NT writes above the peak of six channels of DDR5-4800."""
    path = folder / "mlc.txt"
    path.write_text((DATA / "mlc.txt").read_text().replace(NT, "All NT writes   :\t260010.2"))
    return path


def failing(capfd: pytest.CaptureFixture[str], *words: str) -> list[dict[str, str]]:
    _, out, _ = say(capfd, "audit", *words, "--json")
    return json.loads(out)["failures"]


def test_bandwidth_above_a_given_peak_is_found(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = with_nt_writes(tmp_path)
    assert failing(capfd, str(path)) == []
    for words in (["peak=230.4GB/s"], ["channels=6", "speed=4800"]):
        (one,) = failing(capfd, str(path), *words)
        assert (one["identity"], one["label"]) == ("peak_share", "bandwidth, ratio All NT writes")


def test_an_import_keeps_the_peak_and_audits_by_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = with_nt_writes(tmp_path)
    _, out, _ = say(capfd, "import", str(path), "peak=230.4GB/s", "cache=64MiB", "--out", str(tmp_path / "run"))
    assert " ! peak_share: bandwidth, ratio All NT writes" in " ".join(out.split())
    run = results.load(tmp_path / "run")
    assert run.result.machine.peak_bytes_per_s == 230.4e9
    assert run.result.machine.peak_source == "given: peak=230.4GB/s"
    assert run.result.options == {"as": "mlc", "peak": 230.4e9, "cache": 64 * MiB}
    (failure,) = examine(statements(run)).failures
    assert failure.identity == "peak_share"


def test_a_footprint_that_fits_in_a_given_cache_is_reported() -> None:
    rows = of_readings(read(DATA / "stream.txt")[1].readings)
    found = examine(limited(rows, Limits(peak_bytes_per_s=8e9, cache_bytes=512.0 * MiB)))
    assert {one.identity for one in found.failures} == {"peak_share"}
    assert all("this is the cache's bandwidth" in one.why for one in found.failures)


def test_storage_is_not_compared_with_the_peak_of_memory() -> None:
    found = examine(limited(of_readings(read(DATA / "fio.json")[1].readings), Limits(peak_bytes_per_s=1e8)))
    assert found.checked["peak_share"] == 0


def test_a_peak_that_its_channels_do_not_make_is_found(capfd: pytest.CaptureFixture[str]) -> None:
    """Document 001's 51 GB/s for four channels of DDR4-2133."""
    words = ["peak=51GB/s", "channels=4", "speed=2133"]
    (one,) = failing(capfd, str(DATA / "stream.txt"), *words)
    assert one["identity"] == "peak_formula"
    assert "4 channels x 2133 MT/s x 8 bytes make 68.26 GB/s" in one["found"]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["peak=51"], "means 51 bytes/s"),
        (["channels=4"], "speed=, in MT/s is missing"),
        (["speed=2133"], "channels= is missing"),
        (["channels=0", "speed=2133"], "a whole number of 1 to 1024"),
        (["channels=4", "speed=2.1GHz"], "the data rate in MT/s"),
        (["peek=51GB/s"], "unknown option peek="),
    ],
)
def test_options_that_give_no_peak_are_refused(words: list[str], why: str, capfd: pytest.CaptureFixture[str]) -> None:
    for command in ("audit", "import"):
        status, said = refused(capfd, command, str(DATA / "stream.txt"), *words)
        assert (status, why in said) == (Exit.USAGE, True)


def test_limits_come_back_from_the_options_of_a_run() -> None:
    limits = parsed({"channels": "4", "speed": "2133", "cache": "30MiB"})
    assert of_options({"as": "mlc", **limits.options}) == limits
    assert limits.peak == pytest.approx(68.256e9)
    assert of_options({"peak": "a lot", "cache": None}) == Limits()
    with pytest.raises(UsageError, match="unknown unit"):
        parsed({"peak": "51GBps"})
