"""Suites on simulated machines through the real core: known answers, refusals, and a run that continues."""

import json
import random
import shutil
from contextlib import suppress
from pathlib import Path

import pytest

from shell import Shell
from tierscope import core
from tierscope.errors import UsageError
from tierscope.record.result import load

pytestmark = pytest.mark.slow

SIMULATED = ["target=sim:flat"]
STREAM = ["run", "stream", *SIMULATED, "kernels=read", "threads=1,2,4", "array=16MiB"]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def rows(out: str, table: str) -> list[dict[str, object]]:
    return [row for row in json.loads(out)["rows"] if row["table"] == table]


@pytest.fixture(scope="module")
def stream(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[dict[str, object]]]:
    """The directory of a run, and its rows."""
    shell = Shell(tmp_path_factory.mktemp("stream"))
    status, out, _ = shell(*STREAM, "--out", "run", "--json", "-")
    assert status == 0
    return shell.folder / "run", rows(out, "stream")


def test_bandwidth_is_lines_in_flight_over_latency_until_the_memory_is_full(
    stream: tuple[Path, list[dict[str, object]]],
) -> None:
    place, its = stream
    found = {row["threads"]: row["bandwidth_bytes_per_s"] for row in its}
    in_flight = {1: 16, 2: 32, 4: 32}  # 16 of a thread, 32 of the memory, 100 ns each
    assert found == pytest.approx({n: lines * 64 / 100e-9 for n, lines in in_flight.items()}, rel=0.02)
    result = load(place).result
    assert (result.origin, result.origin_by) == ("simulated", "flat, memory flat")
    assert result.machine.hostname == "simulated"
    assert len(result.machine.cpus()) == 16
    assert result.findings == ()
    assert all(record.counters["flat.reads"] > 0 for record in result.records)


@pytest.mark.parametrize(("words", "writes", "updates"), [("", 2.0, 1.0), (",cpu.streaming=8", 1.0, 1.0)])
def test_a_store_that_is_streamed_reads_no_line(shell: Shell, words: str, writes: float, updates: float) -> None:
    """A store to a line that was loaded moves no more with or without it."""
    asked = ["kernels=write,update", "threads=1", "array=64MiB", "visits=1", "budget=0.02"]
    status, out, error = shell("run", "stream", f"target=sim:phone{words}", *asked, "--out", "run", "--json", "-")
    assert status in (0, 4), error  # 4: one of two points may be inconclusive
    found = json.loads(out)
    told = {one["name"]: one for one in found["insights"] if one["name"].startswith("traffic ")}
    for kernel, factor in (("write", writes), ("update", updates)):
        one = told[f"traffic {kernel}"]
        assert one["low"] <= factor <= one["high"]
        assert one["value"] == pytest.approx(factor, abs=0.06)
    by = {row["kernel"]: row for row in rows(out, "stream")}
    assert (by["write"]["bus_bytes_per_s"] is None) == bool(words)  # it cannot be computed where stores are streamed
    assert by["update"]["bus_bytes_per_s"] is not None


SIX_DIMMS = "sim:optane100,memory.pmem.ways=6,memory.pmem.grain=4KiB"
SLICE_BYTES = 2048 * 6 * 4096  # of each thread: 2048 times around the six DIMMs


@pytest.mark.parametrize("threads", [2, 3, 4, 5])
def test_threads_whose_slices_are_multiples_of_the_interleaving_do_not_march_in_step(
    shell: Shell, threads: int
) -> None:
    """One thread stores 4.78 GB/s here, and six DIMMs take 13.96 GB/s. In step, four threads are on one DIMM at a time.

    Published: 9.05 GB/s of two threads and 13.95 GB/s of four (J. Yang and others, FAST 2020).
    """
    asked = [
        "kernels=write_nt", f"threads={threads}", f"array={threads * SLICE_BYTES}B", "visits=1",
        "budget=0.002", "block=0.0005",
    ]  # fmt: skip

    def bandwidth(words: str) -> float:
        target = f"target={SIX_DIMMS}{words}"
        status, out, error = shell("run", "stream", target, *asked, "--out", f"run{words}", "--json", "-")
        assert status == 0, error
        (row,) = rows(out, "stream")
        assert row["origin"] == "simulated"
        return float(str(row["bandwidth_bytes_per_s"]))

    assert bandwidth("") == pytest.approx(min(threads * 4.78e9, 13.96e9), rel=0.02)
    if threads == 4:  # without jitter
        assert bandwidth(",cpu.scatter=0ns,cpu.handover=0ns") < 5e9


def test_a_thread_that_runs_alone_has_no_jitter(shell: Shell) -> None:
    asked = ["run", "stream", "kernels=write_nt", "threads=1", "array=48MiB", "visits=1", "budget=0.002"]
    found = [
        rows(shell(*asked, f"target={SIX_DIMMS}{words}", "--out", f"run{words}", "--json", "-")[1], "stream")
        for words in ("", ",cpu.scatter=100ns,cpu.handover=1us")
    ]
    assert [row["bandwidth_bytes_per_s"] for row in found[0]] == [row["bandwidth_bytes_per_s"] for row in found[1]]


def test_two_runs_of_one_simulation_are_the_same(shell: Shell, stream: tuple[Path, list[dict[str, object]]]) -> None:
    again = rows(shell(*STREAM, "--out", "run", "--json", "-")[1], "stream")
    assert len(again) == 3
    assert again == stream[1]


