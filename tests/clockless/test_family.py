"""The processes of real programs: how each is found, and that the tracer records the one that is named."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from needs import TRACER
from tiers import first
from tierscope.predict.program.members import household
from tierscope.predict.program.native import Native
from tierscope.predict.program.processes import strayed
from tierscope.simulated.family import Family, family_of, family_words
from tierscope.simulated.replay import NeverBeganError, Traced, replayed
from tierscope.stats.median import Interval

SOURCE = Path(__file__).with_name("starting_programs.c")
ROUNDS = "2000"


@pytest.fixture(scope="module", params=["dynamic", "static"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    made = tmp_path_factory.mktemp("starts") / "a program"
    link = ["-static"] if request.param == "static" else []
    subprocess.run(["cc", "-O1", "-pthread", *link, "-o", made, SOURCE], check=True)
    return str(made)


def family(*command: str) -> Family:
    with tempfile.TemporaryFile() as facts:
        words = family_words(facts.fileno(), command)
        subprocess.run(words, pass_fds=[facts.fileno()], stdout=subprocess.DEVNULL, check=False, timeout=300)
        facts.seek(0)
        found = family_of(facts.read())
    assert found is not None
    return found


def numbers(found: Family) -> list[str]:
    return [one.number for one in found.processes]


@pytest.mark.parametrize("how", ["fork", "vfork", "spawn", "closed"])
def test_each_way_to_start_a_process_is_found(program: str, how: str) -> None:
    found = family(program, how, program, "work", "1")
    assert numbers(found) == ["", "1"]
    main, child = found.processes
    assert (main.file, child.file, child.programs) == (program, program, 1)
    assert child.words == (program, "work", "1")
    assert 0 <= main.begin_s <= child.begin_s <= (child.end_s or -1) <= (main.end_s or -1) <= found.wall_s
    assert found.status == 0


def test_the_time_of_a_child_is_its_own(program: str) -> None:
    """The child has nearly all of the CPU time, so that a busy machine does not matter."""
    main, child = family(program, "fork", program, "work", "200000").processes
    assert child.cpu_s > 10 * main.cpu_s


def test_processes_are_numbered_by_their_parents(program: str) -> None:
    found = family("/bin/sh", "-c", f"'{program}' fork '{program}' work 1; '{program}' work 1; exit 3")
    assert numbers(found) == ["", "1", "1.1", "2"]
    assert found.status == 3


def test_a_child_that_becomes_nothing_is_a_process_without_a_program(program: str) -> None:
    found = family(program, "missing", program, "work", "1")
    assert [(one.number, one.programs) for one in found.processes] == [("", 1), ("1", 0), ("2", 1)]


def test_a_process_that_becomes_another_program_has_the_name_of_the_last_one(program: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\nexec '{program}' work 1\n")
    script.chmod(0o755)
    _, child = family(program, "fork", str(script)).processes
    assert (child.programs, child.file, child.first_count) == (2, program, 2)
    assert child.first_file == str(Path("/bin/sh").resolve())


def test_a_thread_is_not_a_process(tmp_path: Path) -> None:
    made = tmp_path / "threads"
    subprocess.run(["cc", "-O1", "-pthread", "-o", made, SOURCE.with_name("traced_programs.c")], check=True)
    assert numbers(family(str(made), "threads", "1000")) == [""]


def test_signals_and_stops_reach_the_program(program: str) -> None:
    assert family(program, "stopped").status == 0
    assert family("/bin/sh", "-c", "kill -TERM $$").status == -signal.SIGTERM


def test_a_command_is_found_as_a_shell_finds_it() -> None:
    assert family("sh", "-c", "exit 4").status == 4
    assert family("nothing-of-this-name").status == 127


def test_a_process_that_outlives_the_program_has_no_end(program: str) -> None:
    found = family(program, "left", "/bin/sleep", "1")
    assert [one.end_s is None for one in found.processes] == [False, True]


def test_the_time_of_a_process_that_outlives_the_program_counts(program: str) -> None:
    """Even on a busy machine it has a part of the time: its work is 5x that of the second one."""
    found = family("/bin/sh", "-c", f"'{program}' work 1000000 & '{program}' work 200000")
    (left,) = (one for one in found.processes if one.end_s is None)
    assert left.cpu_s > 0.05 * found.wall_s
    wall = Interval(found.wall_s, found.wall_s, found.wall_s, 1)
    home = household(Native(wall, wall, 0.0, 1, families=(found,)))
    assert home is not None
    assert "it leaves a process behind that still runs: 'a program' work 1000000" in home.unknown


def test_work_of_a_copy_before_its_program_is_kept_apart(program: str) -> None:
    main, child = family(program, "late", "2000000", program, "work", "1").processes
    assert child.before_s > 10 * max(child.cpu_s, main.cpu_s)


def test_the_time_of_a_process_whose_parent_has_ended_counts_once(program: str) -> None:
    found = family(program, "orphan", program, "work", "2000000")
    assert numbers(found) == ["", "1", "1.1"]
    main, _, orphan = found.processes
    assert orphan.cpu_s > 10 * main.cpu_s


def state(process: int) -> dict[str, str]:
    """Return what the kernel states of a process; nothing of one that has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except (FileNotFoundError, ProcessLookupError):
        return {}
    known = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    return {} if known["State"].startswith(("Z", "X")) else known


