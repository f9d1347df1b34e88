"""`tierscope trace`: the tracer's stream through simulated machines, and programs that it refuses."""

import json
import random
import re
import struct
import subprocess
from contextlib import suppress
from pathlib import Path

import msgspec
import pytest

import made_flows as flows
from needs import TRACER
from shell import Shell
from tierscope import core
from tierscope.errors import UsageError
from tierscope.simulated.replay import Traced

pytestmark = pytest.mark.slow


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


FAKE = """#!/bin/sh
for word; do case $word in *,fd=*) pipe=${word##*,fd=}; pipe=${pipe%%,*};; esac; done
echo said by the program
eval "cat '$STREAM' >&$pipe"
eval "$FINISH"
"""


@pytest.fixture
def emulator(shell: Shell) -> Shell:
    """A shell whose emulator writes the file `stream`, and ends as FINISH states."""
    tool = shell.folder / "bin" / "qemu-x86_64"
    tool.parent.mkdir()
    tool.write_text(FAKE)
    tool.chmod(0o755)
    tracer = shell.folder / "tracer.so"
    tracer.write_bytes(b"")
    stream = shell.folder / "stream"
    stream.write_bytes(flows.SMALL)
    shell.environment |= {
        "PATH": f"{tool.parent}:{shell.environment['PATH']}",
        "TIERSCOPE_TRACER": str(tracer),
        "STREAM": str(stream),
        "FINISH": "exit 0",
    }
    return shell


def test_a_stream_is_counted_and_timed(shell: Shell) -> None:
    (shell.folder / "t").write_bytes(flows.SMALL)
    status, out, _ = shell("trace", "--on", "flat", "--from", "t", "--json", "-")
    assert status == 0
    (found,) = json.loads(out)
    assert (found["instructions"], found["loads"], found["stores"], found["threads"]) == (2, 2, 0, 1)
    assert found["counters"] == {"flat.reads": 2, "flat.writes": 0}
    assert found["whole"]
    assert found["seconds"] >= 2 * 100e-9  # the second load waits for the first


def test_a_stream_that_is_only_counted_has_no_times(shell: Shell) -> None:
    (shell.folder / "t").write_bytes(flows.SMALL)
    found = json.loads(shell("trace", "--on", "flat", "--from", "t", "--count", "--json", "-")[1])[0]
    assert found["seconds"] is None
    assert found["counters"] == {"flat.reads": 2, "flat.writes": 0}


def test_a_gap_counts_with_the_rate_of_its_ends(shell: Shell) -> None:
    load = flows.events(*[0, flows.access(0x4000)] * 2000)
    gap = flows.chunk(5, struct.pack("<QQ", 8000, 1000))
    block = flows.block(0, flows.instruction(flows.MOVE, address=[0], writes=[0]))
    (shell.folder / "t").write_bytes(flows.MAGIC + block + load + gap + load + flows.END)
    found = json.loads(shell("trace", "--on", "flat", "--from", "t", "--json", "-")[1])[0]
    assert (found["instructions"], found["untraced_instructions"], found["units"]) == (4000, 8000, 2)
    assert found["seconds"] == pytest.approx(12_000 * 100e-9, rel=0.01)  # each load waits 100 ns for the one before
    assert found["sampling_deviation_s"] < 1e-5


