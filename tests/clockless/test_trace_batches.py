"""Machines take a trace in batches; with the objects of the program, they take it step by step. Both are the same."""

import itertools
import random
import struct
from pathlib import Path

import msgspec
import pytest

import made_flows as flows
from flow_replay import machine
from tierscope import core
from tierscope.simulated.replay import SoFar, Traced

SEED = 1995
BLOCKS, INSTRUCTIONS = 20, 9
FEW, MANY = 200, 40_000
CORES = (
    "", ",core.width=2,core.reorder=40,core.store_buffer=4", ",core.reorder=512,cpu.loads=40", ",core.wrong_path=1",
    ",core.reorder=512,cpu.loads=40,core.wrong_path=0.5", ",core.fetch.size=512B,core.fetch.targets=8",
    ",core.fetch.size=512B,core.fetch.targets=8,core.fetch.ahead=6,core.wrong_path=0.5",
)  # fmt: skip
FIRST_THAT_FETCHES = CORES[-2]  # which warms caches of data and of instructions for itself
WORDS = [f"sim:{machine}{core}" for machine, core in itertools.product(("ddr5", "optane100"), CORES)]


def _blocks(draw: random.Random) -> bytes:
    def some(most: int) -> list[int]:
        return [draw.randrange(6) for _ in range(draw.randrange(most + 1))]

    def instruction(block: int, number: int) -> bytes:
        kind = flows.BRANCH if number == INSTRUCTIONS - 1 else draw.choice([flows.INTEGER, flows.MOVE])
        flags = int(draw.random() < 0.02)  # atomic
        at = 0x1000 + draw.randrange(8) * flows.LENGTH  # some branches go to what follows them
        at += block // 2 * 512  # two blocks each in the same lines
        return flows.instruction(kind, at=at, address=some(2), data=some(3), writes=some(1), flags=flags)

    return b"".join(
        flows.block(block, *(instruction(block, one) for one in range(INSTRUCTIONS))) for block in range(BLOCKS)
    )


def _runs(draw: random.Random, count: int, thread: int = 0) -> bytes:
    """Return `count` runs of blocks at random, with their accesses."""
    words = []
    for _ in range(count):
        words.append(draw.randrange(BLOCKS))
        for of in range(INSTRUCTIONS - 1):
            if draw.random() < 0.35:
                near, far = draw.randrange(FEW) * 8, draw.randrange(MANY) * 24
                address = draw.choice([near, far]) + thread * (1 << 20)
                words.append(flows.access(address, of, store=draw.random() < 0.4))
    return flows.events(*words, thread=thread)


def _gap(instructions: int, warm: int) -> bytes:
    return flows.chunk(5, struct.pack("<QQ", instructions, warm))


def _one_thread(draw: random.Random) -> bytes:
    """Return runs with gaps and a phase; a batch is 65,536 instructions, a part of them is longer."""
    parts = [_runs(draw, 8000), _gap(1_000_000, 20_000), _runs(draw, 4000), flows.phase(b"later"), _runs(draw, 300)]
    return b"".join([*parts, _gap(500_000, 100_000), _runs(draw, 9000), _gap(10, 0), _runs(draw, 100)])


def _two_threads(draw: random.Random, warm: int) -> bytes:
    """Return runs of a second thread that begins in the instructions that warm the caches, or behind them."""
    first = _runs(draw, 3000) + _gap(1_000_000, warm) + _runs(draw, 1000)
    return first + b"".join(_runs(draw, 300, thread=n % 2) for n in range(1, 9))


TRACES = {
    "one thread": _one_thread,
    "a second thread while caches are warmed": lambda draw: _two_threads(draw, 20_000),
    "a second thread behind them": lambda draw: _two_threads(draw, 4_000),
}


@pytest.mark.parametrize("trace", TRACES)
@pytest.mark.parametrize("warm_once", [False, True])
def test_batches_change_nothing(tmp_path: Path, trace: str, *, warm_once: bool) -> None:
    draw = random.Random(SEED)
    path = tmp_path / "trace"
    path.write_bytes(flows.MAGIC + _blocks(draw) + TRACES[trace](draw) + flows.END)

    def found(*, objects: bool) -> list[Traced]:
        with path.open("rb") as stream:
            lines = list(core.trace(WORDS, stream.fileno(), objects=objects, warm_once=warm_once))
        return [msgspec.structs.replace(msgspec.json.decode(x, type=Traced), objects=(), places=()) for x in lines]

    steps, batches = found(objects=True), found(objects=False)
    assert steps == batches
    assert len({one.seconds for one in batches}) == len(WORDS)
    assert all(one.core["forwarded_loads"] > 100 and one.core["wrong_guesses"] > 10 for one in batches)


