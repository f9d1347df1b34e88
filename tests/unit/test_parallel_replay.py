"""One stream to several readers: each gets all of it, and the first failure ends the others."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress

import pytest

from tierscope.errors import UsageError
from tierscope.simulated import parallel
from tierscope.simulated.parallel import in_parallel

STREAM = bytes(range(256)) * (1 << 14)  # 4 MiB, more than pipes keep


@pytest.fixture(params=[1, 2, 5])
def cpus(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(request.param)))
    return request.param


@pytest.fixture
def reading() -> Iterator[int]:
    end, writing = os.pipe()

    def write() -> None:
        with suppress(BrokenPipeError), open(writing, "wb") as pipe:
            pipe.write(STREAM)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    yield end
    os.close(end)
    writer.join(5)


def whole(words: Sequence[str], end: int) -> Iterator[bytes]:
    with open(os.dup(end), "rb") as pipe:
        assert pipe.read() == STREAM
    return iter([word.encode() for word in words])


def test_each_machine_gets_the_whole_stream_and_answers_in_order(cpus: int, reading: int) -> None:
    words = [f"sim:{number}" for number in range(7)]
    assert in_parallel(whole, words, reading) == [word.encode() for word in words]


def test_machines_with_the_same_caches_share_a_process(reading: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    asked: list[set[str]] = []

    def trace(words: Sequence[str], end: int) -> Iterator[bytes]:
        asked.append({word.partition(",core")[0] for word in words})
        return whole(words, end)

    words = [f"sim:{name},core.width={width}" for width in (4, 6) for name in "ab"]
    assert in_parallel(trace, words, reading) == [word.encode() for word in words]
    assert sorted(map(sorted, asked)) == [["sim:a"], ["sim:b"]]


def test_one_that_needs_no_more_leaves_the_others_alone(cpus: int, reading: int) -> None:
    def trace(words: Sequence[str], end: int) -> Iterator[bytes]:
        if "early" in words:
            return iter([os.read(end, 4), *[b""] * (len(words) - 1)])
        return whole(words, end)

    assert in_parallel(trace, ["early", *"abcd"], reading)[0] == STREAM[:4]


def test_the_first_error_is_the_one_that_is_reported(cpus: int, reading: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def trace(words: Sequence[str], end: int) -> Iterator[bytes]:
        with open(os.dup(end), "rb") as pipe:
            if "bad" in words:
                pipe.read(1000)
                raise UsageError("bad: not a machine")
            if len(pipe.read()) < len(STREAM):
                raise UsageError("the trace ends too early")
        return iter([b""] * len(words))

    with pytest.raises(UsageError, match="bad: not a machine"):
        in_parallel(trace, [*"abcd", "bad"], reading)


def test_a_failure_is_noticed_while_the_tracer_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LOOK_S", 0.01)
    end, writing = os.pipe()

    def trace(words: Sequence[str], stream: int) -> Iterator[bytes]:
        raise UsageError("refused")

    try:
        with pytest.raises(UsageError, match="refused"):
            in_parallel(trace, ["a"], end)
    finally:
        os.close(end)
        os.close(writing)
