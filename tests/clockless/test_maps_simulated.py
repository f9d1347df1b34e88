"""`run maps target=sim:` on the real core: structures run for real, and their accesses in simulated time.

No clock is looked at, so that every number here is the same in each run.
"""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from shell import LONGEST_S, Shell, wait_for
from tierscope import core
from tierscope.core import find_traced_core
from tierscope.errors import MachineError
from tierscope.models.structure_model import StructureModel
from tierscope.record.catalogue import Catalogue
from tierscope.record.result import load
from tierscope.record.timing import Timing
from tierscope.suites.maps.keyed import Keyed, Lines, keyed

COLD_S = 100e-9  # a load of `flat`, which has no caches
FIRST_WORD = {"hashmap_atomic": -1}
"""Lines that a get here reads less than the model states: it reads a value's first word, and the model all of it."""


@pytest.fixture(scope="module", autouse=True)
def build() -> Catalogue:
    try:
        find_traced_core()
    except MachineError as error:
        pytest.skip(str(error))
    return core.catalogue()


@pytest.fixture(scope="module")
def in_pools(build: Catalogue) -> list[str]:
    names = [name for name, takes in build.structures_here().items() if takes == "pool"]
    return names or pytest.skip("no libpmemobj in this build: sudo apt-get install -y libpmemobj-dev, then ./tierscope")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def rows(shell: Shell, *words: str) -> list[dict[str, float]]:
    status, out, error = shell("run", "maps", *words, "--out", f"run-{time.monotonic_ns()}", "--json", "-", "--quiet")
    assert status == 0, error
    return [row for row in json.loads(out)["rows"] if row["table"] == "maps"]


def ran(plan: str, executable: Path | None = None) -> tuple[int, list[dict[str, Any]]]:
    """Status and answers of a core, that of structures on simulated memory by default."""
    command = [executable or find_traced_core(), "run"]
    done = subprocess.run(command, input=plan, capture_output=True, text=True, check=False)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def measured(words: str) -> tuple[Keyed, Timing]:
    """The row of one batch, which is one round. Times are those of a clock with 10^12 ticks a second."""
    status, answers = ran(f"group {words} cpus=0\nprepare\nmeasure seconds=10us block=1us\ncheck\ntimings\n")
    assert status == 0, answers[-1]
    assert answers[-2]["largest_relative_error"] == [0]
    ((timing,),) = msgspec.convert(answers[-1]["groups"], tuple[tuple[Timing, ...], ...])
    return keyed([timing], 1e12, ()), timing


def lines_of(words: str) -> Lines:
    found = measured(words)[0].lines
    assert found is not None
    return found


def left_behind() -> list[str]:
    """Return the pools of cores that have ended; a test next to this one may have a core that runs."""
    found = [path for folder in ("/dev/shm", "/tmp") for path in Path(folder).glob("tierscope-*.pool")]
    ended = [path for path in found if not Path("/proc", path.stem.partition("-")[2]).exists()]
    return [str(path) for path in ended if path.exists()]


def test_a_get_reads_the_lines_that_the_model_derives(in_pools: list[str]) -> None:
    for name in in_pools:
        each = [lines_of(f"kernel={name} target=sim:flat count=1000 seed={seed}") for seed in (1995, 1, 2)]
        mean = sum(one.read for one in each) / len(each)
        wanted = StructureModel.preset(f"{name} get").lines(1000) + FIRST_WORD.get(name, 0)
        assert mean == pytest.approx(wanted, rel=0.05), name
        assert all((one.written, one.flushed, one.fences) == (0, 0, 0) for one in each)


@pytest.mark.parametrize("line", [128, 256])
def test_a_get_reads_the_lines_of_the_simulated_caches(in_pools: list[str], line: int) -> None:
    for name in sorted({"btree", "hashmap_rp"} & set(in_pools)):
        found = lines_of(f"kernel={name} target=sim:phone,cpu.line={line}B pages=16k count=1000")
        assert found.read == pytest.approx(StructureModel.preset(f"{name} get").lines(1000, line), rel=0.1), name