BLOCK = flows.block(0, flows.instruction())
DAMAGED = {
    "ends within the head": flows.MAGIC + b"\1\0\0",
    "ends within a chunk": flows.MAGIC + BLOCK[:-1],
    "at most 64 MiB": flows.MAGIC + struct.pack("<IIQ", 2, 0, 1 << 40),
    "unknown kind 9": flows.MAGIC + flows.chunk(9, b""),
    "defined out of order": flows.MAGIC + flows.block(3, flows.instruction()),
    "which its bytes are not": flows.MAGIC + flows.chunk(1, struct.pack("<II", 0, 2) + flows.instruction()),
    "class or register": flows.MAGIC + flows.block(0, flows.instruction(kind=99)),
    "before it was defined": flows.MAGIC + flows.events(5) + flows.END,
    "before any block": flows.MAGIC + BLOCK + flows.events(flows.access(0)) + flows.END,
    "that its block does not have": flows.MAGIC + BLOCK + flows.events(0, flows.access(0, of=7)) + flows.END,
    "not a multiple of 8": flows.MAGIC + flows.chunk(2, b"abc"),
    "beyond the 4096th": flows.MAGIC + flows.chunk(2, bytes(8), thread=1 << 30),
    "not two or three numbers": flows.MAGIC + flows.chunk(5, bytes(8)),
    "more instructions than it has": flows.MAGIC + flows.chunk(5, struct.pack("<QQQ", 10, 0, 11)),
    "a chunk of lines is not a multiple of 8": flows.MAGIC + flows.chunk(8, b"abc"),
    "lines contain a block": flows.MAGIC + BLOCK + flows.chunk(8, bytes(8)),
    "longer than any program": flows.MAGIC + flows.chunk(5, struct.pack("<QQ", 1 << 60, 0)),
    "contains no instruction": flows.MAGIC + flows.END,
    "is not 'KIND NUMBER<tab>TEXT'": flows.MAGIC + flows.chunk(6, b"site"),
    "number of a place is not a number": flows.MAGIC + flows.chunk(6, b"site one\tmodule"),
    "not one of 1 to 65534": flows.MAGIC + flows.place(65535),
    "no number before its name": flows.MAGIC + flows.chunk(7, b"name"),
    "begins behind any program": flows.MAGIC + flows.phase(b"name", 1 << 60),
    "is too long": flows.MAGIC + flows.place(1, "a" * 9000),
}


def test_waits_and_lines_belong_to_the_object_that_is_there_now(shell: Shell) -> None:
    """Two objects of one address, one after the other; the second half of an allocation comes with the next chunk."""
    block = flows.block(0, flows.instruction(flows.MOVE, address=[0], writes=[0]))
    first = [*flows.allocation(0x4000, 64, 1), 0, flows.access(0x4000), flows.end_of(0x4000)]
    second = flows.allocation(0x4000, 128, 2)
    rest = [0, flows.access(0x4040), 0, flows.access(0x8000)]
    parts = [flows.events(*first, second[0]), flows.place(2, "other+0x20"), flows.events(second[1], *rest)]
    (shell.folder / "t").write_bytes(flows.MAGIC + block + flows.place(1) + b"".join(parts) + flows.END)
    (shell.folder / "set").write_text("flat,memory.flat.read=500ns\nsite\tother+0x20\n")
    with (shell.folder / "t").open("rb") as stream:
        words = ["sim:flat", f"sim:flat,objects={shell.folder / 'set'}"]
        flat, placed = (
            msgspec.json.decode(line, type=Traced) for line in core.trace(words, stream.fileno(), objects=True)
        )
    assert flat.places == (("rest\t", 0, 0), ("site\tmodule+0x10", 64, 1), ("site\tother+0x20", 128, 1))
    assert [(number, reads, writes) for number, _, reads, writes in flat.objects] == [(0, 1, 0), (1, 1, 0), (2, 1, 0)]
    assert [wait for _, wait, *_ in flat.objects] == pytest.approx([100e-9] * 3, rel=0.1)
    assert [wait for _, wait, *_ in placed.objects] == pytest.approx([100e-9, 100e-9, 500e-9], rel=0.1)
    assert placed.counters == {"flat.reads": 2, "flat.writes": 0, "beside_flat.reads": 1, "beside_flat.writes": 0}


def test_phases_are_between_blocks_and_within_gaps(shell: Shell) -> None:
    load = flows.events(*[0, flows.access(0x4000)] * 2000)
    gap = flows.chunk(5, struct.pack("<QQ", 8000, 1000))
    block = flows.block(0, flows.instruction(flows.MOVE, address=[0], writes=[0]))
    parts = [load, flows.phase(b"one"), load, flows.phase(b"in a gap", 3000), gap, load, flows.phase(b'"', thread=7)]
    (shell.folder / "t").write_bytes(flows.MAGIC + block + b"".join(parts) + flows.END)
    found = json.loads(shell("trace", "--on", "flat", "--from", "t", "--json", "-")[1])[0]
    # the last is of another thread, so that the last block of this one can still continue
    assert found["phases"] == [["one", 2000], ["in a gap", 7000], ['"', 13_999]]
    assert [knot[:2] for knot in found["knots"]] == [[0, 2000], [0, 4000], [1, 999]]
    assert [knot[2] for knot in found["knots"]] == pytest.approx([200e-6, 400e-6, 100e-6], rel=0.3)


