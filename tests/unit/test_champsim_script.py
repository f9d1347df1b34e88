"""The script that compares our simulated core with ChampSim: its converter, its configurations and its verdict."""

import io
import itertools
import json
import random
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from made_flows import BRANCH, END, INTEGER, LENGTH, MAGIC, MOVE, access, allocation, block, chunk, events, instruction
from scripts import with_neighbours
from tierscope.errors import Exit, MachineError, UsageError

SCRIPT = Path(__file__).parents[2] / "benchmarks/predict/champsim.py"
JUMP, INDIRECT, CALL, CALL_INDIRECT, RETURN = range(13, 18)  # classes
RSP, FLAGS = 4, 16
STACK = 8  # flag of an instruction
PROGRAM, LOADED = 64, 200  # registers of ChampSim's trace
BLOCK, EVENTS = 1, 2  # kinds of chunks


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with with_neighbours(SCRIPT) as module:
        yield module


@pytest.fixture
def stream(script: ModuleType) -> Any:
    return sys.modules["independent.stream"]


def trace(*chunks: bytes) -> bytes:
    return b"".join((MAGIC, *chunks, END))


def gap(untraced: int, warm: int) -> bytes:
    return chunk(5, struct.pack("<QQ", untraced, warm))


def converted(script: ModuleType, stream: Any, raw: bytes) -> Any:
    return script.convert(stream.read(io.BytesIO(raw)))


LOOP = block(
    0,
    instruction(MOVE, at=0x1000, address=(0,), writes=(1,), loads=1),  # mov (%rax), %rcx
    instruction(INTEGER, at=0x1003, address=(1,), data=(2,), writes=(2, FLAGS), loads=1),  # add (%rcx), %rdx
    instruction(MOVE, at=0x1006, address=(1,), data=(2,), stores=1),  # mov %rdx, (%rcx)
    instruction(BRANCH, at=0x1009, data=(FLAGS,)),  # jne
)
ONCE = (access(0x10000, 0), access(0x20000, 1), access(0x3003C, 2, store=True))


def record(
    ip: int, reads: tuple[int, ...] = (), writes: tuple[int, ...] = (), *, loads: tuple[int, ...] = (),
    stores: tuple[int, ...] = (), branch: bool = False, taken: bool = False,
) -> bytes:  # fmt: skip
    """Return the 64 bytes of one record of ChampSim."""
    parts = (bytes(writes).ljust(2, b"\0"), bytes(reads).ljust(4, b"\0"))
    addresses = (*stores, 0, 0)[:2] + (*loads, 0, 0, 0, 0)[:4]
    return struct.pack("<QBB2s4s6Q", ip, branch, taken, *parts, *addresses)


def test_a_short_trace_becomes_exactly_these_bytes(script: ModuleType, stream: Any) -> None:
    """The load of `add` waits for rcx alone; the sum waits for it in a record of its own. The store has two lines."""
    found = converted(script, stream, trace(LOOP, events(0, *ONCE, 0, *ONCE[:2])))
    rax, rcx, rdx, flags = (PROGRAM + one for one in (0, 1, 2, FLAGS))

    def once(stores: tuple[int, ...], *, taken: bool) -> bytes:
        return b"".join((
            record(0x1000, (rax,), (rcx,), loads=(0x10000,)),
            record(0x1003, (rcx,), (LOADED,), loads=(0x20000,)),
            record(0x1003, (rdx, LOADED), (rdx, flags)),
            record(0x1006, (rcx, rdx), stores=stores),
            record(0x1009, (26, flags), (26,), branch=True, taken=taken),
        ))  # fmt: skip

    assert found.records.tobytes() == once((0x3003C, 0x30040), taken=True) + once((), taken=False)
    assert (found.first.tolist(), found.left_out) == ([0, 5], 0)