def test_lines_of_the_first_key_of_an_unordered_map_are_those_counted_by_hand() -> None:
    """The map (72 bytes at 16), a node of 40 bytes at 96, the value where it is long, and 13 buckets, set to 0.

    Written: line 0 of the map, 1 and 2 of the node, two of buckets at 144, which begin in line 2. A value of 1024 bytes
    at 144 is in lines 2 to 18, and buckets behind it in two of their own. Read: the map, the node, a bucket; the link
    to a long value.
    """
    words = "kernel=unordered_map target=sim:flat count=1 operation=insert"
    assert lines_of(f"{words} value=16") == Lines(read=3, written=4, flushed=0, fences=0)
    assert lines_of(f"{words} value=1024") == Lines(read=4, written=1 + 1 + 17 + 2, flushed=0, fences=0)
    assert lines_of(words.replace("insert", "remove")) == Lines(read=3, written=2, flushed=0, fences=0)


@pytest.mark.parametrize("name", ["unordered_map", "robin_map"])
def test_an_insert_reads_no_more_lines_where_values_are_long(build: Catalogue, name: str) -> None:
    """The source of the copied value belongs to the harness. A long value has a link that is read, and 17 lines."""
    if name not in build.structures_here():
        pytest.skip("no robin_map in this build")
    words = f"kernel={name} target=sim:flat count=500 operation=insert"
    short, long = lines_of(f"{words} value=16"), lines_of(f"{words} value=1024")
    assert long.read < short.read + 1.5
    assert 15.5 < long.written - short.written < 17.5
    assert short.flushed_per_written is None


def test_a_longer_value_in_a_pool_is_written_and_nothing_more_is_read(in_pools: list[str]) -> None:
    """It passes the caches by; a store of it before that would fetch each of its lines."""
    assert "hashmap_rp" in in_pools
    reads = []
    for value in (512, 1024):
        words = f"kernel=hashmap_rp operation=insert target=sim:optane100 count=300 value={value} cpus=0"
        status, answers = ran(f"group {words}\nprepare\nmeasure seconds=10us block=1us\ncheck\ntimings\n")
        assert status == 0, answers[-1]
        reads.append(answers[-2]["counters"]["pmem.reads"] / answers[-1]["groups"][0][0]["operations"])
    assert reads[1] == pytest.approx(reads[0], rel=0.02)


def test_changes_of_map_are_refused_since_its_tree_is_balanced_unseen(build: Catalogue) -> None:
    assert list(build.structures_unrecorded()) == ["map"]
    for operation in ("insert", "remove", "get:2+insert:1+remove:1"):
        status, answers = ran(f"group kernel=map target=sim:flat count=100 cpus=0 operation={operation}\nprepare\n")
        assert status == 2
        assert "takes operation=get alone: its tree is balanced inside libstdc++" in answers[-1]["message"]
        assert "try unordered_map or robin_map" in answers[-1]["message"]
    assert lines_of("kernel=map target=sim:flat count=100").read > 5


def test_a_fill_of_nothing_has_no_time() -> None:
    words = "kernel=unordered_map target=sim:flat count=100 operation"
    assert measured(f"{words}=insert")[0].init_s is None
    assert (measured(f"{words}=get")[0].init_s or 0) > 100 * COLD_S


def test_an_operation_that_memory_cannot_record_is_an_error_and_no_abort(in_pools: list[str]) -> None:
    """A rehash of 262144 entries, in 300 MB of addresses."""
    assert "hashmap_tx" in in_pools
    plan = "group kernel=hashmap_tx operation=insert target=sim:flat count=300000 cpus=0\nprepare\n"
    done = subprocess.run(
        ["prlimit", "--as=300000000", find_traced_core(), "run"],
        input=f"{plan}measure seconds=10us block=1us\n", capture_output=True, text=True, check=False, timeout=LONGEST_S,
    )  # fmt: skip
    assert done.returncode == 3
    assert "recorded accesses of one operation or rehash; give a smaller count=" in done.stdout


