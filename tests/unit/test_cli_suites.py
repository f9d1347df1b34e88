"""Runs by the command line, on a core that is made up: what they print and leave."""

import json
import os
import re
from pathlib import Path

import pytest

from asked import KEYS, LATENCY, LOADED, STREAM
from fake_core import FakeCore, put_in_place
from said import refused, say
from tierscope.errors import Exit
from tierscope.record.result import load


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCore:
    """In an empty current directory; pages come without their libraries, which take a second to pack."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    return put_in_place(FakeCore(), monkeypatch)


@pytest.mark.parametrize("words", [STREAM, LATENCY, LOADED], ids=lambda words: words[1])
def test_json_on_standard_output_is_one_document_with_all_rows_and_nothing_else(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], words: list[str]
) -> None:
    status, out, err = say(capfd, *words, "--json", "-")
    assert status == Exit.GOOD
    document = json.loads(out)
    table = words[1].replace("-", "_")
    rows = [row for row in document["rows"] if row["table"] == table]
    assert len(rows) == {"stream": 1, "latency": 7, "loaded_latency": 5}[table]
    for row in rows:
        assert KEYS[table] <= row.keys()
        assert all(value is None or isinstance(value, str | int | float | bool) for value in row.values())
    assert document["complete"] is True
    assert "report" in err


def test_numbers_are_those_that_were_put_in(fake: FakeCore, capfd: pytest.CaptureFixture[str]) -> None:
    fake.speed = lambda group: 1e8
    rows = json.loads(say(capfd, *STREAM, "--json", "-")[1])["rows"]
    (row,) = [row for row in rows if row["table"] == "stream"]
    assert row["bandwidth_low"] <= row["bandwidth_bytes_per_s"] <= row["bandwidth_high"]
    assert row["bandwidth_bytes_per_s"] == pytest.approx(192e8, rel=0.01)


def test_a_run_leaves_the_files_that_it_names(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    status, out, _ = say(capfd, *STREAM, "--out", "here", "--json", "rows.json")
    assert status == Exit.GOOD
    assert "report   here/report.html\nresults  here\n" in out
    assert sorted(os.listdir(tmp_path / "here")) == [
        "judged.msgpack",
        "manifest.json",
        "report.html",
        "result.json",
        "samples",
    ]
    assert json.loads((tmp_path / "rows.json").read_bytes())["suite"] == "stream"


def test_quiet_prints_nothing(fake: FakeCore, capfd: pytest.CaptureFixture[str]) -> None:
    assert say(capfd, *STREAM, "--quiet") == (0, "", "")


def test_a_dry_run_lists_and_writes_nothing(fake: FakeCore, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    status, out, err = say(capfd, "run", "quick", "--dry-run")
    assert (status, err) == (0, "")
    assert re.search(r"^(\d+) experiments, about \d+ s", out, re.MULTILINE)
    assert fake.log == []
    assert os.listdir(tmp_path) == []


def test_doubtful_points_end_with_4(fake: FakeCore, capfd: pytest.CaptureFixture[str]) -> None:
    fake.noise = lambda group: 0.8
    assert say(capfd, *STREAM, "--quiet")[0] == Exit.INCONCLUSIVE


def test_strict_asks_every_point_to_be_sure(fake: FakeCore, capfd: pytest.CaptureFixture[str]) -> None:
    fake.noise = lambda group: 0.8 if group.workload.kernel == "copy" else 0.01
    words = ["run", "stream", "kernels=triad,copy,read", "threads=1", "array=64MiB", "--quiet"]
    assert say(capfd, *words)[0] == Exit.GOOD
    assert say(capfd, *words, "--strict")[0] == Exit.INCONCLUSIVE


def test_a_run_is_repeated_with_its_options(fake: FakeCore, capfd: pytest.CaptureFixture[str]) -> None:
    say(capfd, *STREAM, "peak=307.2GB/s", "--out", "a", "--quiet")
    assert say(capfd, "rerun", "a", "--out", "b", "--quiet")[0] == Exit.GOOD
    a, b = (load(Path(name)).result for name in "ab")
    assert a.options == b.options
    assert [r.experiment for r in a.records] == [r.experiment for r in b.records]


def test_the_users_own_groups_are_run(fake: FakeCore, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    group = '[[experiment]]\n[[experiment.group]]\nkernel = "read"\ncpus = "{}"\nfootprint = "64MiB"\n'
    (tmp_path / "plan.toml").write_text(group.format(0) + group.format(1))
    status, out, _ = say(capfd, "run", "plan.toml", "peak=100GB/s", "--json", "-")
    assert status == Exit.GOOD
    assert [row["experiment"] for row in json.loads(out)["rows"]] == [0, 1]
    (tmp_path / "plan.toml").write_text(group.format(0) + group.format(9))
    assert refused(capfd, "run", "plan.toml")[1] == "CPU 9 may not be used here; usable: 0,1"


def test_rows_go_through_a_link_and_replace_a_file(fake: FakeCore, capfd: pytest.CaptureFixture[str]) -> None:
    """/dev/stdout is a link, and must still be one afterwards."""
    Path("target.json").write_text("old")
    Path("link.json").symlink_to("target.json")
    assert say(capfd, *STREAM, "--quiet", "--json", "link.json")[0] == Exit.GOOD
    assert Path("link.json").is_symlink()
    assert json.loads(Path("target.json").read_bytes())["suite"] == "stream"