@pytest.mark.parametrize(
    ("kind", "more", "reads", "writes"),
    [
        (JUMP, {}, (), (26,)),
        (INDIRECT, {"data": (3,)}, (PROGRAM + 3,), (26,)),
        (INDIRECT, {"loads": 1}, (LOADED,), (26,)),
        (CALL, {"address": (RSP,), "data": (RSP,), "writes": (RSP,), "stores": 1, "flags": STACK}, (6, 26), (6, 26)),
        (CALL_INDIRECT, {"address": (3, RSP), "data": (RSP,), "writes": (RSP,), "loads": 1, "stores": 1,
                         "flags": STACK}, (6, 26, LOADED), (6, 26)),
        (RETURN, {"address": (RSP,), "writes": (RSP,), "loads": 1, "flags": STACK}, (6, PROGRAM + RSP), (6, 26)),
    ],
)  # fmt: skip
def test_branches_have_the_registers_by_which_champsim_recognizes_them(
    script: ModuleType, stream: Any, kind: int, more: Any, reads: tuple[int, ...], writes: tuple[int, ...]
) -> None:
    found = converted(script, stream, trace(block(0, instruction(kind, at=0x1000, **more)), events(0)))
    last = found.records[-1]
    assert last["is_branch"] == 1
    assert set(last["source_registers"]) - {0} == set(reads)
    assert set(last["destination_registers"]) - {0} == set(writes)


@pytest.mark.parametrize("kind", [CALL, CALL_INDIRECT])
def test_the_return_address_does_not_wait_for_a_branch(script: ModuleType, stream: Any, kind: int) -> None:
    """ChampSim executes stores in order, so that all later ones would wait for the branch, too."""
    one = instruction(kind, address=(RSP,), data=(RSP, 3), writes=(RSP,), stores=1, flags=STACK)
    store, call = converted(script, stream, trace(block(0, one), events(0, access(0x7000, 0, store=True)))).records
    assert store["destination_memory"].tolist() == [0x7000, 0]
    assert set(store["source_registers"]) == {PROGRAM + RSP, 0}
    assert 26 in call["source_registers"]
    assert not call["destination_memory"].any()


def test_parts_of_a_vector_are_one_line_and_lines_beyond_four_are_counted(script: ModuleType, stream: Any) -> None:
    made = block(
        0, instruction(MOVE, at=0x1000, address=(0,), writes=(20,), loads=1), instruction(19, at=0x1003, loads=6)
    )
    halves = [access(0x1000 + 8 * part, 0) for part in range(4)]
    apart = [access(0x10000 + 4096 * one, 1) for one in range(6)]
    found = converted(script, stream, trace(made, events(0, *halves, *apart)))
    assert found.records["source_memory"].tolist() == [[0x1000, 0, 0, 0], [0x10000, 0x11000, 0x12000, 0x13000]]
    assert found.left_out == 2


def test_more_registers_than_a_record_has_become_further_records(script: ModuleType, stream: Any) -> None:
    wide = instruction(INTEGER, at=0x1000, data=(0, 1, 2, 3, 5, 6), writes=(7, 8, FLAGS))
    found = converted(script, stream, trace(block(0, wide), events(0))).records
    reads = [sorted(set(one) - {0}) for one in found["source_registers"].tolist()]
    writes = [[register for register in one if register] for one in found["destination_registers"].tolist()]
    assert reads == [[64, 65, 66, 67], [69, 70, 201], [71]]
    assert writes == [[201], [71, 72], [80]]


def drawn(draw: random.Random, place: int) -> tuple[bytes, tuple[tuple[int, ...], ...]]:
    """Return an instruction that loads, stores, computes or does several of these, and its registers."""
    kind = draw.choice([INTEGER, MOVE])
    at, data, written = (tuple(draw.sample(range(12), draw.randint(0, most))) for most in (2, 3, 3))
    loads, stores = draw.choice([(0, 0), (1, 0), (1, 0), (0, 1), (1, 1)])
    if kind == MOVE and loads:
        data = ()
    made = instruction(kind, at=place, address=at, data=data, writes=written, loads=loads, stores=stores)
    return made, (at, data, written, (loads, stores))


