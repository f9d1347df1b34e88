"""`./tierscope` prepares what is missing, once, and reports in one line what it cannot do; in a made checkout."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from checkout import COMPILER, Checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def test_the_first_start_prepares_and_the_second_does_not(checkout: Checkout) -> None:
    checkout.with_tools()
    first = checkout.start("run", "quick")
    assert (first.returncode, first.stdout) == (0, "cli run quick\n"), first.stderr
    assert checkout.calls() == ["venv", "packages", "core"]
    second = checkout.start("run", "quick", "peak=1 GB/s")
    assert (second.returncode, second.stdout, second.stderr) == (0, "cli run quick peak=1 GB/s\n", "")
    assert checkout.calls() == []


def test_only_what_changed_is_done_again(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    (checkout.root / "core/kernel.hpp").write_text("two")
    assert checkout.start().returncode == 0
    assert checkout.calls() == ["core"]
    (checkout.root / "requirements/run.txt").write_text("run==2\n")
    assert checkout.start().returncode == 0
    assert checkout.calls() == ["packages", "core"]
    (checkout.root / "core/kernel.hpp").unlink()
    assert checkout.start().returncode == 0
    assert checkout.calls() == ["core"]


def test_touching_a_file_changes_nothing(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    os.utime(checkout.root / "core/kernel.hpp", (4e9, 4e9))  # from the future: a clock that was set back
    checkout.start()
    assert checkout.calls() == []


def test_tests_bring_their_own_packages_once(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    result = checkout.start("test", "-k", "two words")
    assert result.stdout == "pytest --numprocesses=auto -m not slow -k two words\n"
    assert checkout.calls() == ["packages", "core"]
    assert checkout.targets() == "cores"
    assert (checkout.root / ".venv/requirements.txt").read_text() == "build==1\nrun==1\ntest==1\n"
    checkout.start("test")
    checkout.start("run")
    assert checkout.calls() == []


def test_a_run_builds_the_first_cores_and_removes_what_was_built_later(checkout: Checkout) -> None:
    checkout.with_tools().start()
    assert checkout.targets() == "first_cores"
    built = [checkout.root / ".venv/bin" / f"tierscope-core-{name}" for name in ("pmdk", "traced")]
    later = [*built, checkout.root / "build/venv/libtierscope-shadow.so"]
    (checkout.root / "build/venv").mkdir(parents=True)
    for path in later:
        path.touch()
    checkout.start()
    assert all(path.exists() for path in later)
    (checkout.root / "core/kernel.hpp").write_text("two")
    checkout.start()
    assert not any(path.exists() for path in later)


def test_the_word_all_adds_the_slow_tests(checkout: Checkout) -> None:
    checkout.with_tools()
    assert checkout.start("test", "all", "-k", "two words").stdout == "pytest --numprocesses=auto -k two words\n"


@pytest.mark.parametrize("step", ["packages", "core"])
def test_a_killed_set_up_continues_at_the_next_start(checkout: Checkout, step: str) -> None:
    killed = checkout.with_tools().start(KILL=step)
    assert killed.returncode == -signal.SIGKILL or killed.returncode > 128
    checkout.calls()
    assert checkout.start("x").stdout == "cli x\n"
    # half-installed packages make the environment void; a half-built core does not
    assert checkout.calls() == (["venv", "packages", "core"] if step == "packages" else ["core"])


def test_a_failed_step_shows_the_end_of_its_log_and_what_to_try(checkout: Checkout) -> None:
    broken = checkout.with_tools().start(BREAK="packages")
    assert broken.returncode == 3
    assert "  | cannot reach the index" in broken.stderr
    assert "Python packages failed; check the network" in broken.stderr.splitlines()[-1]
    assert str(checkout.root / ".venv/setup.log") in broken.stderr.splitlines()[-1]
    assert checkout.start("x").stdout == "cli x\n"


def test_simultaneous_starts_prepare_once(checkout: Checkout) -> None:
    checkout.with_tools()
    started = [
        subprocess.Popen(
            checkout.command("x"), env=checkout.environment(SLOW="1"), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        for _ in range(3)
    ]
    assert [process.communicate()[0] for process in started] == [b"cli x\n"] * 3
    assert checkout.calls() == ["venv", "packages", "core"]


def test_a_moved_checkout_is_prepared_again(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    checkout.root = checkout.root.rename(checkout.root.with_name("elsewhere"))
    assert checkout.start("x").stdout == "cli x\n"
    assert checkout.calls() == ["venv", "packages", "core"]


def test_it_works_through_a_symbolic_link(checkout: Checkout, tmp_path: Path) -> None:
    checkout.with_tools()
    link = tmp_path / "link"
    link.symlink_to(checkout.root / "tierscope")
    done = subprocess.run([link, "x"], env=checkout.environment(), text=True, capture_output=True, check=True)
    assert done.stdout == "cli x\n"


def test_another_compiler_rebuilds_the_core(checkout: Checkout) -> None:
    checkout.with_tools().start()
    checkout.calls()
    checkout.tool("my++", COMPILER)
    checkout.start(CXX="my++")
    assert checkout.calls() == ["core"]
    checkout.start()
    assert checkout.calls() == []


@pytest.mark.parametrize("variable", ["TIERSCOPE_PYTHON", "CXX"])
def test_a_wrong_tool_is_named_and_never_replaced(checkout: Checkout, variable: str) -> None:
    refused = checkout.with_tools().start(**{variable: "/no/such/tool"})
    assert refused.returncode == 3
    assert f"{variable}=/no/such/tool" in refused.stderr.splitlines()[-1]
    assert checkout.calls() == []


def test_an_environment_of_another_maker_is_left_alone(checkout: Checkout) -> None:
    mine = checkout.with_tools().root / ".venv/mine"
    mine.mkdir(parents=True)
    refused = checkout.start()
    assert refused.returncode == 3
    assert "move it away" in refused.stderr
    assert mine.exists()


def test_the_trial_runs_the_commands_of_the_readme(root: Path) -> None:
    (line,) = [line for line in (root / "packaging/try-fresh").read_text().splitlines() if "|| commands=(" in line]
    trial = line.partition("commands=(")[2].rstrip(")").strip('"').split('" "')
    assert trial == ["./tierscope run quick", "./tierscope test"]
    readme = (root / "README.md").read_text()
    assert all(command in readme for command in trial)