@pytest.mark.parametrize("name", ["ctree", "rtree"])
def test_a_get_that_follows_pointers_takes_the_latency_of_its_lines(in_pools: list[str], name: str) -> None:
    """No caches: each line of these two is visited once, and waits for the one before."""
    assert name in in_pools
    found, timing = measured(f"kernel={name} target=sim:flat count=1000")
    assert found.lines is not None
    assert found.latency.middle == pytest.approx(found.lines.read * COLD_S, rel=0.01)
    assert (timing.clock_ticks, timing.lock_ticks) == (0, 0)
    assert found.init_s is not None
    assert found.init_s > 1000 * COLD_S


def test_two_runs_are_the_same_to_the_last_digit_and_leave_no_pool(shell: Shell, build: Catalogue) -> None:
    names = [name for name in ("hashmap_tx", "unordered_map", "robin_map") if name in build.structures_here()]
    words = ("target=sim:optane100", f"structures={','.join(names)}", "operations=insert", "count=200", "threads=2")
    one, other = rows(shell, *words), rows(shell, *words)
    assert one == other
    assert [row["structure"] for row in one] == names
    assert left_behind() == []


def test_a_round_is_the_same_whatever_ran_before() -> None:
    group = (
        "group kernel=unordered_map target=sim:optane100 count=300 cpus=0 operation=insert\nprepare\nmeasure\ntimings\n"
    )
    other = group.replace("kernel=unordered_map", "kernel=map").replace("insert", "get")
    _, alone = ran(group.replace("measure", "measure seconds=10us block=1us"))
    _, behind = ran((other + group).replace("measure", "measure seconds=10us block=1us"))
    assert alone[-1] == behind[-1]


def test_a_device_that_waits_for_its_media_inserts_slower_than_dram(in_pools: list[str]) -> None:
    words = "kernel=hashmap_tx operation=insert count=1000"
    assert "hashmap_tx" in in_pools
    slow, fast = (measured(f"{words} target=sim:{device}")[0] for device in ("optane100", "ddr5"))
    assert slow.latency.middle > 1.5 * fast.latency.middle
    assert slow.lines == fast.lines
    assert slow.lines is not None
    assert slow.lines.flushed_per_written > 1
    assert (slow.rehashes, slow.moved) == (fast.rehashes, fast.moved)
    assert slow.rehash_s > fast.rehash_s > 0


def test_persistent_caches_save_the_flushes_and_their_time(in_pools: list[str]) -> None:
    words = "kernel=hashmap_atomic operation=insert count=500 target=sim:optane100"
    assert "hashmap_atomic" in in_pools
    flushed, kept = measured(words)[0], measured(f"{words},memory.pmem.persistence=eadr")[0]
    assert flushed.lines is not None
    assert kept.lines is not None
    assert kept.lines.flushed < 0.5 * flushed.lines.flushed  # what is stored past the caches
    assert (kept.lines.fences, kept.lines.written) == (flushed.lines.fences, flushed.lines.written)
    assert kept.latency.middle < 0.5 * flushed.latency.middle


def test_threads_meet_in_the_queues_of_the_memory(in_pools: list[str]) -> None:
    words = "kernel=hashmap_tx operation=insert target=sim:optane100"
    assert "hashmap_tx" in in_pools
    alone = measured(f"{words} count=300")[0]
    plan = f"group {words} count=4800 cpus=0-15\nprepare\nmeasure seconds=10us block=1us\ntimings\n"
    ((timing,),) = msgspec.convert(ran(plan)[1][-1]["groups"], tuple[tuple[Timing, ...], ...])
    assert timing.operations == 4800
    assert keyed([timing], 1e12, ()).latency.middle > 1.2 * alone.latency.middle


