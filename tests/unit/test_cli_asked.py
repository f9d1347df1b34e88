"""Options of a suite as flags, the help of a suite, the newest run, and the page in a browser."""

import os
import webbrowser
from pathlib import Path

import msgspec
import pytest
import rich_click as click

from fake_core import FakeCore, put_in_place
from made import Maker, add_stream
from said import refused, say
from tierscope.cli.commands import commands
from tierscope.cli.help import Area, Command
from tierscope.cli.suite_words import as_words, find_suite, options_of
from tierscope.errors import Exit, UsageError
from tierscope.plans import suites
from tierscope.record.result import load
from tierscope.run.newest import newest

FLAGS = {"--out": True, "--json": True, "--quiet": False, "--dry-run": False}


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeCore:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    return put_in_place(FakeCore(), monkeypatch)


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("stream --kernels=triad", "stream kernels=triad"),
        ("stream --kernels triad --threads 1,2", "stream kernels=triad threads=1,2"),
        ("--kernels triad stream --out d", "stream --out d kernels=triad"),
        ("--out d --quiet stream --array=1GiB", "--out d --quiet stream array=1GiB"),
        ("stream --out --kernels", "stream --out --kernels"),
        ("stream --json - isa=avx2", "stream --json - isa=avx2"),
        ("stream -- --kernels", "stream -- --kernels"),
        ("stream --limitx 5", "stream limitx=5"),
        ("stream --outt d", "stream --outt d"),
        ("stream --quite", "stream --quite"),
        ("stream --bogus", "stream --bogus"),
        ("neighbors --victim 'cmd a=b'", "neighbors 'victim=cmd a=b'"),
        ("quickx --limit 5", "quickx limit=5"),
        ("own.toml --counters=perf", "own.toml counters=perf"),
        ("--bogus stream", "--bogus stream"),
    ],
)
def test_options_as_flags_become_keys_and_flags_stay(typed: str, read: str) -> None:
    import shlex

    assert as_words(shlex.split(typed), FLAGS) == shlex.split(read)


def test_an_option_without_its_value_is_refused_with_its_default() -> None:
    with pytest.raises(UsageError, match=r"--array needs a value; its default is --array=auto"):
        as_words(["stream", "--array", "--quiet"], FLAGS)


def test_the_suite_is_found_behind_flags_and_options() -> None:
    assert find_suite(["--out", "stream", "latency"], FLAGS) == "latency"
    assert find_suite(["--threads", "1", "--", "latency"], FLAGS) == "latency"
    assert find_suite(["--quiet"], FLAGS) == ""


def test_no_option_of_a_suite_has_the_name_of_a_flag() -> None:
    run = commands["run"]
    flags = {flag.lstrip("-") for one in run.params if isinstance(one, click.Option) for flag in one.opts}
    named = {one.name for name in suites for one in options_of(name)}
    assert flags.isdisjoint({*named, *(name.replace("_", "-") for name in named)})


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("run quick --limitx=5", "unknown option of quick 'limitx'; did you mean limit?"),
        ("run quick --limit 5 limit=6", "limit= is given twice"),
        ("run quick --limit=5parsec", "limit=5parsec: unknown unit 'parsec'"),
        ("run stream --outt x", "No such option '--outt'"),
        ("run streamx --kernels triad", "unknown suite 'streamx'; did you mean stream?"),
        ("run streamx --help", "unknown suite 'streamx'; did you mean stream?"),
    ],
)
def test_wrong_flags_end_with_the_error_of_the_key(
    fake: FakeCore, capfd: pytest.CaptureFixture[str], words: str, why: str
) -> None:
    status, line = refused(capfd, *words.split())
    assert status == Exit.USAGE
    assert why in line


def test_flags_run_the_same_experiments(fake: FakeCore, capfd: pytest.CaptureFixture[str]) -> None:
    keys = say(capfd, "run", "stream", "kernels=triad", "threads=2", "--dry-run")
    assert keys[0] == Exit.GOOD
    assert "triad" in keys[1]
    assert say(capfd, "run", "stream", "--kernels=triad", "--dry-run", "--threads", "2") == keys


@pytest.mark.parametrize("name", list(suites))
def test_the_help_of_a_suite_names_its_options_with_their_defaults(
    capfd: pytest.CaptureFixture[str], name: str
) -> None:
    status, out, err = say(capfd, "run", name, "--help")
    assert (status, err) == (0, "")
    flat = "".join(out.split())
    for one in options_of(name):
        assert f"\n  {one.name} " in out
        assert f"default:{one.show()}".replace(" ", "") in flat
    assert "--dry-run" in out
    assert "\0" not in out


