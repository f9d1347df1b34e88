"""The structure models against lines that were counted: every structure, its get, insert and remove, nothing fitted.

The structures are compiled here with -fsanitize=thread, whose hooks note every load and store in place of the
sanitizer's runtime, as they do in tierscope-core-traced (core/recorded). Keys have fixed seeds, so a count is the same
in each run. A skip list differs much from one set of keys to the next:
the model shows the mean over many, so more of them are counted.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tierscope.crash.writer import find_library, pmdk_environment
from tierscope.errors import MachineError
from tierscope.models.structure_model import StructureModel
from tierscope.models.structures import structures

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "core"
COUNTED = sorted((CORE / "structures").glob("[pv]*/*.cpp"))
RECORDED = CORE / "recorded"
RECORDER = [RECORDED / f"{name}.cpp" for name in ("recorder", "delays", "heap", "hooks", "libpmem", "libpmemobj")]
PLAIN = (
    HERE / "writers" / "lines.cpp",
    CORE / "base" / "capacity.cpp",
    CORE / "base" / "clock.cpp",
    CORE / "base" / "cpu_x86.cpp",
)
ONE = "hashmap_atomic"
WRAPPED = re.findall(r"__wrap_(\w+)\(", "".join(source.read_text() for source in RECORDER))
NAMES = sorted({name.split()[0] for name in structures if name != "document 004"})
WITHIN = {64: 0.05, 128: 0.06, 256: 0.1}  # of longer lines neighbours share some, which the model leaves out


@pytest.fixture(scope="module")
def words() -> list[str]:
    """The compiler's."""
    compiler = shutil.which("c++") or pytest.skip("no C++ compiler: sudo apt-get install -y g++")
    words = [compiler, "-std=c++20", "-O1", f"-I{CORE}"]
    if not includes(words, "libpmemobj.h"):
        pytest.skip("no libpmemobj.h: sudo apt-get install -y libpmemobj-dev")
    return words


def includes(words: list[str], header: str) -> bool:
    probe = [*words, "-fsyntax-only", "-xc++", "-include", header, os.devnull]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def compiled(words: list[str], folder: Path, sources: Sequence[Path]) -> list[Path]:
    def compile_one(source: Path) -> Path:
        made = folder / f"{source.parent.name}-{source.stem}.o"
        subprocess.run([*words, "-c", source, "-o", made], check=True)
        return made

    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        return list(compilers.map(compile_one, sources))


@pytest.fixture(scope="module")
def shared(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The libraries with which both programs are linked."""
    return compiled(words, tmp_path_factory.mktemp("shared"), PLAIN)


@pytest.fixture(scope="module")
def counter(words: list[str], shared: list[Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The program that counts; robin_map is in it where its header is."""
    folder = tmp_path_factory.mktemp("lines")
    hooks = ["-fsanitize=thread", "-fno-threadsafe-statics"]
    robin = ["-DTIERSCOPE_ROBIN_MAP"] if includes(words, "tsl/robin_map.h") else []
    objects = compiled([*words, *hooks, *robin], folder, COUNTED) + compiled(words, folder, RECORDER)
    wraps = [f"-Wl,--wrap={name}" for name in dict.fromkeys(WRAPPED)]
    subprocess.run([words[0], "-o", folder / "lines", *shared, *objects, *wraps, "-lpmemobj"], check=True)
    return str(folder / "lines")


@pytest.fixture(scope="module")
def plain(words: list[str], shared: list[Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same program without hooks, with one structure."""
    folder = tmp_path_factory.mktemp("plain")
    persistent = CORE / "structures" / "persistent"
    sources = (RECORDED / "without_hooks.cpp", persistent / f"{ONE}.cpp", persistent / "pool.cpp")
    objects = compiled(words, folder, sources)
    subprocess.run([words[0], "-o", folder / "lines", *shared, *objects, "-lpmemobj"], check=True)
    return str(folder / "lines")


@pytest.fixture
def place(fresh_place: Path) -> Path:
    return fresh_place


class Mean(NamedTuple):
    """The lines of one operation."""

    lines: float  # distinct ones, of the structure's own
    flushed: float
    fences: float


def counted(
    counter: str,
    place: Path,
    name: str,
    keys: int,
    operations: int,
    rounds: int,
    preload: Path | None = None,
    line: int = 64,
) -> dict[str, Mean]:
    words = [counter, name, str(place / "pool"), str(keys), str(operations), str(rounds), str(line)]
    environment = {**os.environ, **pmdk_environment(), "PMEM_IS_PMEM_FORCE": "1", "PMEM_NO_FLUSH": "1"}
    environment |= {"LD_PRELOAD": str(preload), "TIERSCOPE_SHADOW": str(place)} if preload else {}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    if "apt-get" in done.stderr:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
    return {what: Mean(*map(float, numbers)) for what, *numbers in map(str.split, done.stdout.splitlines())}


def require_close(name: str, keys: int, means: dict[str, Mean], line: int = 64) -> None:
    assert {"get", "insert", "remove"} <= set(means)
    for what, found in means.items():
        if (preset := f"{name} {what}") in structures:
            assert StructureModel.preset(preset).lines(keys, line) == pytest.approx(found.lines, rel=WITHIN[line]), (
                preset
            )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("keys", "operations", "rounds"), [(1000, 50, 16), (10_000, 50, 8)])
def test_lines_are_those_that_were_counted(
    counter: str, place: Path, name: str, keys: int, operations: int, rounds: int
) -> None:
    rounds *= 2 if name == "skiplist" else 1
    require_close(name, keys, counted(counter, place, name, keys, operations, rounds))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("line", [128, 256])
def test_longer_lines_are_those_that_were_counted(counter: str, place: Path, name: str, line: int) -> None:
    rounds = 32 if name == "skiplist" else 16
    require_close(name, 1000, counted(counter, place, name, 1000, 50, rounds, line=line), line)


@pytest.mark.parametrize("name", NAMES)
def test_lines_are_those_that_were_counted_in_large_structures(counter: str, place: Path, name: str) -> None:
    rounds = 24 if name == "skiplist" else 8
    require_close(name, 100_000, counted(counter, place, name, 100_000, 100, rounds))


def test_flushed_lines_and_fences_are_those_that_the_shadow_library_counts(
    counter: str, plain: str, place: Path
) -> None:
    try:
        library = find_library()
    except MachineError as error:
        pytest.skip(str(error))
    shadow = counted(plain, place, ONE, 1000, 50, 2, preload=library)
    found = counted(counter, place, ONE, 1000, 50, 2)
    assert shadow["insert"].fences > 5
    for what in ("get", "insert", "remove"):
        assert found[what][1:] == shadow[what][1:], what


def test_all_eight_structures_in_pools_have_a_model_of_each_operation() -> None:
    pools = [path.stem for path in (CORE / "structures" / "persistent").glob("*.cpp") if path.stem != "pool"]
    assert len(pools) == 8
    assert {f"{name} {what}" for name in pools for what in ("get", "insert", "remove")} <= set(structures)