@pytest.mark.parametrize("seed", range(40))
def test_a_stream_with_random_damage_is_read_or_refused(tmp_path: Path, seed: int) -> None:
    """Some damage leaves a stream; none ends the core by a signal."""
    draw = random.Random(seed)
    block = flows.block(0, flows.instruction(flows.MOVE, address=[0], writes=[0]))
    words = [*flows.allocation(0x4000, 64, 1), 0, flows.access(0x4000), flows.end_of(0x4000)]
    gap = flows.chunk(5, struct.pack("<QQ", 8000, 10))
    whole = bytearray(
        flows.MAGIC + block + flows.place(1) + (flows.events(*words) + flows.phase(b"p") + gap) * 3 + flows.END
    )
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(flows.MAGIC), len(whole))
        whole[at] = draw.choice([0, 1, 0x7F, 0xFF, whole[at] ^ 1 << draw.randrange(8)])
    (tmp_path / "t").write_bytes(whole)
    with (tmp_path / "t").open("rb") as stream, suppress(UsageError):
        assert len(list(core.trace(["sim:ddr5"], stream.fileno(), objects=True))) == 1


def test_allocations_change_no_time(shell: Shell) -> None:
    with_objects = flows.SMALL.replace(
        flows.MAGIC, flows.MAGIC + flows.place(1) + flows.events(*flows.allocation(0, 9, 1))
    )
    times = []
    for content in (flows.SMALL, with_objects):
        (shell.folder / "t").write_bytes(content)
        with (shell.folder / "t").open("rb") as stream:
            (found,) = (msgspec.json.decode(line, type=Traced) for line in core.trace(["sim:ddr5"], stream.fileno()))
        times.append((found.seconds, found.counters, found.objects))
    assert times[0] == times[1]


@pytest.mark.parametrize("file", ["", "\n"])
def test_a_set_of_objects_without_a_machine_is_refused(shell: Shell, file: str) -> None:
    (shell.folder / "t").write_bytes(flows.SMALL)
    (shell.folder / "set").write_text(file)
    for name in ("set", "missing"):
        with (shell.folder / "t").open("rb") as stream, pytest.raises(UsageError, match="name a machine"):
            list(core.trace([f"sim:flat,objects={shell.folder / name}"], stream.fileno(), objects=True))


def test_a_trace_of_lackey_has_no_objects(shell: Shell) -> None:
    (shell.folder / "t").write_text("I  04016a80,3\n L 1ffefffe58,8\n")
    with (shell.folder / "t").open("rb") as stream, pytest.raises(UsageError, match="does not state allocations"):
        list(core.trace(["sim:flat"], stream.fileno(), objects=True))


@pytest.mark.parametrize("why", DAMAGED)
def test_a_damaged_stream_is_refused(tmp_path: Path, why: str) -> None:
    (tmp_path / "t").write_bytes(DAMAGED[why])
    with (tmp_path / "t").open("rb") as stream, pytest.raises(UsageError, match=re.escape(why)):
        list(core.trace(["sim:flat"], stream.fileno()))


@pytest.mark.parametrize(
    ("finish", "cut", "status", "why"),
    [
        ("exit 1", 0, 0, "ended with status 1"),
        ("kill -SEGV $$", 0, 0, "ended with signal 11"),
        ("kill -ILL $$", 0, 0, "such as AVX-512"),
        ("kill -KILL $$", 0, 3, "was killed"),
        ("exit 1", 5, 3, "wrote an incomplete trace"),
        ("exit 0", len(flows.END), 0, "replaced itself by another program"),
        ("exit 0", 0, 0, ""),
    ],
)
def test_the_end_of_the_program_is_looked_at(emulator: Shell, finish: str, cut: int, status: int, why: str) -> None:
    (emulator.folder / "stream").write_bytes(flows.SMALL[: len(flows.SMALL) - cut])
    emulator.environment["FINISH"] = finish
    ended, out, err = emulator("trace", "--on", "flat", "--json", "-", "--", "/bin/true")
    assert ended == status
    assert why in " ".join(err.split())
    assert ("tierscope" in err) == bool(why)
    assert [one["loads"] for one in json.loads(out or "[]")] == ([2] if status == 0 else [])


