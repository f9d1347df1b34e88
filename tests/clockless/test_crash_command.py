"""`tierscope crash` from outside: what it prints, refuses and leaves. Writers are Python and msync, without libpmem."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from shell import Shell, ended, wait_for
from tierscope.crash.writer import find_library
from tierscope.errors import MachineError

WRITER = """
import mmap, sys, time
path, fault = sys.argv[1:3]
with open(path, "x+b") as file:
    file.truncate(8192)
    memory = mmap.mmap(file.fileno(), 8192)
    for number in range(1, 41):
        if number == 20:
            memory.resize(16384)
        memory[4096 : 4096 + 8 * number] = number.to_bytes(8, "little") * number
        if fault != "early":
            memory.flush(4096, 4096)
        memory[0:8] = number.to_bytes(8, "little")
        memory.flush(0, 4096)
        print(number, flush=True)
        if fault == "sleep" and number == 3:
            time.sleep(1000)
"""
CHECK = """
import sys
from pathlib import Path
image, log = Path(sys.argv[1]).read_bytes(), Path(sys.argv[2]).read_text().split()
number = int.from_bytes(image[0:8], "little")
told = int(log[-1]) if log else 0
if number < told or image[4096 : 4096 + 8 * number] < number.to_bytes(8, "little") * number:
    sys.exit(f"record {number} is not whole")
"""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    try:
        find_library()
    except MachineError as error:
        pytest.skip(str(error))
    (tmp_path / "writer.py").write_text(WRITER)
    (tmp_path / "check.py").write_text(CHECK)
    (tmp_path / "work").mkdir()
    return Shell(tmp_path)


def words(file: str = "work/file", fault: str = "none", check: str | None = None, writer: str = "{file}") -> list[str]:
    python = sys.executable
    return [file, "--check", check or f"{python} check.py {{image}} {{log}}", "--", python, "writer.py", writer, fault]


def left(shell: Shell) -> list[str]:
    return sorted(path.name for path in (shell.folder / "work").iterdir())


def test_a_correct_writer_passes_and_nothing_is_left(shell: Shell) -> None:
    status, out, err = shell("crash", "--points", "20", *words())
    assert (status, err) == (0, "")
    assert "work/file: 80 fences, 80 flushes" in out
    assert "passed       20" in out
    assert left(shell) == []


def test_a_writer_that_needs_no_word_for_its_file_makes_it_and_it_is_removed(shell: Shell) -> None:
    status, _, err = shell("crash", "--points", "3", *words(writer="work/file"))
    assert (status, err) == (0, "")
    assert left(shell) == []


def test_a_missing_flush_is_found_and_its_image_can_be_had(shell: Shell) -> None:
    status, out, err = shell("crash", "--points", "10", "--keep", "kept", *words(fault="early"))
    assert (status, err) == (1, "")
    assert "status 1: record " in out
    images = sorted((shell.folder / "kept").glob("image-*"))
    assert images
    assert {path.stat().st_size for path in images} <= {8192, 16384}
    for image in images:
        log = image.with_name(image.name.replace("image", "log"))
        again = subprocess.run(
            [sys.executable, shell.folder / "check.py", image, log], capture_output=True, check=False
        )
        assert again.returncode == 1
    assert left(shell) == []


MAPPED = "f = open(sys.argv[1], 'x+b'); f.truncate(4096); m = mmap.mmap(f.fileno(), 0); "

SHRINKING = """
import mmap, os, sys
with open(sys.argv[1], "r+b") as file:
    for number in range(10):
        memory = mmap.mmap(file.fileno(), 16384)
        memory[8192:8200] = bytes([9 + number] * 8)
        memory.flush()
        memory.close()
        os.truncate(file.fileno(), 4096)
        os.truncate(file.fileno(), 16384)
        memory = mmap.mmap(file.fileno(), 16384)
        memory[0] = number + 1
        memory.flush(0, 4096)
        memory.close()
"""


def test_bytes_truncated_from_the_file_do_not_come_back(shell: Shell) -> None:
    """Cuts at the second fence of each round: the file was cut short since the first one, and contains zeros there."""
    (shell.folder / "shrinking.py").write_text(SHRINKING)
    (shell.folder / "work/file").write_bytes(b"s" * 16384)
    code = "import sys; image = open(sys.argv[1], 'rb').read(); sys.exit(image[8192:] != bytes(8192))"
    check = f'{sys.executable} -c "{code}" {{image}}'
    writer = [sys.executable, "shrinking.py", "{file}"]
    status, out, err = shell("crash", "--json", "--points", "20", "work/file", "--check", check, "--", *writer)
    assert (status, err) == (1, "")
    verdicts = {point["fence"]: point["verdict"] for point in json.loads(out)["points"]}
    assert [verdicts[fence] for fence in range(2, 21, 2)] == ["passed"] * 10


SPARSE = """
import mmap, os, pathlib, sys
with open(sys.argv[1], "x+b") as file:
    file.truncate(1 << 28)
    memory = mmap.mmap(file.fileno(), 1 << 28)
    for number in range(1, 4):
        memory[1 << 27] = number
        memory.flush()
        folder = os.path.dirname(sys.argv[1])
        with open("blocks", "a") as told:
            print(sum(each.stat().st_blocks for each in pathlib.Path(folder).rglob("*")), file=told)
