"""`tierscope check`: one line, the status, the run that is kept, and JUnit XML."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from fake_core import FakeCore, put_in_place
from said import refused, say
from test_check import HERE, READ, bounds_of, file_of
from test_check import run as run  # noqa: PLC0414 (a fixture)
from tierscope.check import junit
from tierscope.check.file import SUITE
from tierscope.check.judge import judge
from tierscope.check.threshold import Threshold
from tierscope.compare.measures import measures
from tierscope.errors import Exit, TierscopeError, UsageError
from tierscope.record.result import Run, load, load_manifest


def test_the_command_prints_one_line_and_what_did_not_pass(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "memory.toml"
    status, out, _ = say(capfd, "check", "--write", str(run.path), "--margin", "5%")
    assert status == Exit.GOOD
    file.write_text(out)
    status, out, err = say(capfd, "check", str(file), str(run.path))
    assert (status, err) == (Exit.GOOD, "")
    assert out.count("\n") == 1
    assert out.startswith("check: passed: ")
    assert say(capfd, "check", str(file), str(run.path), "--quiet")[1] == ""
    file.write_text(file_of(READ, 'at_least = "900 GB/s"'))
    status, out, _ = say(capfd, "check", str(file), str(run.path))
    assert status == Exit.FAILED
    assert out.count("\n") == 2
    status, out, _ = say(capfd, "check", str(file), str(run.path), "--json")
    assert status == Exit.FAILED
    (one,) = json.loads(out)["points"]
    assert (one["verdict"], one["at_least"], one["unit"]) == ("failed", 900e9, "B/s")


def test_the_command_measures_and_keeps_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put_in_place(FakeCore(), monkeypatch)
    HERE.write_text(file_of(READ, 'at_least = "1 MB/s"', '[[threshold]]\ntable = "latency"\nat_most = "1 ms"'))
    status, out, _ = say(capfd, "check", str(HERE), "--out", "run")
    assert (status, out) == (Exit.GOOD, "check: passed: 2 of 2 points; run\n")
    kept = load(Path("run"))
    assert kept.result.complete
    assert kept.result.suite == SUITE
    assert load_manifest(Path("run")).argv == ("tierscope", "run", "check")
    assert say(capfd, "check", str(HERE), "run")[0] == Exit.GOOD


def test_the_file_names_suite_options_and_groups_relative_to_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put_in_place(FakeCore(), monkeypatch)
    options = '[options]\nkernels = ["triad"]\nthreads = [1]\narray = "1MiB"\nbudget = 0.1\nvisits = 0'
    rest = '[[threshold]]\ntable = "stream"\nat_least = "1 MB/s"'
    HERE.write_text(file_of('suite = "stream"', options, rest))
    assert say(capfd, "check", str(HERE), "--out", "triad")[0] == Exit.GOOD
    assert [row["kernel"] for row in measures()["stream"].rows(load(Path("triad")))] == ["triad"]
    plans = tmp_path / "plans"
    plans.mkdir()
    (plans / "own.toml").write_text(
        '[schedule]\nbudget = "0.2s"\nvisits = 0\n[[experiment]]\nlabel = "alone"\n'
        '[[experiment.group]]\nkernel = "read"\nrole = "reader"\ncpus = "0"\nfootprint = "1MiB"\n'
    )
    rest = '[[threshold]]\ntable = "groups"\nwhere = { role = "reader" }\nvalue = "bandwidth"\nat_least = "1 MB/s"'
    (plans / "check.toml").write_text(file_of('suite = "own.toml"', rest))
    assert say(capfd, "check", "plans/check.toml", "--out", "own")[::2] == (Exit.GOOD, "")


def test_commands_that_a_file_would_start_need_consent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put_in_place(FakeCore(), monkeypatch)
    rest = '[[threshold]]\ntable = "stream"\nat_least = "1 MB/s"'
    HERE.write_text(file_of('suite = "neighbors"', '[options]\nvictim = "cmd touch here"', rest))
    status, _, err = say(capfd, "check", str(HERE))
    assert status == Exit.USAGE
    assert "touch here" in err
    assert "--allow-commands" in err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ((), "no thresholds file is named"),
        (("absent.toml",), "absent.toml cannot be read"),
        (("--write", "run"), "--margin"),
        (("--margin", "10%"), "--write"),
        (("--write", "run", "--margin", "10"), "--margin 10 is not a share"),
        (("--write", "run", "--margin", "ten"), "is not a number"),
        (("a.toml", "--write", "run", "--margin", "10%"), "checks nothing"),
        (("a.toml", "run", "--out", "b"), "is measured already"),
    ],
)
def test_words_that_mean_nothing_together_are_refused(
    words: tuple[str, ...], why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    status, told = refused(capfd, "check", *words)
    assert status == Exit.USAGE
    assert why in told


@pytest.mark.parametrize(
    ("head", "why"),
    [
        ('suite = "strea"', "did you mean stream"),
        ("[options]\nkernel = 1", "did you mean kernels"),
        ('suite = "absent.toml"', "absent.toml cannot be read"),
    ],
)
def test_a_wrong_suite_or_option_leaves_no_run(
    head: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    put_in_place(FakeCore(), monkeypatch)
    HERE.write_text(file_of(head, READ, 'at_least = "1 MB/s"'))
    status, told = refused(capfd, "check", str(HERE), "--junit", "check.xml")
    assert status == Exit.USAGE
    assert why in told
    assert sorted(path.name for path in tmp_path.iterdir()) == ["check.xml", "memory.toml"]
    (problem,) = ET.parse("check.xml").iter("error")
    assert problem.attrib["message"] == told


# --- JUnit ---


def test_junit_counts_what_failed_and_what_is_not_known(run: Run) -> None:
    middle = sum(bounds_of(run, "stream", True)[1:]) / 2
    stream = measures()["stream"]
    keys = bounds_of(run, "stream", True)[0]
    asked = [Threshold(n, name, stream, keys, low) for n, name, low in
             ((1, "", 1.0), (2, "<b>\x1b", 1e15), (3, "doubt", middle))]  # type: ignore[arg-type] # fmt: skip
    root = ET.fromstring(junit.report(judge(run, asked), 1.5))
    (suite,) = root
    counts = {name: suite.attrib[name] for name in ("tests", "failures", "errors", "skipped", "time")}
    assert counts == {"tests": "3", "failures": "1", "errors": "0", "skipped": "1", "time": "1.500"}
    passed, failed, unknown = suite.iter("testcase")
    assert [child.tag for child in passed] == ["system-out"]
    assert failed.find("failure") is not None
    assert failed.attrib["name"].startswith("<b>\\u001b: stream bandwidth: read, threads 1")
    skipped = unknown.find("skipped")
    assert skipped is not None
    assert "its interval contains the threshold" in skipped.attrib["message"]


def test_junit_of_a_check_that_could_not_be_made_is_an_error() -> None:
    for problem in (UsageError("wrong \x00 <file>"), TierscopeError("odd")):
        root = ET.fromstring(junit.error(problem, 0.1))
        assert root.attrib["errors"] == "1"
        (one,) = root.iter("error")
        assert one.attrib["type"] == type(problem).__name__


def test_junit_goes_where_it_is_asked_or_states_why_not(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    file, to = tmp_path / "memory.toml", tmp_path / "check.xml"
    file.write_text(file_of(READ, 'at_least = "1 GB/s"'))
    assert say(capfd, "check", str(file), str(run.path), "--junit", str(to))[0] == Exit.GOOD
    assert ET.parse(to).getroot().attrib["tests"] == "1"
    status, told = refused(capfd, "check", str(file), str(run.path), "--junit", str(tmp_path / "absent" / "x.xml"))
    assert status == Exit.CANNOT
    assert "try another --junit" in told