def test_the_estimate_has_the_range_of_other_cores(emulator: Shell) -> None:
    status, out, _ = emulator("trace", "--on", "ddr5", "--json", "counters.json", "--", "/bin/true")
    assert status == 0
    assert out.startswith("said by the program\n")
    (found,) = json.loads((emulator.folder / "counters.json").read_text())
    assert found["seconds_low"] <= found["seconds"] <= found["seconds_high"]


def test_objects_are_shown_below_their_machine(emulator: Shell) -> None:
    (emulator.folder / "tierscope-objects.so").write_bytes(b"")
    load = flows.events(*flows.allocation(0x4000, 64, 1), 0, flows.access(0x4000))
    block = flows.block(0, flows.instruction(flows.MOVE, address=[0], writes=[0]))
    (emulator.folder / "stream").write_bytes(flows.MAGIC + block + flows.place(1) + load + flows.END)
    status, out, _ = emulator("trace", "--on", "flat", "--objects", "--", "/bin/true")
    assert status == 0
    assert "64 B 1 64 B module+0x10" in " ".join(out.split())
    status, err = emulator.refused("trace", "--on", "flat", "--objects", "--count", "--", "/bin/true")
    assert (status, "leave --count and --from out" in " ".join(err.split())) == (2, True)


def test_children_are_named_as_not_traced(emulator: Shell) -> None:
    note = flows.chunk(3, b"fork")
    (emulator.folder / "stream").write_bytes(flows.SMALL[: -len(flows.END)] + note + note + flows.END)
    assert "2 child processes are not traced" in emulator("trace", "--on", "flat", "--", "/bin/true")[2]


def test_json_goes_to_an_existing_folder(emulator: Shell) -> None:
    for wrong in ("--", "no-such-folder/counters.json"):
        status, err = emulator.refused("trace", "--on", "flat", "--json", wrong, "/bin/true")
        assert status == 2
        assert "does not name a file" in err


def _elf(bits: int, machine: int) -> bytes:
    return b"\x7fELF" + bytes([bits]) + bytes(13) + machine.to_bytes(2, "little") + bytes(64)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (_elf(1, 3), "is a 32-bit program"),
        (_elf(2, 183), "program of another processor"),
        (b"echo hello\n", "neither a program nor a script"),
        (b"#!\n", "names no interpreter"),
        (b"#!/no/such/interpreter\n", "/no/such/interpreter is not a program here"),
    ],
)
def test_a_program_that_the_tracer_cannot_run_is_refused(emulator: Shell, content: bytes, why: str) -> None:
    program = emulator.folder / "program"
    program.write_bytes(content)
    program.chmod(0o755)
    status, err = emulator.refused("trace", "--on", "flat", "--", str(program))
    assert status == 2
    assert why in " ".join(err.split())


def test_a_missing_program_is_refused(emulator: Shell) -> None:
    status, err = emulator.refused("trace", "--on", "flat", "--", "no-such-program")
    assert status == 2
    assert "no-such-program is not a program here" in err


def test_a_file_that_may_not_be_executed_and_one_without_its_path_state_what_to_do(emulator: Shell) -> None:
    (emulator.folder / "my program").write_bytes(b"\x7fELF")
    for words, why in (("./my program", "try: chmod +x './my program'"), ("my program", "chmod +x 'my program'")):
        status, err = emulator.refused("trace", "--on", "flat", "--", words)
        assert status == 2
        assert why in " ".join(err.split())
    (emulator.folder / "my program").chmod(0o755)
    status, err = emulator.refused("trace", "--on", "flat", "--", "my program")
    assert (status, "name its path: ./my program" in " ".join(err.split())) == (2, True)


PROGRAM = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define LINES (1u << 18)
static uint64_t lines[LINES * 8];
int main(int count, char** words) {
  for (uint64_t i = 0, at = 0; i < LINES; ++i) {
    uint64_t next = (at * 5 + 77773) % LINES;  /* each line once, in an order that no prefetcher follows */
    lines[at * 8] = next * 8;
    at = next;
  }
  uint64_t n = strtoull(words[2], 0, 10), a = 0, b = lines[0], sum = 0;
  switch (words[1][0]) {
    case 'c': for (uint64_t i = 0; i < n; ++i) a = lines[a]; break;
    case 'i': for (uint64_t i = 0; i < n; ++i) sum += lines[(i * 40503 % LINES) * 8]; break;
    case 'd': { double total = 0; double* from = (double*)lines;
                for (uint64_t i = 0; i < n; ++i) total += from[(i * 40503 % LINES) * 8]; sum = (uint64_t)total; }
  }
  printf("%lu\\n", (unsigned long)(a + b + sum));
}
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("traced")
    (folder / "program.c").write_text(PROGRAM)
    subprocess.run(["cc", "-O1", "-o", folder / "program", folder / "program.c"], check=True)
    return folder / "program"