"""


def test_holes_of_a_large_file_stay_holes_where_reading_fills_them(shell: Shell) -> None:
    (shell.folder / "sparse.py").write_text(SPARSE)
    if not os.access("/dev/shm", os.W_OK):
        pytest.skip("/dev/shm cannot be written")
    with tempfile.TemporaryDirectory(dir="/dev/shm", prefix="tierscope-test-") as memory:
        command = [f"{memory}/file", "--check", "test -s {image}", "--", sys.executable, "sparse.py", "{file}"]
        status, out, err = shell("crash", *command)
        assert (status, err, os.listdir(memory)) == (0, "", [])
    assert "passed        3" in out
    blocks = [int(word) for word in (shell.folder / "blocks").read_text().split()]
    assert max(blocks) * 512 < 1 << 24


def test_a_second_run_that_makes_no_fence_of_those_drawn_shows_nothing(shell: Shell) -> None:
    code = f"{MAPPED}[m.flush() for _ in range(1 if os.path.exists('seen') else 90)]; open('seen', 'w')"
    (shell.folder / "odd.py").write_text(f"import mmap, os, sys\n{code}\n")
    asked = ["work/file", "--points", "3", "--check", "true {image}", "--", sys.executable, "odd.py", "{file}"]
    status, out, _ = shell("crash", *asked)
    assert status == 4
    assert "points not reached, since the second run made fewer fences: 3" in out


READING = """
import mmap, sys
with open(sys.argv[1], "x+b") as file, open("source", "rb", buffering=0) as source:
    file.truncate(8192)
    memory = mmap.mmap(file.fileno(), 8192)
    for number in range(9):
        source.seek(0)
        assert source.readinto(memoryview(memory)[64 * number : 64 * number + 8]) == 8
        memory.flush(0, 4096)
