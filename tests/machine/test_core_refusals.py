"""An impossible request ends in one line with what is possible, and in its exit status: 2 words, 3 machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from border import CPUS, refused, run
from tierscope.core import find_core

HERE = f"cpus={CPUS[0]} footprint=1MiB pages=4k"


def test_a_footprint_over_the_free_memory_is_refused_before_any_page_is_touched() -> None:
    total = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    status, message = refused(f"group kernel=triad cpus={CPUS[0]} footprint={total >> 20}MiB", "prepare")
    assert status == 3
    assert "is over the free memory: " in message
    assert "; ask for at most " in message


def test_a_cpu_that_is_not_there_is_refused_with_those_that_are() -> None:
    status, message = refused("group kernel=noop target=null cpus=8191", "prepare")
    assert status == 3
    assert message == f"cannot pin a thread to CPU 8191; this process may use {','.join(map(str, CPUS))}"


def test_a_cpu_that_is_not_allowed_is_refused() -> None:
    """The mask of taskset is a wish that a process could override; it does not."""
    taskset = shutil.which("taskset") or pytest.skip("no taskset: sudo apt-get install -y util-linux")
    if len(CPUS) < 2:
        pytest.skip("one CPU: none can be forbidden")
    command: list[str | Path] = [taskset, "-c", str(CPUS[0]), find_core(), "run"]
    plan = f"group kernel=noop target=null cpus={CPUS[1]}"
    done = subprocess.run(command, input=plan, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert f"cannot pin a thread to CPU {CPUS[1]}; this process may use {CPUS[0]}" in done.stdout


def test_one_cpu_in_two_groups_is_refused() -> None:
    group = f"group kernel=noop target=null cpus={CPUS[0]}"
    refusal = f"CPU {CPUS[0]} is in two groups; shared=1 in both lets them share it"
    assert refused(group, group, "prepare", "measure seconds=10ms") == (2, refusal)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"group kernel=tryad {HERE}", "unknown kernel 'tryad' (known: add, "),
        (f"group kernel=triad isa=mmx {HERE}", "unknown isa 'mmx' for kernel triad"),
        (f"group kernel=triad streams=77 {HERE}", "is not built for streams=77"),
        (
            f"group kernel=triad target=tape:0 {HERE}",
            "unknown target 'tape' (known: devdax, emu, file, ",
        ),
        ("group kernel=triad footprint=1MiB", "needs cpus="),
        (
            f"group kernel=command command=true memory=far target=null cpus={CPUS[0]}",
            "memory=far of a victim command: a node is needed, such as memory=node:1",
        ),
        (f"group kernel=flow memory=node:0 target=null cpus={CPUS[0]}", "memory=node:0 is for kernel command alone"),
        (f"group kernel=triad cpus={CPUS[0]}", "footprint of 0 bytes is too small"),
        (f"group kernel=triad cpus={CPUS[0]} footprint=1MiB pages=3m", "unknown pages '3m' (known: 4k, thp, 2m, 1g)"),
        (f"group kern=triad {HERE}", "unknown key 'kern' (known: access, ahead, "),
        (f"group kernel=triad cpus={CPUS[0]} footprint=1MIB", "unknown unit 'MIB' in footprint=1MIB (known: B, KiB"),
        (f"group kernel=triad cpus={CPUS[0]}- footprint=1MiB", "is not of the form 0-3,8"),
    ],
)
def test_wrong_words_are_refused_with_the_right_ones(line: str, message: str) -> None:
    status, said = refused(line, "prepare")
    assert status == 2
    assert message in said


@pytest.mark.parametrize(
    "words",
    [
        ["fly"], ["catalogue", "now"], ["--version", "x"], ["topology", "--root"], ["topology", "x"], ["check", "x"],
        ["check", "kernel=none"], ["check", "speed=1"], ["run", "--fast"], ["run", "/no/such/plan"],
        ["run", "-", "x", "y"],
    ],
)  # fmt: skip
def test_wrong_commands_end_with_status_2(words: list[str]) -> None:
    done = subprocess.run([find_core(), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stdout.count("\n") == 1
    assert '"kind":"BadPlan"' in done.stdout


def test_samples_that_cannot_be_written_end_with_status_3() -> None:
    status, facts = run(words=("--samples", "/no/such/folder/x.npy"))
    assert status == 3
    assert facts[-1]["message"] == "create samples file /no/such/folder/x.npy: No such file or directory"


def test_an_empty_plan_is_a_good_one() -> None:
    status, facts = run("# nothing", "")
    assert status == 0
    assert [fact["fact"] for fact in facts] == ["hello"]


def test_any_bytes_of_a_person_come_back_as_json() -> None:
    done = subprocess.run([find_core(), "run"], input=b"group kernel=\xff\xfe \x01\n", capture_output=True, check=False)
    assert done.returncode == 2
    assert done.stdout.decode().count("\n") == 2


def test_a_command_gets_the_memory_of_the_node_that_is_named() -> None:
    line = "head%20-1%20/proc/self/numa_maps"
    group = f"group kernel=command command={line} memory=node:0 target=null cpus={CPUS[0]}"
    status, facts = run(group, "prepare", "measure seconds=10ms", "check")
    message = next((fact["message"] for fact in facts if fact["fact"] == "error"), "")
    if "Operation not permitted" in message or "Function not implemented" in message:
        pytest.skip(message)
    assert (status, message) == (0, "")
    assert " bind:0 " in facts[-1]["details"][0]


def test_a_command_with_the_memory_of_a_node_that_is_not_there_is_not_started() -> None:
    group = f"group kernel=command command=true memory=node:900 target=null cpus={CPUS[0]}"
    _, message = refused(group, "prepare", "measure seconds=10ms")
    assert message.startswith(f"victim command 'true' was not started on CPUs {CPUS[0]} with the memory of node 900: ")