@pytest.mark.parametrize("seed", range(30))
def test_each_load_waits_for_the_same_earlier_loads(script: ModuleType, stream: Any, seed: int) -> None:
    """Both forms are followed by their own rules: registers of addresses and of data apart, and records."""
    draw = random.Random(seed)
    made = [drawn(draw, 0x1000 + LENGTH * i) for i in range(40)]
    place = itertools.count(1)
    words, expected = [0], {}
    known: dict[int, frozenset[int]] = {}
    for i, (_, (at, data, written, (loads, stores))) in enumerate(made):
        before = frozenset().union(*(known.get(one, frozenset()) for one in at))
        result = frozenset().union(*(known.get(one, frozenset()) for one in (data if loads else at + data)))
        if loads:
            line = next(place) * 4096
            words.append(access(line, i))
            expected[line] = before
            result |= before | {line}
        if stores:
            line = next(place) * 4096
            words.append(access(line, i, store=True))
            expected[line] = result | before
        known |= dict.fromkeys(written, result)
    found = converted(script, stream, trace(block(0, *(one for one, _ in made)), events(*words)))

    now: dict[int, frozenset[int]] = {}
    followed = {}
    for one in found.records:
        waits = frozenset().union(*(now.get(int(r), frozenset()) for r in one["source_registers"]))
        loaded, stored = ([int(a) for a in one[name] if a] for name in ("source_memory", "destination_memory"))
        followed |= dict.fromkeys((*loaded, *stored), waits)
        now |= dict.fromkeys((int(r) for r in one["destination_registers"] if r), waits | set(loaded))
    assert followed == expected


ADD = instruction(INTEGER, at=0x1000, address=(1,), data=(2,), writes=(FLAGS,), loads=1, stores=1)  # add %rdx, (%rcx)
READ = instruction(MOVE, at=0x2000, address=(3,), writes=(4,), loads=1)