"""


def test_a_writer_into_whose_file_the_system_reads_is_judged_without_cuts_inside_lines(shell: Shell) -> None:
    (shell.folder / "odd.py").write_text(READING)
    (shell.folder / "source").write_bytes(b"12345678")
    asked = ["work/file", "--points", "3", "--check", "true {image}", "--", sys.executable, "odd.py", "{file}"]
    status, out, _ = shell("crash", *asked)
    assert status == 0
    assert "passed        3" in out
    assert "No power failure was simulated between two stores to one cache line" in out


def test_the_document_has_every_point(shell: Shell) -> None:
    status, out, _ = shell("crash", "--json", "--points", "12", "--drop-flush", "5", *words())
    found = json.loads(out)
    assert status == 1
    assert found["seed"] == 1
    assert found["counts"]["dropped"] == 16
    assert found["counts"]["syncs"] == found["counts"]["file_fences"] == 80
    assert len(found["points"]) == 12
    assert found["stores"] > 0
    assert {point["verdict"] for point in found["points"]} == {"passed", "wrong"}


def test_a_check_that_crashes_is_distinguished_from_one_that_hangs(shell: Shell) -> None:
    """It does so on images alone, not on the file as the writer left it, which contains 40."""
    code = (
        "import os,sys,time; number = open(sys.argv[1], 'rb').read(1)[0];"
        "number % 2 and os.abort(); number == 40 or time.sleep(100)"
    )
    check = f'{sys.executable} -c "{code}" {{image}}'
    status, out, _ = shell("crash", "--json", "--points", "6", "--limit", "0.5", *words(check=check))
    assert status == 1
    points = json.loads(out)["points"]
    assert {point["verdict"] for point in points} == {"signal", "hang"}
    assert {point["detail"] for point in points} == {"SIGABRT", "no end in time"}


def test_the_file_that_is_there_is_not_touched(shell: Shell) -> None:
    file = shell.folder / "work/file"
    file.write_bytes(b"precious")
    status, err = shell.refused("crash", *words(writer="work/file"))
    assert status == 2
    assert "work/file exists, and the writer would change it; write {file} for it" in err
    status, err = shell.refused("crash", *words())  # it cannot make a file that is there; it was given a copy
    assert (status, file.read_bytes()) == (2, b"precious")
    assert "FileExistsError" in err


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        (["work/file", "--check", "true {image}", "--", "./nowhere"], "./nowhere cannot be started: No such file"),
        (["work/file", "--check", "true {image}", "--", "true"], "the writer never mapped "),
        (["work/file", "--check", "true {image}", "--", "false"], "the writer false ended with status 1"),
        (["work/file", "--check", "true", "--", "true"], "the check has no {image}"),
        (["work/file", "--check", "'{image}", "--", "true"], "is not a command line: No closing quotation"),
        (["nowhere/file", "--check", "true {image}", "--", "true"], "nowhere is not a folder"),
        (["work", "--check", "true {image}", "--", "true"], "work is not a regular file"),
        (["work/file", "--check", "true {image}"], "Missing argument '-- WRITER"),
        (["work/file", "--keep", "check.py", *words()[1:]], "--keep check.py: File exists"),
        (words(check="./nowhere {image}"), "./nowhere cannot be started: No such file"),
        (words(check="false {image}"), "the check refuses even the file as the writer left it, without any crash"),
        (["--drop-fence", "99", *words()], "too few fences to drop every 99th"),
    ],
)
def test_a_wrong_word_is_refused_in_one_line(shell: Shell, asked: list[str], why: str) -> None:
    status, err = shell.refused("crash", *asked)
    assert status == 2
    assert why in err
    assert left(shell) == []


ANOTHER = "import mmap, sys; f = open(sys.argv[1], 'r+b'); mmap.mmap(f.fileno(), 0)"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("open(sys.argv[1], 'xb').truncate(4096)", "the writer never mapped "),
        ("f = open(sys.argv[1], 'x+b'); mmap.mmap(f.fileno(), 0)", "ValueError: cannot mmap an empty file"),
        (f"{MAPPED} m[0] = 1", "made no fence"),
        (f"{MAPPED} m.flush(); os._exit(0)", "left without exit()"),
        (f"{MAPPED} m.flush(); os.unlink(sys.argv[1])", "the writer removed "),
        (f'{MAPPED} m.flush(); subprocess.run([sys.executable, "-c", "{ANOTHER}", sys.argv[1]])', "several processes"),
        (f"{MAPPED} m.flush(); os.fork() or (m.flush(), os._exit(0)); os.wait()", "several processes"),
    ],
)
def test_a_writer_that_cannot_be_followed_is_refused(shell: Shell, code: str, why: str) -> None:
    (shell.folder / "odd.py").write_text(f"import mmap, os, subprocess, sys\n{code}\n")
    asked = ["work/file", "--check", "true {image}", "--", sys.executable, "odd.py", "{file}"]
    status, err = shell.refused("crash", *asked)
    assert status == 2
    assert why in err
    assert left(shell) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_a_stop_ends_the_writer_and_leaves_nothing(shell: Shell, number: signal.Signals) -> None:
    process = shell.start("crash", *words(fault="sleep"))
    work = shell.folder / "work"
    wait_for(lambda: any(log.read_text() == "1\n2\n3\n" for log in work.glob(".tierscope-crash-*/log-1")))
    (writer,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    os.kill(process.pid, number)
    _, err = ended(process)
    assert process.returncode == 128 + number
    assert err.strip() == "tierscope: interrupted"
    assert not Path(f"/proc/{writer}").exists()
    assert left(shell) == []


COUNTING = """
import ctypes, mmap
class Counts(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("flushes", "lines", "fences", "syncs")]
counts, take = Counts(), ctypes.CDLL(None).tierscope_shadow_take
with open("counted", "x+b") as file:
    file.truncate(8192)
    memory = mmap.mmap(file.fileno(), 8192)
    for pages in (1, 2):
        memory.flush(0, 4096 * pages)
        take(ctypes.byref(counts))
        print(counts.flushes, counts.lines, counts.fences, counts.syncs)
"""


def test_a_program_can_count_what_each_of_its_operations_flushes(shell: Shell) -> None:
    counts = shell.folder / "counts"
    counts.mkdir()
    environment = {**os.environ, "LD_PRELOAD": str(find_library()), "TIERSCOPE_SHADOW": str(counts)}
    command = [sys.executable, "-c", COUNTING]
    done = subprocess.run(command, env=environment, cwd=shell.folder, capture_output=True, text=True, check=True)
    assert done.stdout == "1 64 1 1\n1 128 1 1\n"
    assert json.loads((counts / "counts.json").read_text()) == {
        "flushes": 2, "lines": 192, "fences": 2, "syncs": 2, "file_flushes": 0, "file_fences": 0, "dropped": 0,
        "stores": 0,
    }  # fmt: skip


def test_an_unknown_plan_ends_the_program_with_its_reason(shell: Shell) -> None:
    (shell.folder / "plan").write_text("colour=red\n")
    environment = {**os.environ, "LD_PRELOAD": str(find_library()), "TIERSCOPE_SHADOW": str(shell.folder)}
    done = subprocess.run(["/bin/true"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 70
    assert "tierscope-shadow: shadow plan: unknown key colour" in done.stderr
