"""Machines take a trace in batches; with the objects of the program, they take it step by step. Both are the same."""

import itertools
import random
import struct
from pathlib import Path

import msgspec
import pytest

import made_flows as flows
from tierscope import core
from tierscope.simulated.replay import Traced

SEED = 1995
BLOCKS, INSTRUCTIONS = 20, 9
FEW, MANY = 200, 40_000
CORES = ("", ",core.width=2,core.reorder=40,core.store_buffer=4", ",core.reorder=512,cpu.loads=40")
WORDS = [f"sim:{machine}{core}" for machine, core in itertools.product(("ddr5", "optane100"), CORES)]


def _blocks(draw: random.Random) -> bytes:
    def some(most: int) -> list[int]:
        return [draw.randrange(6) for _ in range(draw.randrange(most + 1))]

    def instruction(number: int) -> bytes:
        kind = flows.BRANCH if number == INSTRUCTIONS - 1 else draw.choice([flows.INTEGER, flows.MOVE])
        flags = int(draw.random() < 0.02)  # atomic
        at = 0x1000 + draw.randrange(64) * flows.LENGTH
        return flows.instruction(kind, at=at, address=some(2), data=some(3), writes=some(1), flags=flags)

    return b"".join(flows.block(block, *map(instruction, range(INSTRUCTIONS))) for block in range(BLOCKS))


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