def _traced(shell: Shell, program: Path, kind: str, hops: int) -> dict[str, float]:
    out = shell("trace", "--on", "flat", "--json", "-", "--", str(program), kind, str(hops))[1]
    (found,) = json.loads(out)
    return {"seconds": found["seconds"], "loads": found["loads"], "whole": found["whole"]}


@TRACER
@pytest.mark.parametrize(("kind", "least", "most"), [("chase", 95, 130), ("independent", 1, 20), ("double", 1, 20)])
def test_loads_wait_for_their_addresses_alone(
    shell: Shell, program: Path, kind: str, least: float, most: float
) -> None:
    """The memory `flat` takes 100 ns: a chain takes all of it, and a sum of independent loads does not."""
    hops = 20_000
    without, with_hops = (_traced(shell, program, kind, count) for count in (0, hops))
    assert with_hops["whole"]
    assert with_hops["loads"] - without["loads"] == pytest.approx(hops, rel=0.01)
    assert least <= (with_hops["seconds"] - without["seconds"]) / hops * 1e9 <= most


@TRACER
def test_a_script_is_traced_in_its_interpreter(shell: Shell) -> None:
    script = shell.folder / "script"
    script.write_text("#!/usr/bin/env sh\necho said\n")
    script.chmod(0o755)
    status, out, err = shell("trace", "--on", "flat", "--count", "--", str(script))
    assert (status, err) == (0, "")
    assert out.startswith("said\n")


BUS = "flat,memory.flat.bandwidth=6.4GB/s"  # 10 ns a line, of 100 ns each
WIDE = "flat,memory.flat.bandwidth=1000GB/s,memory.flat.slots=1024"


def _threads(count: int, kind: str, hops: int = 8000, chunk: int = 1000) -> bytes:
    """`count` threads that load lines of their own from the same moment, written one chunk after the other."""
    registers = [0] if kind == "chase" else []
    stream = flows.MAGIC + flows.block(0, flows.instruction(flows.MOVE, address=registers, writes=[0]))
    for thread in range(count):
        stream += flows.events(*[0, flows.access((thread << 32) + (1 << 30))] * 2, thread=thread)
    for first in range(0, hops, chunk):
        for thread in range(count):
            lines = ((thread << 32) + line * 4096 for line in range(first, first + chunk))
            stream += flows.events(*(word for line in lines for word in (0, flows.access(line))), thread=thread)
    return stream + flows.END


@pytest.mark.parametrize(
    ("machine", "kind", "nanoseconds"),
    [(WIDE, "chase", {1: 100, 2: 100, 4: 100}), (BUS, "chase", {1: 100, 2: 100, 4: 100}),
     (BUS, "independent", {1: 10, 2: 20, 4: 40}), (WIDE, "independent", {1: 6.25, 2: 6.25, 4: 6.25})],
)  # fmt: skip
def test_threads_share_the_bandwidth_of_a_memory_and_nothing_else(
    tmp_path: Path, machine: str, kind: str, nanoseconds: dict[int, float]
) -> None:
    """A chain takes 100 ns a line, however many there are; 16 lines in flight take 6.25 ns each, and the bus 10 ns."""
    for threads, expected in nanoseconds.items():
        (tmp_path / "t").write_bytes(_threads(threads, kind))
        with (tmp_path / "t").open("rb") as stream:
            (found,) = (json.loads(line) for line in core.trace([f"sim:{machine}"], stream.fileno()))
        assert found["threads"] == threads
        assert found["seconds"] / 8000 * 1e9 == pytest.approx(expected, rel=0.02), threads