def test_the_help_without_a_suite_is_that_of_the_command(capfd: pytest.CaptureFixture[str]) -> None:
    out = say(capfd, "run", "--help")[1]
    assert "Options of" not in out
    assert "SUITE" in out


def test_the_help_of_a_file_of_groups_names_what_every_suite_has(capfd: pytest.CaptureFixture[str]) -> None:
    out = say(capfd, "run", "absent.toml", "--help")[1]
    assert "Options of every suite" in out
    assert "Options of absent" not in out


@pytest.mark.parametrize("name", list(commands))
def test_every_command_has_a_summary(name: str) -> None:
    command = commands[name]
    assert isinstance(command, Command)
    assert command.area is not Area.OTHER, f"give the command {name} area=Area.LOOK or another"


def test_the_help_of_the_program_groups_its_commands(capfd: pytest.CaptureFixture[str]) -> None:
    out = say(capfd, "--help")[1]
    titles = [area.value for area in Area if area is not Area.OTHER]
    places = [out.index(f" {title} ") for title in titles]
    assert places == sorted(places)
    assert Area.OTHER.value not in out
    measure = out[places[0] : places[1]]
    assert all(f" {name} " in measure for name in ("run", "resume", "rerun", "suites"))
    assert " compare " not in measure


def made(path: Path, started: str) -> Path:
    maker = Maker(path)
    add_stream(maker, ("read",))
    maker.save()
    manifest = msgspec.json.decode((path / "manifest.json").read_bytes()) if (path / "manifest.json").exists() else {}
    (path / "manifest.json").write_bytes(msgspec.json.encode({**manifest, "started": started}))
    return path


def test_show_without_a_name_shows_the_run_that_was_begun_last(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    made(tmp_path / "runs/z-older", "2026-01-02T03:04:05+00:00")
    made(tmp_path / "runs/a-newer", "2026-01-02T03:04:06+00:00")
    (tmp_path / "runs/zz-half").mkdir()
    os.utime(tmp_path / "runs/z-older/manifest.json")  # a copy or a page written later makes no run newer
    status, out, err = say(capfd, "show")
    assert status == 0
    assert err == "tierscope: the newest run is runs/a-newer\n"
    assert out == say(capfd, "show", "runs/a-newer")[1]
    assert say(capfd, "show", "--json")[1] == say(capfd, "show", "runs/a-newer", "--json")[1]


def test_a_manifest_that_cannot_be_read_makes_a_run_older_than_others(tmp_path: Path) -> None:
    made(tmp_path / "a", "2026-01-02T03:04:05+00:00")
    (made(tmp_path / "b", "x") / "manifest.json").write_bytes(b"\xff")
    assert newest(tmp_path).name == "a"


def test_show_without_any_run_states_what_to_do(
    capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    status, line = refused(capfd, "show")
    assert status == Exit.USAGE
    assert "there is no run below runs" in line
    assert "`tierscope run quick`" in line


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    return made(tmp_path / "run", "2026-01-02T03:04:05+00:00")


def test_report_opens_the_page_that_it_wrote(
    run: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda url: opened.append(url) or True)
    status, out, _ = say(capfd, "report", str(run), "--format", "json", "--format", "html", "--open")
    assert status == 0
    assert opened == [(run / "report.html").resolve().as_uri()]
    assert str(run / "report.html") in out


@pytest.mark.parametrize(
    ("environment", "finds", "why"),
    [
        ({}, True, "there is no desktop here"),
        ({"SSH_CONNECTION": "1 2 3 4"}, True, "this is a session over ssh"),
        ({"DISPLAY": ":0"}, False, "Python finds none; set BROWSER"),
    ],
)
def test_a_page_that_cannot_be_opened_is_written_and_named(
    run: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    environment: dict[str, str], finds: bool, why: str,
) -> None:  # fmt: skip
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(webbrowser, "open", lambda url: finds)
    status, out, err = say(capfd, "report", str(run), "--open")
    assert status == Exit.CANNOT
    assert out.strip() == str(run / "report.html")
    assert why in err
    assert f"copy {run / 'report.html'} to" in err
    assert load(run).result.suite


def test_only_a_page_can_be_opened(run: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, line = refused(capfd, "report", str(run), "--format", "json", "--open")
    assert status == Exit.USAGE
    assert "add --format html" in line