@pytest.mark.parametrize(("between", "waits"), [(0, True), (511, True), (512, False), (None, False)])
def test_a_store_waits_for_its_data_only_if_they_are_read_soon(
    script: ModuleType, stream: Any, between: int | None, *, waits: bool
) -> None:
    behind = [] if between is None else [0x8000] * between + [0x5004]
    words = (0, access(0x5000), access(0x5000, store=True), *(word for one in behind for word in (1, access(one))))
    raw = trace(block(0, ADD), block(1, READ), events(*words))
    found = script.convert(stream.read(io.BytesIO(raw)), early=True).records[:2]
    rcx, rdx, flags = PROGRAM + 1, PROGRAM + 2, PROGRAM + FLAGS
    late = (
        record(0x1000, (rcx,), (LOADED,), loads=(0x5000,)),
        record(0x1000, (rdx, LOADED, rcx), (flags,), stores=(0x5000,)),
    )
    early = record(0x1000, (rcx,), (flags,), loads=(0x5000,)), record(0x1000, (rcx,), stores=(0x5000,))
    assert found.tobytes() == b"".join(late if waits else early)
    assert converted(script, stream, raw).records[:2].tobytes() == b"".join(late)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_read_soon_is_what_a_search_finds(script: ModuleType, stream: Any, seed: int) -> None:
    draw = random.Random(seed)
    words = [
        access(0x1000 + draw.randrange(4000), store=draw.random() < 0.5, shift=draw.randrange(7)) for _ in range(3000)
    ]
    made = np.array(words, dtype=np.uint64)
    stores = stream.is_store(made)
    places = [(word & (1 << 48) - 1, 1 << (word >> 58 & 7)) for word in words]
    parts = [set(range(at // 8, (at + size - 1) // 8 + 1)) for at, size in places]
    records: Any = sys.modules["independent.records"]
    found = records.read_soon(made, stores)
    for one in range(len(words)):
        later = range(one + 1, min(one + 1 + records.SOON, len(words)))
        assert found[one] == any(not stores[other] and parts[one] & parts[other] for other in later)


def test_what_is_timed_begins_at_three_quarters(script: ModuleType, stream: Any) -> None:
    found = stream.read(io.BytesIO(trace(LOOP, events(*((0, *ONCE) * 100)))))
    part = script.part_of(found, warm=40, timed=20)
    assert (part.warm_blocks, part.warm_instructions, part.timed_instructions) == (10, 40, 20)
    assert part.trace.starts().size == 15
    everything = script.part_of(found, warm=1000, timed=1000)
    assert (everything.warm_instructions, everything.timed_instructions) == (300, 100)


def test_a_part_is_written_as_the_tracer_would_write_it(script: ModuleType, stream: Any) -> None:
    found = stream.read(io.BytesIO(trace(LOOP, events(0, *ONCE))))
    to = io.BytesIO()
    script.write(found, 3, to)
    assert to.getvalue() == trace(LOOP, gap(0, 3), events(0, *ONCE))
    assert stream.read(io.BytesIO(to.getvalue())).events.tolist() == [0, *ONCE]


def test_what_is_behind_a_gap_is_dropped(stream: Any) -> None:
    assert stream.read(io.BytesIO(trace(LOOP, events(0, *ONCE), gap(9, 0), events(0)))).events.tolist() == [0, *ONCE]


BAD_CLASS, BAD_REGISTER = (block(0, instruction(kind, address=at)) for kind, at in ((30, ()), (1, (58,))))
HOSTILE = {
    "no stream": b"TSFLOW02",
    "no instruction": trace(LOOP),
    "no head": trace(LOOP, events(0)) + b"\1\0",
    "cut": trace(LOOP, events(0))[:-20],
    "huge": b"TSFLOW01" + struct.pack("<IIQ", EVENTS, 0, 1 << 40),
    "unknown chunk": trace(chunk(9, b"")),
    "no such block": trace(LOOP, events(1)),
    "access first": trace(LOOP, events(ONCE[0])),
    "no such instruction": trace(LOOP, events(0, access(0x1000, 4))),
    "odd bytes": trace(LOOP, chunk(EVENTS, b"123")),
    "second thread": trace(LOOP, events(0, thread=1)),
    "allocation": trace(LOOP, events(0, *allocation(0x1000, 64, 1))),
    "out of order": trace(LOOP, LOOP, events(0)),
    "no count": trace(chunk(BLOCK, b"\0\0\0\0")),
    "no instruction of a block": trace(chunk(BLOCK, struct.pack("<II", 0, 0))),
    "wrong count": trace(chunk(BLOCK, struct.pack("<II", 0, 2) + bytes(48))),
    "class": trace(BAD_CLASS, events(0)),
    "register": trace(BAD_REGISTER, events(0)),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_damaged_stream_is_refused(stream: Any, name: str) -> None:
    with pytest.raises(UsageError):
        stream.read(io.BytesIO(HOSTILE[name]))


def test_no_change_of_bytes_breaks_the_reader(script: ModuleType, stream: Any) -> None:
    good = trace(LOOP, events(0, *ONCE, 0, *ONCE))
    draw = random.Random(1995)
    for _ in range(500):
        raw = bytearray(good)
        for _ in range(draw.randint(1, 4)):
            raw[draw.randrange(len(raw))] = draw.randrange(256)
        try:
            found = stream.read(io.BytesIO(bytes(raw[: draw.randint(0, len(raw))])))
        except UsageError:
            continue
        for early in (False, True):
            script.convert(found, early=early)


def test_the_two_memories_differ_in_latency_alone(script: ModuleType) -> None:
    machine = script.machine
    near, far = (machine.champsim(name, cycles) for name, cycles in script.NAMES.items())
    assert far["LLC"]["fill_latency"] - near["LLC"]["fill_latency"] == machine.FAR_CYCLES - machine.NEAR_CYCLES
    near["LLC"].pop("fill_latency"), far["LLC"].pop("fill_latency")
    assert {near.pop("executable_name"), far.pop("executable_name")} == {"champsim-near", "champsim-far"}
    assert near == far
    lines = [machine.ours(cycles).splitlines() for cycles in (120, 240)]
    assert [pair for pair in zip(*lines, strict=True) if pair[0] != pair[1]] == [('read = "60ns"', 'read = "120ns"')]


def test_configurations_are_files(script: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script.configure(tmp_path / "new")
    files = [Path(one) for one in capsys.readouterr().out.splitlines()]
    assert [json.loads(one.read_text())["executable_name"] for one in files] == ["champsim-near", "champsim-far"]


def agreement(ours: list[float], theirs: list[float]) -> Any:
    return sys.modules["independent.agreement"].agreement(ours, theirs)


def test_the_goal_is_reached_missed_or_not_known(script: ModuleType) -> None:
    from scipy.stats import spearmanr  # slow to load, and each worker collects this file

    rising = [float(one) for one in range(20)]
    shuffled = [3.0, 1.0, 2.0, 2.0, 8.0, 5.0]
    assert agreement(rising[:6], shuffled).middle == pytest.approx(spearmanr(rising[:6], shuffled).statistic)
    assert agreement(rising, [one**3 for one in rising]).reached is True
    swapped = [*rising[10:], *rising[:10]]
    found = agreement(rising, swapped)
    assert found.reached is False
    assert found.low <= found.middle <= found.high < 0.95
    assert "missed" in str(found)
    assert agreement(rising[:5], rising[:5]).reached is None
    assert agreement(rising[:2], rising[:2]) is None
    assert agreement([1.0] * 20, rising) is None


ANSWER = '[{"roi": {"cores": [{"cycles": %d, "instructions": 20}]}}]'


def program(folder: Path, name: str, text: str) -> Path:
    made = folder / name
    made.write_text(f"#!/bin/sh\n{text}\n")
    made.chmod(0o755)
    return made


def answering(folder: Path, name: str, cycles: int) -> Path:
    return program(folder, name, f'while [ "$1" != --json ]; do shift; done\necho \'{ANSWER % cycles}\' > "$2"')


def test_serialised_misses_are_cycles_added_for_each_cycle_of_the_memory(script: ModuleType, tmp_path: Path) -> None:
    both = (answering(tmp_path, "near", 5000), answering(tmp_path, "far", 5000 + 7 * 120))
    found = script.simulators.champsim(both, tmp_path / "a.champsim", 10, 20)
    assert (found.serialised, found.near) == (7.0, 5000)


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("echo deadlock; exit 134", MachineError, "status 134: deadlock"),
        ("exit 0", MachineError, "no message"),
        ('while [ "$1" != --json ]; do shift; done; echo [] > "$2"', MachineError, "another version would"),
    ],
)
def test_a_champsim_that_fails_is_reported(
    script: ModuleType, tmp_path: Path, text: str, error: type[Exception], message: str
) -> None:
    made = program(tmp_path, "bad", text)
    with pytest.raises(error, match=message):
        script.simulators.champsim((made, made), tmp_path / "a.champsim", 10, 20)


def test_a_champsim_that_is_not_there_is_named(script: ModuleType, tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    with pytest.raises(UsageError, match="cannot be started"):
        script.simulators.champsim((absent, absent), tmp_path / "a.champsim", 10, 20)


def test_the_table_has_misses_of_the_goal_as_well_as_hits(
    script: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """The second program is refused, and the others are compared. A later call runs only what is not kept."""
    cycles = script.simulators.Cycles
    values = iter(range(1, 13))

    def row(name: str, *_: Any, early: bool) -> Any:
        assert not early
        if name == "b":
            raise UsageError("several threads")
        one = next(values)
        return script.Row(name, cycles(0, 120 * one), cycles(0, 120 * (13 - one)), 1.25, 0)

    monkeypatch.setattr(script, "cases", lambda *_: {name: [] for name in "abcdefghijklm"})
    monkeypatch.setattr(script, "row", row)
    keep = tmp_path / "rows"
    assert script.compare((Path(), Path()), [], keep) == Exit.FAILED
    said = capsys.readouterr()
    with pytest.raises(StopIteration):  # there are no more values
        script.compare((Path(), Path()), [])
    keep.write_bytes(keep.read_bytes() + keep.read_bytes().splitlines()[0].replace(b'"a"', b'"b"') + b"\n")
    script.compare((Path(), Path()), [], keep)
    assert len(capsys.readouterr().out.splitlines()) == 2 + 13 + 2
    keep.write_text("{}\n")
    with pytest.raises(UsageError, match="does not contain rows"):
        script.compare((Path(), Path()), [], keep)
    assert "b: several threads" in said.err
    assert said.out.splitlines()[2].startswith("| a | 1 | 12 | 0.08 | 1 | 12 |")
    assert said.out.splitlines()[-1].startswith("rank correlation of 12 programs: -1.000")
    assert "goal 0.95: missed" in said.out
