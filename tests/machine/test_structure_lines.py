"""The structure models against lines that were counted: every structure, its get, insert and remove, nothing fitted.

The structures are compiled here with -fsanitize=thread, whose hooks count the lines of every load and store in place
of the sanitizer's runtime (writers/touched.cpp). Keys have fixed seeds, so a count is the same in each run, but for
where malloc puts the nodes of structures in volatile memory. A skip list differs much from one set of keys to the next:
the model tells the mean over many, so more of them are counted.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tierscope.crash.writer import pmdk_environment
from tierscope.models.structure_model import StructureModel
from tierscope.models.structures import structures

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "core"
COUNTED = sorted((CORE / "structures").glob("[pv]*/*.cpp"))
PLAIN = (HERE / "writers" / "lines.cpp", HERE / "writers" / "touched.cpp", CORE / "base" / "capacity.cpp")
WRAPPED = (
    "memcpy", "memmove", "pmemobj_list_insert_new", "pmemobj_list_remove", "pmemobj_memcpy_persist",
    "pmemobj_set_value", "pmemobj_tx_xadd_range_direct",
)  # fmt: skip
NAMES = sorted({name.split()[0] for name in structures if name != "document 004"})
WITHIN = 0.05


@pytest.fixture(scope="module")
def counter(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program that counts; robin_map is in it where its header is."""
    compiler = shutil.which("c++") or pytest.skip("no C++ compiler: sudo apt-get install -y g++")
    folder = tmp_path_factory.mktemp("lines")
    words = [compiler, "-std=c++20", "-O1", f"-I{CORE}"]

    def includes(header: str) -> bool:
        probe = [*words, "-fsyntax-only", "-xc++", "-include", header, os.devnull]
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0

    if not includes("libpmemobj.h"):
        pytest.skip("no libpmemobj.h: sudo apt-get install -y libpmemobj-dev")
    robin = ["-DTIERSCOPE_ROBIN_MAP"] if includes("tsl/robin_map.h") else []

    def compile_one(source: Path) -> Path:
        made = folder / f"{source.parent.name}-{source.stem}.o"
        counts = [] if source in PLAIN else ["-fsanitize=thread", "-fno-threadsafe-statics", *robin]
        subprocess.run([*words, *counts, "-c", source, "-o", made], check=True)
        return made

    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        objects = list(compilers.map(compile_one, (*COUNTED, *PLAIN)))
    wraps = [f"-Wl,--wrap={name}" for name in WRAPPED]
    subprocess.run([compiler, "-o", folder / "lines", *objects, *wraps, "-lpmemobj"], check=True)
    return str(folder / "lines")


@pytest.fixture
def place() -> Iterator[Path]:
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where, prefix="tierscope-test-") as name:
        yield Path(name)


def counted(counter: str, place: Path, name: str, keys: int, operations: int, rounds: int) -> dict[str, float]:
    """Mean lines by operation. Flushes are left out: they touch what was touched."""
    words = [counter, name, str(place / "pool"), str(keys), str(operations), str(rounds)]
    environment = {**os.environ, **pmdk_environment(), "PMEM_IS_PMEM_FORCE": "1", "PMEM_NO_FLUSH": "1"}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if "apt-get" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return {what: float(lines) for what, lines in (line.split() for line in done.stdout.splitlines())}


def require_close(name: str, keys: int, lines: dict[str, float]) -> None:
    assert {"get", "insert", "remove"} <= set(lines)
    for what, found in lines.items():
        if (preset := f"{name} {what}") in structures:
            assert StructureModel.preset(preset).lines(keys) == pytest.approx(found, rel=WITHIN), preset


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("keys", "operations", "rounds"), [(1000, 50, 16), (10_000, 50, 8)])
def test_lines_are_those_that_were_counted(
    counter: str, place: Path, name: str, keys: int, operations: int, rounds: int
) -> None:
    rounds *= 2 if name == "skiplist" else 1
    require_close(name, keys, counted(counter, place, name, keys, operations, rounds))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_lines_are_those_that_were_counted_in_large_structures(counter: str, place: Path, name: str) -> None:
    rounds = 24 if name == "skiplist" else 8
    require_close(name, 100_000, counted(counter, place, name, 100_000, 100, rounds))


def test_all_eight_structures_in_pools_have_a_model_of_each_operation() -> None:
    pools = [path.stem for path in (CORE / "structures" / "persistent").glob("*.cpp") if path.stem != "pool"]
    assert len(pools) == 8
    assert {f"{name} {what}" for name in pools for what in ("get", "insert", "remove")} <= set(structures)
