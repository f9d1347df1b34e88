"""Structures in pools under power failures: each passes at every point, and lost flushes are found in each.

The writer is a program on core/structures, compiled here; it needs libpmemobj, no persistent memory.
"""

import os
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tierscope.crash.asked import Asked, Found
from tierscope.crash.hunt import hunt
from tierscope.crash.writer import pmdk_environment

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent
CORE = HERE.parents[1] / "core"
PERSISTENT = CORE / "structures" / "persistent"
SOURCES = (HERE / "writers" / "structures.cpp", CORE / "base" / "capacity.cpp", *sorted(PERSISTENT.glob("*.cpp")))
NAMES = sorted(path.stem for path in PERSISTENT.glob("*.cpp") if path.stem != "pool")
MANY = 500


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory, place: Path, libpmemobj: None) -> str:
    """The writer, compiled, and a pool of each structure in `place`."""
    compiler = shutil.which("c++") or pytest.skip("no C++ compiler: sudo apt-get install -y g++")
    folder = tmp_path_factory.mktemp("structures")
    words = [compiler, "-std=c++20", "-O1", "-Wall", f"-I{CORE}"]
    probe = [*words, "-fsyntax-only", "-xc++", "-include", "libpmemobj.h", os.devnull]
    if subprocess.run(probe, capture_output=True, check=False).returncode != 0:
        pytest.skip("no libpmemobj.h: sudo apt-get install -y libpmemobj-dev")

    def compile_one(source: Path) -> Path:
        made = folder / f"{source.parent.name}-{source.stem}.o"
        subprocess.run([*words, "-c", source, "-o", made], check=True)
        return made

    with ThreadPoolExecutor(os.cpu_count()) as compilers:
        objects = list(compilers.map(compile_one, SOURCES))
    subprocess.run([compiler, "-o", folder / "writer", *objects, "-lpmemobj"], check=True)
    for name in NAMES:
        environment = {**os.environ, **pmdk_environment()}
        subprocess.run([folder / "writer", "make", place / name, name], env=environment, check=True)
    return str(folder / "writer")


@pytest.fixture
def cut(program: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> "Cut":
    monkeypatch.delenv("PMEM_IS_PMEM_FORCE", raising=False)
    return Cut(program, place)


class Cut:
    """Hunts with the writer on one of the structures."""

    def __init__(self, program: str, place: Path) -> None:
        self._program, self._place = program, place

    def __call__(self, name: str, operations: int = 400, points: int = 30, seed: int = 1, drop_flush: int = 0) -> Found:
        before = sorted(self._place.iterdir())
        found = hunt(
            Asked(
                file=self._place / name,
                writer=(self._program, "write", "{file}", name, str(operations)),
                check=(self._program, "check", "{image}", name, "{log}"),
                points=points,
                seed=seed,
                drop_flush=drop_flush,
            )
        )
        assert sorted(self._place.iterdir()) == before
        assert found.missed == ()
        return found


@pytest.mark.parametrize("name", NAMES)
def test_every_completed_operation_survives_a_power_failure(cut: Cut, name: str) -> None:
    found = cut(name)
    assert len(found.points) == 30
    assert found.failed == ()


@pytest.mark.parametrize("name", NAMES)
def test_every_completed_operation_survives_many_power_failures(cut: Cut, name: str) -> None:
    found = cut(name, operations=600, points=MANY, seed=2)
    assert len(found.points) == MANY
    assert found.failed == ()


@pytest.mark.parametrize("name", NAMES)
def test_operations_survive_where_msync_is_what_persists(cut: Cut, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PMEM_IS_PMEM_FORCE", "0")
    found = cut(name, operations=100)
    assert found.counts.syncs > 100
    assert found.failed == ()


@pytest.mark.parametrize("name", NAMES)
def test_one_lost_flush_of_37_is_found(cut: Cut, name: str) -> None:
    found = cut(name, drop_flush=37)
    assert found.counts.dropped == found.counts.file_flushes // 37
    assert found.failed != ()