def test_a_program_is_predicted_or_not_known(emulator: Shell) -> None:
    """The trace has two loads, and /bin/true takes no time: there is nothing that a prediction could rest on."""
    status, out, err = emulator(
        "predict", "--from", "flat", "--on", "flat,memory.flat.read=300ns", "--json", "--", "true"
    )
    assert status == 4, err
    found = json.loads(out)
    assert "less than 10 ms" in found["unknown"]
    (tier,) = found["tiers"]
    assert tier["ratio"] is None
    assert tier["model_s"] / found["model_s"] == pytest.approx(3, rel=0.05)  # two loads that follow each other


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--on", "flat", "--"), "no program follows"),
        (("--on", "flat"), "name a run of maps"),
        (("--on", "flat", "--count", "5", "--", "true"), "leave the others out"),
        (("--on", "flat", "--from", "flat", "--", "no-such-program"), "is not a program here"),
        (("--on", "read=3ns", "--from", "flat", "--", "true"), "tiers are simulated machines, too"),
        (("--on", "flat", "--from", "flat", "--", "false"), "ended with status 1"),
        (("--on", "flat", "--from", "flat", "--limit", "10ms", "--", "sleep", "9"), "takes longer than 10 ms"),
        (("--on", "flat", "--from", "flat", "--limit", "0", "--", "true"), "--limit 0: expected a time above 0"),
        (("--on", "flat", "--from", "flat", "--limit", "-5s", "--", "true"), "--limit -5s: expected a time above 0"),
    ],
)
def test_an_impossible_prediction_is_refused(emulator: Shell, words: tuple[str, ...], why: str) -> None:
    status, out, err = emulator("predict", *words)
    assert (status, out) == (2, "")
    assert why in " ".join(err.split())


def test_a_tracer_that_dies_leaves_a_message(emulator: Shell) -> None:
    emulator.environment["FINISH"] = "kill -KILL $$"
    status, out, err = emulator("predict", "--from", "flat", "--on", "flat", "--", "true")
    assert (status, out) == (3, "")
    assert "was killed" in err


def test_what_the_program_prints_in_the_tracer_is_dropped_but_for_the_last_line_before_a_failure(
    emulator: Shell,
) -> None:
    emulator.environment["FINISH"] = "yes noise | head -c 300000 >&2; echo out of luck >&2; exit 0"
    _, _, err = emulator("predict", "--from", "flat", "--on", "flat", "--", "true")
    assert "noise" not in err
    emulator.environment["FINISH"] = emulator.environment["FINISH"].replace("exit 0", "kill -KILL $$")
    status, _, err = emulator("predict", "--from", "flat", "--on", "flat", "--", "true")
    assert status == 3
    assert "noise" not in err
    assert "it printed last: out of luck" in " ".join(err.split())


TAKEN = """name = "taken"
summary = ""
source = ""
{keys}
[cpu]
count = 1
"""


def test_a_machine_takes_the_memories_of_another(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(_threads(1, "chase", hops=1000))
    machine = tmp_path / "taken.toml"
    for keys, expected in (
        ('memories = "flat,memory.flat.read=250ns"', 250),
        ('memories = "cxl_dram"\nqueueing = false', 200),
    ):
        machine.write_text(TAKEN.format(keys=keys))
        with (tmp_path / "t").open("rb") as stream:
            (found,) = (json.loads(line) for line in core.trace([f"sim:{machine}"], stream.fileno()))
        assert found["seconds"] / 1000 * 1e9 == pytest.approx(expected, rel=0.3)


def test_without_queues_a_memory_has_its_latency_alone(tmp_path: Path) -> None:
    (tmp_path / "t").write_bytes(_threads(4, "independent"))
    with (tmp_path / "t").open("rb") as stream:
        machines = [f"sim:{BUS}", f"sim:{BUS},queueing=false"]
        shared, alone = (json.loads(line) for line in core.trace(machines, stream.fileno()))
    assert shared["seconds"] / 8000 * 1e9 == pytest.approx(40, rel=0.02)
    assert alone["seconds"] / 8000 * 1e9 == pytest.approx(6.25, rel=0.02)  # 16 in flight, 100 ns each


@pytest.mark.parametrize("keys", ['memories = "flat"\ndefault = "flat"', 'memories = "no_such_machine"'])
def test_memories_that_contradict_are_refused(tmp_path: Path, keys: str) -> None:
    machine = tmp_path / "taken.toml"
    machine.write_text(TAKEN.format(keys=keys))
    (tmp_path / "t").write_bytes(flows.SMALL)
    with (tmp_path / "t").open("rb") as stream, pytest.raises(UsageError):
        list(core.trace([f"sim:{machine}"], stream.fileno()))
