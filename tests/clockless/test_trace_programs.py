"""Real programs in the real tracer: what they print, and whether their traces are whole, with gaps and without."""

import os
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from made_flows import MAGIC
from needs import TRACER
from tierscope.errors import MachineError
from tierscope.simulated.replay import Traced, replayed
from tierscope.simulated.tracer import traced_words

pytestmark = TRACER

SOURCE = Path(__file__).with_name("traced_programs.c")
GAPS = "all=1000,skip=20000,warm=1000,unit=1000"  # hundreds of changes in a short program
LINES = f"{GAPS},lines=15000"  # of some gaps, of all their instructions
BLOCK, EVENTS, GAP, GAP_LINES = 1, 2, 5, 8  # kinds of chunks
Run = Callable[..., tuple[Traced, str]]


@pytest.fixture(scope="module", params=["dynamic", "static"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("traced") / "program"
    link = ["-static"] if request.param == "static" else []
    subprocess.run(["cc", "-O1", "-pthread", *link, "-o", made, SOURCE], check=True)
    return made


@pytest.fixture
def run(program: Path) -> Run:
    def traced(*words: str, sampling: str) -> tuple[Traced, str]:
        with tempfile.TemporaryFile() as said:
            command = [str(program), *words]
            (found,) = replayed(["sim:flat"], command, count=True, sampling=sampling, output=said.fileno(), limit_s=60)
            said.seek(0)
            return found, said.read().decode()

    return traced


SERVED = {"state": "1\n", "threads": "8000\n", "written": "1999000\n", "disturbed": "3\n", "ends": "2000\n"}


@pytest.mark.parametrize("sampling", ["", GAPS, LINES])
@pytest.mark.parametrize("kind", SERVED)
def test_a_program_runs_as_it_does_without_the_tracer(run: Run, kind: str, sampling: str) -> None:
    """state, disturbed: QEMU 7.2 died here, as it called what a gap had freed; ends: it cleared what was freed.

    written: code that changes.
    """
    found, said = run(kind, "2000", sampling=sampling)
    assert said == SERVED[kind]
    assert (found.ended, found.whole) == (0, True)
    assert (found.untraced_instructions > 0) == bool(sampling)


def test_gaps_continue_behind_the_end_of_the_first_thread(run: Run) -> None:
    usual, _ = run("state", "20000", sampling=GAPS)
    later, said = run("main ends", "20000", sampling=GAPS)
    assert (said, later.ended, later.whole) == ("20000\n", 0, True)
    assert later.units > usual.units * 0.8


def test_gaps_double_after_as_many_as_stated(run: Run) -> None:
    usual, _ = run("state", "20000", sampling=GAPS)
    soon, _ = run("state", "20000", sampling=f"{GAPS},doubles=1")
    every = [one.instructions + one.untraced_instructions for one in (usual, soon)]
    assert every[0] == pytest.approx(every[1], rel=0.01)
    assert soon.instructions < usual.instructions / 2


@pytest.mark.parametrize("sampling", ["", GAPS, LINES])
def test_signals_that_come_at_any_time_leave_a_whole_trace(run: Run, sampling: str) -> None:
    """QEMU 7.2 reports stores to the frame of a signal as accesses of an instruction that ran before."""
    found, said = run("alarms", "10", sampling=sampling)
    assert (said, found.ended, found.whole) == ("1\n", 0, True)


@pytest.mark.parametrize("sampling", ["", GAPS, LINES])
def test_parts_that_are_not_traced_are_noted(run: Run, sampling: str) -> None:
    child, said = run("fork", "1", sampling=sampling)
    assert (said, child.notes, child.whole) == ("3\n", ("fork",), True)


@pytest.mark.parametrize("sampling", ["", GAPS, LINES])
def test_a_program_that_becomes_another_one_is_followed(run: Run, program: Path, sampling: str) -> None:
    """It becomes itself, where it runs thousands of instructions, with other words and another first word."""
    alone, _ = run("state", "2000", sampling="")
    both, said = run("become", str(program), "state", "2000", sampling=sampling)
    assert (said, both.ended, both.whole) == ("1\n", 0, True)
    assert both.notes == (f"followed {program}",)
    every = both.instructions + both.untraced_instructions
    assert every > alone.instructions + 1000
    assert (both.untraced_instructions > 0) == bool(sampling)


def test_scripts_and_what_they_pass_on_are_followed(run: Run, tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text(f'#!/bin/sh -e\nSAID=a,b LD_LIBRARY_PATH=/c exec {second} "d e" "$@"\n')
    second.write_text('#!/usr/bin/env -S sh\necho "$0" $# "$1" "$SAID" "$LD_LIBRARY_PATH"\n')
    for script in (first, second):
        script.chmod(0o755)
    found, said = run("become", str(first), "f", sampling="")
    assert said == f"{second} 2 d e a,b /c\n"
    assert [note for note in found.notes if note.startswith("followed ")][1] == "followed /usr/bin/env"
    assert found.whole


@pytest.mark.parametrize("kind", ["missing", "of 32 bits", "setuid"])
def test_a_program_that_cannot_be_followed_leaves_a_note(run: Run, tmp_path: Path, kind: str) -> None:
    """The kernel refuses the first two, so that the program continues; the third runs without the tracer."""
    other = tmp_path / "other"
    if kind != "missing":
        other.write_bytes(b"\x7fELF\1" + bytes(13) + b"\3\0" + bytes(64))
    if kind == "setuid":
        shutil.copy("/bin/true", other)
    if other.exists():
        other.chmod(0o4755 if kind == "setuid" else 0o755)
    found, said = run("become", str(other), "1", sampling="")
    assert (said, found.notes, found.whole) == (
        ("", ("exec",), False) if kind == "setuid" else ("stayed\n", ("exec",), True)
    )


def test_an_instruction_that_qemu_lacks_is_named(run: Run) -> None:
    """QEMU has no AVX-512. A program that dies at its first instructions leaves none, and a message."""
    try:
        found, _ = run("512", "1", sampling="")
    except MachineError as error:
        assert "it ended with signal 4: QEMU lacks an instruction, usually one of AVX-512; build the" in str(error)
    else:
        assert (found.ended, found.whole) == (-4, False)


@pytest.mark.skipif(not os.access("/usr/bin/gzip", os.X_OK), reason="needs gzip")
@pytest.mark.parametrize("sampling", [GAPS, LINES])
def test_an_unmodified_program_runs_with_gaps(tmp_path: Path, sampling: str) -> None:
    """gzip was the program that found the freed callbacks."""
    (tmp_path / "text").write_bytes(bytes(i * i % 251 for i in range(100_000)))
    command = ["/usr/bin/gzip", "-nc", str(tmp_path / "text")]
    packed = subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout
    with (tmp_path / "packed").open("wb") as said:
        (found,) = replayed(["sim:flat"], command, count=True, sampling=sampling, output=said.fileno(), limit_s=60)
    assert (found.ended, found.whole) == (0, True)
    assert (tmp_path / "packed").read_bytes() == packed


def chunks(*command: str, sampling: str, slowly_s: float = 0.0) -> Iterator[tuple[int, bytes]]:
    """Yield the kind and the payload of each chunk of the stream. slowly_s: after which the reader reads again."""
    reading, writing = os.pipe()
    stream = bytearray()
    words = traced_words(command, writing, sampling)
    with subprocess.Popen(words, pass_fds=[writing], stdout=subprocess.DEVNULL) as traced:
        os.close(writing)
        while piece := os.read(reading, 1 << 14):
            stream += piece
            time.sleep(slowly_s)
    os.close(reading)
    assert traced.returncode == 0
    at = len(MAGIC)
    while at < len(stream):
        kind, _, size = struct.unpack_from("<IIQ", stream, at)
        yield kind, bytes(stream[at + 16 : at + 16 + size])
        at += 16 + size


def test_a_reader_that_is_slow_gets_each_event_once(program: Path) -> None:
    """A thread may still write its events in a call to the system while another one begins a gap, and writes them."""
    sampling = "all=1000,lines=1000000,skip=30000,warm=30000,unit=50000"
    gaps, in_gap = 0, False  # in a gap: behind its begin, until its instructions are stated
    for kind, payload in chunks(str(program), "locks", "600", sampling=sampling, slowly_s=2e-3):
        assert not (in_gap and kind == EVENTS)
        if kind == GAP:
            gaps, in_gap = gaps + 1, struct.unpack_from("<QQ", payload) == (0, 0)
    assert gaps > 10


@pytest.mark.parametrize("kind", ["data", "instructions"])
def test_gaps_state_lines_of_data_and_of_instructions(program: Path, kind: str) -> None:
    """The lines begin at multiples of 64 bytes, and a program does not store to those of its instructions."""
    found = [
        word
        for chunk, payload in chunks(str(program), "state", "2000", sampling=LINES)
        if chunk == GAP_LINES
        for (word,) in struct.iter_unpack("<Q", payload)
    ]
    wanted = [word for word in found if word >> 48 & 511 == (kind == "instructions")]
    addresses = [word & (1 << 48) - 1 for word in wanted]
    assert len(wanted) > 50
    assert not any(address % 64 for address in addresses)
    if kind == "instructions":
        assert not any(word >> 57 & 1 for word in wanted), "instructions are not stored"


def test_blocks_are_defined_once_where_gaps_state_all_their_lines(program: Path) -> None:
    """QEMU keeps them from unit to unit: to translate a compiler again for each of 86 took most of the time."""
    found = list(chunks(str(program), "state", "20000", sampling=f"{GAPS},lines=1000000"))
    defined = [payload[8:] for kind, payload in found if kind == BLOCK]  # behind its number and the instructions' count
    assert sum(kind == GAP for kind, _ in found) > 10
    assert len(defined) < len(set(defined)) * 1.2
