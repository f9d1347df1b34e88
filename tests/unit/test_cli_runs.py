"""Commands on runs that are there: show, report, compare; and the streams that they write to."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from made import Maker, Teamwork, one_group
from made_machine import made_machine
from said import refused, say
from tierscope.errors import Exit
from tierscope.record.experiment import PAGES
from tierscope.record.result import Run
from tierscope.report.formats import formats
from tierscope.units import GiB

CODE = "import sys; from tierscope.cli.main import main; sys.exit(main())"


def made(
    directory: Path, factor: float = 1.0, noise: float = 0.01, kernels: tuple[str, ...] = ("copy", "triad")
) -> Run:
    """Two kernels and a latency, all `factor` times as fast."""
    maker = Maker(directory)
    for kernel in kernels:
        work = Teamwork((1e8 * factor,), noise=noise)
        maker.add("stream", {"kernel": kernel, "threads": 1}, (one_group(kernel, (0,), GiB),), (work,), count=200)
    labels: dict[str, str | int | float | bool | None] = {"probe": "cycle", "order": "global"}
    work = Teamwork((1e7 * factor,), noise=noise)
    maker.add("latency", labels, (one_group("chase", (0,), GiB, "4k", "chaser"),), (work,), count=200)
    return maker.save("stream")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return made(tmp_path_factory.mktemp("runs") / "a run")


def test_a_run_is_shown(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = say(capfd, "show", str(run.path))
    assert (status, err) == (0, "")
    assert "copy" in out
    assert "Note: these numbers were made. Next: measure." in out


def test_a_run_is_shown_as_rows(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, err = say(capfd, "show", str(run.path / "result.json"), "--json")
    assert (status, err) == (0, "")
    assert {row["table"] for row in json.loads(out)["rows"]} == {"stream", "latency"}


def test_a_run_is_reported_in_several_formats(run: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    formats = ("svg", "markdown", "csv", "json")
    words = [word for name in formats for word in ("--format", name)]
    status, out, err = say(capfd, "report", str(run.path), *words, "--to", str(tmp_path / "new"))
    assert (status, err) == (0, "")
    paths = [Path(line) for line in out.splitlines()]
    assert all(path.stat().st_size for path in paths)
    assert {path.suffix for path in paths} == {".svg", ".md", ".csv", ".json"}


def test_an_unknown_format_writes_nothing(run: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ("--format", "csv", "--format", "pfd", "--to", str(tmp_path / "new"))
    status, line = refused(capfd, "report", str(run.path), *words)
    assert status == Exit.USAGE
    assert line == f"unknown report format 'pfd' (known: {', '.join(formats.reports())})"
    assert os.listdir(tmp_path) == []


def test_a_report_that_cannot_be_written(run: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, line = refused(capfd, "report", str(run.path), "--format", "csv", "--to", str(tmp_path / "file"))
    assert status == Exit.CANNOT
    assert line.startswith(f"cannot write {tmp_path}/file")
    assert line.endswith("try --to ANOTHER_PLACE")


@pytest.mark.parametrize("command", ["show", "report", "compare"])
@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("result.json", b"", "result.json is damaged: Input data was truncated"),
        ("result.json", None, "is not a run directory: it has no result.json"),
        ("result.json", b'{"schema":99}', "has schema 99, newer than 2: use a newer tierscope"),
        ("samples/0000.parquet", b"PAR1 and no more", "samples/0000.parquet cannot be read"),
        ("samples/0000.parquet", None, "samples/0000.parquet cannot be read"),
    ],
)
def test_a_damaged_run_ends_with_2_and_one_line(
    run: Run,
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    command: str,
    name: str,
    content: bytes | None,
    why: str,
) -> None:
    broken = shutil.copytree(run.path, tmp_path / "broken")
    (broken / name).unlink()
    if content is not None:
        (broken / name).write_bytes(content)
    status, line = refused(capfd, command, *[str(broken)] * (2 if command == "compare" else 1))
    assert status == Exit.USAGE
    assert why in line


def test_a_run_does_not_differ_from_itself(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, "compare", str(run.path), str(run.path))
    assert status == Exit.GOOD
    assert "over 3 points: 3 no difference shown" in out


@pytest.mark.parametrize(("factor", "word", "status"), [(0.8, "slower", Exit.FAILED), (1.25, "faster", Exit.GOOD)])
def test_a_difference_is_found_and_only_a_loss_fails(
    run: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path, factor: float, word: str, status: Exit
) -> None:
    other = made(tmp_path / "other", factor)
    found, out, _ = say(capfd, "compare", str(run.path), str(other.path), "--json")
    assert found == status
    rows = json.loads(out)
    assert [row["verdict"] for row in rows] == [word] * 3
    for row in rows:
        truth = 1 / factor if row["table"] == "latency" else factor
        assert row["ratio_low"] < truth < row["ratio_high"]


def test_a_difference_below_that_of_interest_is_none(
    run: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = made(tmp_path / "other", 0.8)
    assert say(capfd, "compare", str(run.path), str(other.path), "--least", "0.5")[0] == Exit.GOOD


def test_nothing_sure_is_4(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    a, b = (made(tmp_path / name, noise=1.0) for name in "ab")
    status, out, _ = say(capfd, "compare", str(a.path), str(b.path))
    assert status == Exit.INCONCLUSIVE
    assert "3 inconclusive" in out


def test_runs_without_a_common_point_do_not_compare(
    run: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    maker = Maker(tmp_path / "other")
    maker.add("stream", {"kernel": "add", "threads": 1}, (one_group("add", (0,), GiB),), (Teamwork((1e8,)),))
    status, line = refused(capfd, "compare", str(run.path), str(maker.save().path))
    assert (status, line) == (
        Exit.USAGE,
        f"{run.path} and {tmp_path}/other have no point in common: rows of stream differ in kernel",
    )


def test_numbers_of_different_origin_do_not_compare(
    run: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    other = shutil.copytree(run.path, tmp_path / "other")
    text = (other / "result.json").read_text()
    (other / "result.json").write_text(text.replace('"origin": "real"', '"origin": "simulated"', 1))
    status, line = refused(capfd, "compare", str(run.path), str(other))
    assert status == Exit.USAGE
    assert line.startswith("one run is real, the other simulated: their numbers are not comparable; --across-origins")


def test_a_point_measured_twice_is_compared_round_by_round(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    maker = Maker(tmp_path / "run")
    for rate in (1e8, 2e8):
        work = Teamwork((rate,))
        maker.add("stream", {"kernel": "add", "threads": 1}, (one_group("add", (0,), GiB),), (work,), count=200)
    directory = str(maker.save().path)
    status, out, _ = say(capfd, "compare", directory, directory, "--json")
    assert status == Exit.GOOD
    assert [row["ratio"] for row in json.loads(out)] == [1.0, 1.0]


def test_another_machine_is_noted(run: Run, capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    maker = Maker(tmp_path / "other")
    maker.add("stream", {"kernel": "copy", "threads": 1}, (one_group("copy", (0,), GiB),), (Teamwork((1e8,)),))
    other = maker.save(machine=made_machine(4))
    assert "Note: the runs come from made and made" in say(capfd, "compare", str(run.path), str(other.path))[1]


@pytest.mark.parametrize("least", ["-0.1", "1", "nan", "inf"])
def test_a_least_difference_that_is_not_a_share(run: Run, capfd: pytest.CaptureFixture[str], least: str) -> None:
    status, line = refused(capfd, "compare", str(run.path), str(run.path), "--least", least)
    assert status == Exit.USAGE
    assert "is not a share; name one from 0 up to 1" in line


@pytest.fixture
def shell(run: Run, root: Path) -> str:
    """How the command is called in a shell, as `t`; RUN is the run."""
    where = f'unset PYTHONUNBUFFERED; export PYTHONPATH="{root}/src"; RUN="{run.path}"'
    return f'{where}; t() {{ {sys.executable} -c "{CODE}" "$@"; }}; '


@pytest.mark.parametrize(
    ("words", "status"),
    [
        ('t show "$RUN" >/dev/full', 3),
        ("t suites >/dev/full", 3),
        ("t --help >/dev/full", 3),
        ("PYTHONUNBUFFERED=1; export PYTHONUNBUFFERED; t suites >/dev/full", 3),  # hides what Python keeps back
        ('ulimit -f 8; t show "$RUN" --json >"$RUN.cut"', 3),  # the system takes a part
        ('PYTHONUNBUFFERED=1; export PYTHONUNBUFFERED; ulimit -f 8; t show "$RUN" --json >"$RUN.cut"', 3),
        ('t show "$RUN" >&-', 0),
        ('t show "$RUN" --json >&-', 0),
        ('t show "$RUN" <&- >/dev/null', 0),
        ("t show nowhere 2>&-", 2),
        ("t show nowhere >&- 2>&- <&-", 2),
        ('TERM=dumb NO_COLOR=1 t show "$RUN" >/dev/null', 0),
        ('LC_ALL=C PYTHONIOENCODING=ascii t show "$RUN" >/dev/null', 0),
        ('LC_ALL=C PYTHONUTF8=0 PYTHONCOERCECLOCALE=0 t show "$RUN" >/dev/null', 0),
        ('unset HOME; t show "$RUN" >/dev/null', 0),
        ("cd /proc; t suites >/dev/null", 0),
    ],
)
def test_any_stream_and_locale_will_do(shell: str, words: str, status: int) -> None:
    done = subprocess.run(["sh", "-c", shell + words], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    assert done.stderr.count("\n") == (status != 0 and "2>&-" not in words)


@pytest.mark.parametrize("words", ['show "$RUN"', 'show "$RUN" --json', "suites", "--help", "completion bash"])
def test_a_reader_that_goes_away_is_not_an_error(shell: str, words: str) -> None:
    script = f'{shell}(t {words}; echo "$?" >&2) | true'
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr == "0\n"


def asked_to_complete(line: str) -> dict[str, str]:
    """The variables by which bash asks for the completions at the end of a line."""
    return {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_TIERSCOPE_COMPLETE": "bash_complete"}


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("tierscope res", ["plain,resume"]),
        ("tierscope run l", ["plain,latency", "plain,loaded-latency"]),
        ("tierscope run my-p", ["file,my-p"]),
        ("tierscope run stream k", ["plain,kernels="]),
        (
            "tierscope run quick threads=1 ",
            ["plain,target=", "plain,limit=", "plain,precision=", "plain,visits=", "plain,peak=", "plain,counters="],
        ),
        ("tierscope run quickx l", [""]),
        ("tierscope rnu q", [""]),
        ("tierscope show ru", ["file,ru"]),
        ("tierscope run stream --dry", ["plain,--dry-run"]),
        ("tierscope run stream pages=", [f"plain,pages={word}" for word in PAGES]),
        ("tierscope run stream pages=t", ["plain,pages=thp"]),
        ("tierscope run stream kernels=triad,triad_", ["plain,kernels=triad,triad_nt"]),
        ("tierscope run stream kernels = tria", ["plain,triad", "plain,triad_nt"]),  # as bash cuts it
        ("tierscope run stream pages =", [f"plain,{word}" for word in PAGES]),
        ("tierscope run stream target=sim:op", ["plain,target=sim:optane100", "plain,target=sim:optane200"]),
        ("tierscope run stream nothing=", [""]),
        ("tierscope run stream budget=1", [""]),
        ("tierscope compare runs/a ref", ["plain,reference:"]),
        ("tierscope compare runs/a ru", ["file,ru"]),
        (
            "tierscope compare runs/a reference:document003",
            [
                "plain,reference:document003_loaded_latency",
                "plain,reference:document003_storage",
            ],
        ),
        ("tierscope audit reference:cxl", ["plain,reference:cxl_latency"]),
        ("tierscope models sat", ["plain,saturation"]),
        ("tierscope predict --on optane1", ["plain,optane100"]),
        ("tierscope trace --on optane1", ["plain,optane100"]),
    ],
)
def test_the_shell_is_offered_what_fits(
    line: str, offered: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in asked_to_complete(line).items():
        monkeypatch.setenv(name, value)
    status, out, err = say(capfd)
    assert (status, err) == (0, "")
    assert out.splitlines() == offered


def test_a_process_of_its_own_offers_the_same(root: Path) -> None:
    environment = {**os.environ, **asked_to_complete("tierscope res"), "PYTHONPATH": f"{root}/src"}
    done = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("plain,resume\n", "")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts_are_sound(capfd: pytest.CaptureFixture[str], tmp_path: Path, shell: str) -> None:
    status, out, err = say(capfd, "completion", shell)
    assert (status, err) == (0, "")
    assert "_TIERSCOPE_COMPLETE" in out
    (tmp_path / "script").write_text(out)
    if path := shutil.which(shell):
        subprocess.run([path, "-n", tmp_path / "script"], check=True)


def test_bash_puts_no_space_behind_a_key(capfd: pytest.CaptureFixture[str]) -> None:
    assert "[[ $value == *[=:] ]] && compopt -o nospace" in say(capfd, "completion", "bash")[1]
