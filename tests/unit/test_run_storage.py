"""`run storage` from the command line to the report, on a made fio and a made core: the loop, its files, its errors."""

import json
from pathlib import Path

import pytest

from fake_core import FakeCore, put_in_place
from fake_fio import DOCUMENT, FakeFio
from said import refused, say
from tierscope.record.result import load

RAW = json.loads(DOCUMENT.read_text())["jobs"][0]
ONE = ["run", "storage", "blocks=4KiB", "mixes=mix", "orders=random", "size=1MiB", "direct=no", "budget=2"]


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeFio:
    put_in_place(FakeCore(), monkeypatch)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk").mkdir()
    return FakeFio(tmp_path, monkeypatch)


def measured(fake: FakeFio) -> int:
    return sum("--time_based" in call for call in fake.calls)


def test_repeats_continue_until_the_interval_is_narrow(fake: FakeFio, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, *ONE, "path=disk", "repeat=250ms", "--out", "run", "--json", "-")
    assert status == 0
    assert measured(fake) == 6  # all alike: no more than are needed
    rows = json.loads(out)["rows"]
    assert [row["part"] for row in rows] == ["both", "read", "write"]
    assert rows[1]["iops"] == pytest.approx(RAW["read"]["iops"], abs=1e-6)
    assert rows[1]["latency_s"] == pytest.approx(RAW["read"]["lat_ns"]["mean"] / 1e9)
    assert rows[1]["latency_p99_s"] * 1e9 == pytest.approx(RAW["read"]["lat_ns"]["percentile"]["99.000000"])
    assert rows[0]["cpu_user"] == pytest.approx(RAW["usr_cpu"] / 100)
    (record,) = load(Path("run")).result.records
    assert {warn.code for warn in record.warnings} == {"buffered"}
    assert sorted(path.name for path in Path("run/samples").iterdir()) == ["0000-bins.parquet", "0000.parquet"]
    assert list(Path("disk").iterdir()) == []
    assert "Storage" in Path("run/report.html").read_text()


def test_a_budget_of_few_repeats_is_inconclusive(fake: FakeFio, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, *ONE, "path=disk", "repeat=1s", "--out", "run")
    assert status == 4
    assert measured(fake) == 2
    assert "BUFFERED" in out
    assert "Note: buffered: these are numbers of the page cache" in out
    assert load(Path("run")).result.complete


def test_beyond_the_limit_jobs_get_the_fewest_repeats(fake: FakeFio, capfd: pytest.CaptureFixture[str]) -> None:
    for number, operations in enumerate((1000, 3000)):  # far from each other: no budget makes that narrow
        fake.only(read=operations, write=operations)
        fake.document.rename(fake.folder / f"document{number}")
    fake.put(cases=[f"*randseed=*[13579]' --time_based'*) cat '{fake.folder}/document0'; exit ;;",
                    f"*) cat '{fake.folder}/document1'; exit ;;"])  # fmt: skip
    words = [*ONE[:-1], "path=disk", "budget=3", "repeat=250ms", "depths=1,2"]
    assert say(capfd, *words, "limit=600", "--out", "long", "--quiet")[0] == 4
    assert measured(fake) == 2 * 12
    assert say(capfd, *words, "limit=1ms", "--out", "short", "--quiet")[0] == 4
    assert measured(fake) == 2 * 12 + 2 * 6


def test_a_fio_that_dies_leaves_what_was_measured_and_resume_continues(
    fake: FakeFio, capfd: pytest.CaptureFixture[str]
) -> None:
    fake.put(cases=["*iodepth=2*time_based*) kill -9 $$ ;;"])
    words = [*ONE, "path=disk", "repeat=250ms", "depths=1,2,3", "--out", "run"]
    status, why = refused(capfd, *words)
    assert status == 3
    assert "fio was killed by signal SIGKILL" in why
    assert why.endswith("what was measured is kept, continue with: tierscope resume run")
    first = load(Path("run")).result.records
    assert len(first) == 1
    fake.put()
    got = say(capfd, "resume", "run")
    assert got[0] == 0, got
    again = load(Path("run")).result
    assert again.complete
    assert [record.experiment.labels["depth"] for record in again.records] == [1, 2, 3]
    assert again.records[0] == first[0]


def test_nothing_is_left_of_a_run_that_could_not_begin(fake: FakeFio, capfd: pytest.CaptureFixture[str]) -> None:
    fake.put(version="fio-2.1")
    status, why = refused(capfd, *ONE, "path=disk", "--out", "run")
    assert (status, "is fio 2.1" in why) == (3, True)
    fake.put(cases=["*) echo 'fio: no' >&2; exit 1 ;;"])
    assert refused(capfd, *ONE, "path=disk", "--out", "run")[0] == 3
    assert refused(capfd, *ONE, "path=absent", "--out", "run")[0] == 3
    assert refused(capfd, *ONE, "device=disk", "--out", "run")[0] == 2
    assert not Path("run").exists()


def test_a_plan_is_listed_without_fio(fake: FakeFio, capfd: pytest.CaptureFixture[str]) -> None:
    fake.put(version="none")
    status, out, _ = say(capfd, "run", "storage", "size=64MiB", "--dry-run")
    assert status == 0
    assert "random write of 4 KiB, depth 16" in out
    assert "18 experiments" in out
    assert fake.calls == []


def test_bins_that_are_lost_are_reported(fake: FakeFio, capfd: pytest.CaptureFixture[str]) -> None:
    say(capfd, *ONE, "path=disk", "repeat=1s", "--out", "run", "--quiet")
    Path("run/samples/0000-bins.parquet").unlink()
    status, why = refused(capfd, "show", "run")
    assert status == 2
    assert "0000-bins.parquet cannot be read" in why