def _later_threads(draw: random.Random) -> bytes:
    """Return a trace whose first part warms the caches, by three threads."""
    warm = b"".join(_runs(draw, 400, thread=n % 3) for n in range(12))
    return _gap(1_000_000, 40_000) + warm + b"".join(_runs(draw, 200, thread=n % 3) for n in range(12))


def test_several_threads_share_the_warming_of_machines_with_the_same_caches(tmp_path: Path) -> None:
    """The order of the threads is that of the trace until the part that is timed, so that the first part is exact."""
    path, flat = tmp_path / "trace", tmp_path / "flat.toml"
    flat.write_text(machine().replace("count = 1", "count = 4"))
    draw = random.Random(SEED)
    path.write_bytes(flows.MAGIC + _blocks(draw) + _later_threads(draw) + flows.END)
    words = [f"sim:{flat}{core}" for core in CORES]

    def found(*, warm_once: bool) -> list[Traced]:
        with path.open("rb") as stream:
            lines = core.trace(words, stream.fileno(), warm_once=warm_once)
            return [msgspec.json.decode(line, type=Traced) for line in lines]

    alone, shared = found(warm_once=False), found(warm_once=True)
    assert [one.seconds for one in alone] == [one.seconds for one in shared]
    assert alone[0].threads == 3
    assert alone[0].counters == shared[0].counters
    for words_of, own, other in list(zip(CORES, alone, shared, strict=True))[1:]:
        first = words_of == FIRST_THAT_FETCHES
        assert (other.counters["L1.loads"] < own.counters["L1.loads"]) != first, words_of


@pytest.mark.parametrize("seed", range(8))
def test_machines_share_the_warming_by_code_that_loads_nothing(tmp_path: Path, seed: int) -> None:
    """Time while caches are warmed differs then between machines, and nothing of it stays in the part that is timed."""
    draw, path, flat = random.Random(seed), tmp_path / "trace", tmp_path / "flat.toml"
    flat.write_text(machine())
    blocks = b"".join(
        flows.block(n, *(flows.instruction(kind, at=0x1000 + n * 192 + i * flows.LENGTH) for i in range(3)))
        for n, kind in ((n, draw.choice([flows.INTEGER, flows.BRANCH])) for n in range(12))
    )
    parts = [flows.events(*(draw.randrange(12) for _ in range(count))) for count in (50, 10, 40)]
    path.write_bytes(flows.MAGIC + blocks + parts[0] + flows.gap(1000, 30) + parts[1] + parts[2] + flows.END)
    fetch = ",core.fetch.size=512B,core.fetch.targets=8"
    words = [
        f"sim:{flat}{fetch}{more}" for more in ("", ",core.fetch.ahead=6", ",core.fetch.redirect=50", ",core.width=2")
    ]

    def found(*, warm_once: bool) -> list[Traced]:
        with path.open("rb") as stream:
            return [
                msgspec.json.decode(x, type=Traced) for x in core.trace(words, stream.fileno(), warm_once=warm_once)
            ]

    assert [one.parts for one in found(warm_once=False)] == [one.parts for one in found(warm_once=True)]


def test_a_replay_states_how_far_it_is_at_each_gap(tmp_path: Path) -> None:
    path = tmp_path / "trace"
    draw = random.Random(SEED)
    path.write_bytes(flows.MAGIC + _blocks(draw) + _one_thread(draw) + flows.END)
    so_far: list[SoFar] = []
    with path.open("rb") as stream:
        lines = core.trace(WORDS[:2], stream.fileno(), watch=lambda line: so_far.append(core.read(line, SoFar)))
        found = [msgspec.json.decode(line, type=Traced) for line in lines]
    assert len(found) == 2
    assert len(so_far) == 3
    seconds, instructions = ([getattr(one, what) for one in so_far] for what in ("seconds", "instructions"))
    assert 0 < seconds[0] < seconds[1] <= seconds[2] <= found[0].seconds
    assert instructions[0] == 8000 * INSTRUCTIONS + 1_000_000
    assert {one.threads for one in so_far} == {1}