def test_a_result_states_that_it_is_simulated_and_has_the_machines_counters(shell: Shell) -> None:
    words = ("target=sim:optane100", "structures=unordered_map", "operations=mixed", "count=200")
    status, out, error = shell("run", "maps", *words, "--out", "run")
    assert status == 0, error
    assert "SIMULATED by optane100, memory pmem" in out
    assert "lines of one operation" in out
    (record,) = load(shell.folder / "run").result.records
    assert record.counters["L1d.loads"] >= sum(one.operations for one in record.timings[0])
    assert record.groups[0].origin == "simulated"


@pytest.mark.parametrize(
    ("words", "status", "why"),
    [
        (["structures=nosuch"], 2, "unknown structure 'nosuch'"),
        (["target=sim:nosuch"], 2, "unknown simulated machine 'nosuch'"),
        (["target=sim:flat,memory.flat.size=1MiB"], 2, "fewer than the groups need"),
        (["threads=17"], 2, "there are 16 CPUs"),
    ],
)
def test_a_request_without_sense_is_refused(shell: Shell, words: list[str], status: int, why: str) -> None:
    base = {"target": "sim:flat", "structures": "unordered_map", "count": "20000"}
    asked = [f"{key}={word}" for key, word in (base | dict(word.split("=", 1) for word in words)).items()]
    found, _, error = shell("run", "maps", *asked)
    assert (found, why in " ".join(error.split())) == (status, True), error


def shared(operation: str) -> Timing:
    words = f"kernel=unordered_map target=sim:optane100 count=400 cpus=0-1 sharing=one operation={operation}"
    status, answers = ran(f"group {words}\nprepare\nmeasure seconds=10us block=1us\ncheck\ntimings\n")
    assert status == 0, answers[-1]
    assert answers[-2]["largest_relative_error"] == [0]
    ((timing,),) = msgspec.convert(answers[-1]["groups"], tuple[tuple[Timing, ...], ...])
    assert timing.done == timing.operations
    return timing


def test_threads_that_change_one_structure_wait_for_each_other() -> None:
    """Both are done at about the same time, and one of them waits whenever the other is at work."""
    changing = shared("insert")
    assert changing.lock_ticks == pytest.approx(changing.ticks + changing.rehash_ticks, rel=0.1)
    assert shared("get").lock_ticks == 0


def test_a_structure_next_to_another_group_is_refused() -> None:
    structure = "group kernel=unordered_map target=sim:flat count=100 cpus=0\n"
    plan = (
        f"{structure}group kernel=read target=sim:flat footprint=1MiB cpus=1\nprepare\nmeasure seconds=1ms block=50us\n"
    )
    status, answers = ran(plan)
    assert status == 2
    assert "measure groups=0 alone" in answers[-1]["message"]
    assert ran(plan.replace("50us", "50us groups=0") + "check\n")[0] == 0


def test_the_other_cores_name_the_one_for_structures_on_simulated_memory() -> None:
    plan = "group kernel=unordered_map target=sim:flat count=100 cpus=0\nprepare\n"
    status, answers = ran(plan, core.find_core())
    assert status == 3
    assert "structure unordered_map on target=sim is only in tierscope-core-traced" in answers[-1]["message"]


def test_a_kill_leaves_no_pool_behind(in_pools: list[str]) -> None:
    plan = f"group kernel={in_pools[0]} target=sim:optane100 count=300000 cpus=0 operation=insert\nprepare\n"
    with subprocess.Popen([find_traced_core(), "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdin is not None
        run.stdin.write(plan + "measure seconds=1 block=50us\n")
        run.stdin.flush()
        pools = Path(f"/proc/{run.pid}/maps")
        wait_for(lambda: "tierscope-" in pools.read_text())
        run.send_signal(signal.SIGKILL)
    assert left_behind() == []