def test_what_a_program_leaves_behind_lives_on_unfollowed(program: str, tmp_path: Path) -> None:
    told, facts = tmp_path / "told", tmp_path / "facts"
    with told.open("w") as output, facts.open("w") as to:
        subprocess.run(
            family_words(to.fileno(), [program, "leaves"]), pass_fds=[to.fileno()], stdout=output, check=True
        )
    left = [int(line) for line in told.read_text().split()]
    try:
        assert waited(lambda: [state(one)["State"][0] for one in left[:2]] == ["S", "T"])
        assert waited(lambda: len(list(Path(f"/proc/{left[0]}/task").iterdir())) == 2)
        assert [state(one)["TracerPid"] for one in left] == ["0"] * 3
        threads = [task / "status" for task in Path(f"/proc/{left[0]}/task").iterdir()]
        assert ["TracerPid:\t0\n" in thread.read_text() for thread in threads] == [True] * 2
        os.kill(left[1], signal.SIGCONT)
        assert waited(lambda: state(left[1])["State"][0] == "S")
    finally:
        for one in left:
            os.kill(one, signal.SIGKILL)
    assert waited(lambda: not any(map(state, left)))


def test_a_killed_core_leaves_nothing_behind(tmp_path: Path) -> None:
    """As at the end of --limit, or with Ctrl-C."""
    script = "sleep 1000 & echo $!; /bin/sh -c 'sleep 1000 & echo $!; wait' & wait"
    with (tmp_path / "facts").open("w") as to:
        core = subprocess.Popen(
            family_words(to.fileno(), ["/bin/sh", "-c", script]), pass_fds=[to.fileno()], stdout=subprocess.PIPE
        )
        assert core.stdout is not None
        started = [int(core.stdout.readline()) for _ in range(2)]
        assert all(map(state, started))
        core.kill()
        core.wait()
        core.stdout.close()
    try:
        assert waited(lambda: not any(map(state, started)))
    finally:
        for one in filter(state, started):
            os.kill(one, signal.SIGKILL)


def waited(until: Callable[[], bool]) -> bool:
    """Return whether it becomes true within a minute."""
    for _ in range(6000):
        if until():
            return True
        time.sleep(0.01)
    return False


def test_an_answer_that_has_no_end_is_none() -> None:
    assert family_of(b"") is None
    assert family_of(b'{"fact":"refused","message":"Operation not permitted"}\n') is None


def record(process: str, *command: str) -> Traced:
    with tempfile.TemporaryFile() as said:
        (found,) = replayed(["sim:flat"], command, count=True, output=said.fileno(), limit_s=300, process=process)
    return found


@TRACER
@pytest.mark.parametrize("how", ["fork", "vfork", "spawn", "closed", "missing", "both"])
def test_the_process_that_is_named_is_recorded(program: str, how: str) -> None:
    """closed: it gets no descriptor of the program, and others have the number of the pipe."""
    alone = record("", program, "work", ROUNDS)
    found = record("2" if how == "missing" else "1", program, how, program, "work", ROUNDS)
    assert (found.whole, found.ended) == (True, 0)
    assert found.instructions == pytest.approx(alone.instructions, rel=0.01)


@TRACER
def test_a_process_below_others_is_recorded_and_a_script_is(program: str, tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\n'{program}' work 1\n'{program}' vfork '{program}' work {ROUNDS}\n")
    script.chmod(0o755)
    alone = record("", program, "work", ROUNDS)
    found = record("1.2.1", program, "fork", str(script))
    assert found.instructions == pytest.approx(alone.instructions, rel=0.01)
    above = record("1", program, "fork", str(script))
    assert above.notes[0].startswith(f"begins {Path('/bin/sh').resolve()} ")
    assert above.notes.count("fork") == 2
    assert above.instructions < alone.instructions / 2


@TRACER
@pytest.mark.parametrize("process", ["2", "1.1", "3.7"])
def test_a_process_that_does_not_start_is_an_error_of_its_own(program: str, process: str) -> None:
    with pytest.raises(NeverBeganError, match=f"process {process} of "):
        record(process, program, "fork", program, "work", "1")


@TRACER
@pytest.mark.parametrize("program", first(1, ["dynamic", "static"]), indirect=True)
def test_what_is_recorded_is_known_by_its_words(program: str) -> None:
    """The second of two children takes nearly all of the time; the first one has other arguments."""
    line = f"'{program}' work 1; '{program}' work 100000"
    runs = tuple(family("/bin/sh", "-c", line) for _ in range(2))
    wall = Interval(runs[0].wall_s, runs[0].wall_s, runs[0].wall_s, 2)
    found = household(Native(wall, wall, 0.0, 2, families=runs))
    assert found is not None
    (member,) = found.followed
    assert member.number == "2"
    assert strayed(member, record("2", "/bin/sh", "-c", line)) == ""
    assert "in another order" in strayed(member, record("1", "/bin/sh", "-c", line))