def test_a_simulated_run_continues_where_it_was_stopped(
    shell: Shell, stream: tuple[Path, list[dict[str, object]]]
) -> None:
    place = shutil.copytree(stream[0], shell.folder / "run")
    kept = json.loads((place / "result.json").read_text())
    kept["complete"], kept["records"] = False, kept["records"][:1]
    (place / "result.json").write_text(json.dumps(kept))
    status, _, err = shell("resume", str(place))
    assert status == 0, err
    assert len(load(place).result.records) == 3


@pytest.mark.parametrize(
    ("target", "path", "gain"),
    [("sim:flat", "free", 2.0), ("sim:flat,memory.flat.bandwidth=4GB/s", "full", 1.0), ("sim:optane100", "full", 1.0)],
)
def test_two_threads_get_more_from_memory_than_one_unless_one_fills_it(
    shell: Shell, target: str, path: str, gain: float
) -> None:
    """Stores past the caches of one thread reach 7.7 GB/s where nothing limits them; a DIMM takes 2.3 GB/s."""
    status, out, err = shell("run", "sharing", f"target={target}", "cpus=0,1", "--out", "run", "--json", "-")
    assert status == 0, err
    (row,) = rows(out, "sharing")
    assert (row["core"], row["slowdown"], row["path"], row["conclusive"]) == ("own", None, path, True)
    assert row["gain"] == pytest.approx(gain, rel=0.03)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["stream", "target=sim:nosuch"], "unknown simulated machine 'nosuch' (known: "),
        (["stream", "target=sim:optane10"], "unknown simulated machine 'optane10'; did you mean optane100? (known: "),
        (
            ["stream", "target=sim:flat,memory.flat.slot=9"],
            "slot: no such key is known here; did you mean memory.flat.slots?",
        ),
        (["stream", "target=sim:flat,memory.flat.slots=many"], "memory.flat.slots: 'many' is not a whole number"),
        (["stream", "target=sim:flat,memory=pmem"], "has no memory 'pmem' (known: flat)"),
        (["stream", "target=sim:flat", "threads=17"], "17"),
        (["contention", "a=sim:flat", "b=node:0"], "are on two machines"),
        (["stream", "target=sim:flat", "kernels=memcpy"], "has no simulated form"),
    ],
)
def test_a_run_without_a_simulated_form_is_refused_and_leaves_nothing(shell: Shell, words: list[str], why: str) -> None:
    status, err = shell.refused("run", *words, "--out", "run")
    assert status in (2, 3)
    assert why in err
    assert not (shell.folder / "run").exists()


TRACE = "I  04000000,3\n L 1000,8\n S 103c,8\n M 2000,4\n==1== words of Valgrind\n"


def test_a_trace_is_counted_line_by_line(shell: Shell) -> None:
    (shell.folder / "t").write_text(TRACE)
    status, out, _ = shell("trace", "--on", "flat", "--from", "t", "--json", "-")
    assert status == 0
    (found,) = json.loads(out)
    assert (found["instructions"], found["loads"], found["stores"]) == (1, 2, 2)
    assert found["counters"] == {"flat.reads": 2, "flat.writes": 3}  # one store straddles two lines
    assert 0 < found["seconds_overlapped"] < found["seconds_waiting"]


def test_a_trace_that_is_only_counted_has_the_same_counts_and_no_times(shell: Shell) -> None:
    (shell.folder / "t").write_text(TRACE)
    words = ("trace", "--on", "ddr5", "--from", "t")
    (timed,), (counted,) = (json.loads(shell(*words, *more, "--json", "-")[1]) for more in ((), ("--count",)))
    assert counted["seconds_waiting"] is None
    assert counted["counters"]["L1d.store_misses"] > 0
    assert counted["counters"].items() <= timed["counters"].items()
    status, out, _ = shell(*words, "--count")
    assert status == 0
    assert "waits" not in out


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("rubbish\n", "trace, line 1: 'rubbish' is not an access"),
        (" L 1000,8\n L 10", "trace, line 2: ' L 10' has no end, so the trace was cut short"),
        (" L 1000,0\n", "has no size in bytes"),
        ("==1== nothing\n", "contains no load and no store"),
    ],
)
def test_a_damaged_trace_is_refused_with_its_line(shell: Shell, text: str, why: str) -> None:
    (shell.folder / "t").write_text(text)
    status, err = shell.refused("trace", "--on", "flat", "--from", "t")
    assert status == 2
    assert why in err


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("count", [False, True])
def test_a_trace_with_random_damage_is_read_or_refused(tmp_path: Path, seed: int, count: bool) -> None:
    """Some damage leaves a trace; none ends the core by a signal."""
    draw = random.Random(seed)
    whole = bytearray(TRACE.encode() * 3)
    for _ in range(draw.randint(1, 4)):
        at = draw.randrange(len(whole))
        whole[at : at + draw.randrange(3)] = draw.choice([b"", b"\0", b"\n", b",", b"f" * 40, b"9" * 30, b"T", b"\xff"])
    (tmp_path / "t").write_bytes(whole)
    with (tmp_path / "t").open("rb") as stream, suppress(UsageError):
        assert len(list(core.trace(["sim:ddr5"], stream.fileno(), count=count))) == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--on", "flat"], "a command after --, or a trace with --from"),
        (["--from", "nowhere", "--on", "flat"], "nowhere cannot be read"),
        (["--from", "/dev/null"], "no simulated machine is named"),
        (["--on", "nosuch", "--from", "/dev/null"], "unknown simulated machine 'nosuch'"),
    ],
)
def test_a_trace_of_nothing_is_refused(shell: Shell, words: list[str], why: str) -> None:
    status, err = shell.refused("trace", *words)
    assert status == 2
    assert why in err
