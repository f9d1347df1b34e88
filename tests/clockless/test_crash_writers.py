"""Writers on libpmemobj under power failures: correct ones pass at every point, planted faults are found.

The writers are C programs next to this file, each with its check; they need libpmemobj, no persistent memory.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tierscope.crash.asked import Asked, Found
from tierscope.crash.hunt import hunt
from tierscope.crash.writer import pmdk_environment

SOURCES = Path(__file__).parent / "writers"
WRITERS = ("log", "array", "list", "line")
FAULTS = [
    ("log", "missing-flush"),
    ("log", "missing-fence"),
    ("log", "wrong-order"),
    ("array", "missing-flush"),
    ("array", "wrong-order"),
    ("list", "missing-flush"),
    ("line", "flag-first"),
]
LONG = FAULTS[:2]
MANY = 500


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory, place: Path, libpmemobj: None) -> Path:
    """The writers, compiled, and a pool of each in `place`."""
    compiler = shutil.which("cc") or pytest.skip("no C compiler: sudo apt-get install -y gcc")
    folder = tmp_path_factory.mktemp("writers")
    for name in WRITERS:
        words = [compiler, "-O1", "-Wall", "-o", folder / name, SOURCES / f"{name}.c", "-lpmemobj"]
        if name == WRITERS[0] and subprocess.run(words, capture_output=True, check=False).returncode != 0:
            pytest.skip("no libpmemobj.h: sudo apt-get install -y libpmemobj-dev")
        subprocess.run(words, check=True)
        environment = {**os.environ, **pmdk_environment()}
        subprocess.run([folder / name, "make", place / name], env=environment, check=True)
    return folder


@pytest.fixture
def cut(programs: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> "Cut":
    monkeypatch.delenv("PMEM_IS_PMEM_FORCE", raising=False)
    return Cut(programs, place)


class Cut:
    """Hunts with one of the writers."""

    def __init__(self, programs: Path, place: Path) -> None:
        self._programs, self._place = programs, place

    def __call__(self, name: str, fault: str = "none", points: int = 30, **how: int) -> Found:
        program = str(self._programs / name)
        before = sorted(self._place.iterdir())
        found = hunt(
            Asked(
                file=self._place / name,
                writer=(program, "write", "{file}", "600" if points == MANY else "100", fault),
                check=(program, "check", "{image}", "{log}"),
                points=points,
                **how,
            )
        )
        assert sorted(self._place.iterdir()) == before
        assert found.missed == ()
        return found


@pytest.mark.parametrize("name", WRITERS)
def test_a_correct_writer_passes_at_every_point(cut: Cut, name: str) -> None:
    found = cut(name)
    assert len(found.points) == 30
    assert found.failed == ()


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_correct_writer_passes_at_many_points(cut: Cut, name: str) -> None:
    found = cut(name, points=MANY)
    assert len(found.points) == MANY
    assert found.failed == ()


@pytest.mark.slow
@pytest.mark.parametrize(("name", "fault"), LONG)
def test_a_planted_fault_is_found_at_many_points(cut: Cut, name: str, fault: str) -> None:
    found = cut(name, fault, points=MANY)
    assert len(found.points) == MANY
    assert len(found.failed) > MANY // 10


@pytest.mark.parametrize("name", WRITERS)
def test_a_correct_writer_passes_where_msync_is_what_persists(
    cut: Cut, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PMEM_IS_PMEM_FORCE", "0")
    found = cut(name)
    assert found.counts.syncs > 100
    assert found.failed == ()


@pytest.mark.parametrize(("name", "fault"), FAULTS)
def test_a_planted_fault_is_found(cut: Cut, name: str, fault: str) -> None:
    assert {point.verdict for point in cut(name, fault).failed} >= {"wrong"}


@pytest.mark.parametrize("name", WRITERS)
def test_flushes_that_are_lost_are_found(cut: Cut, name: str) -> None:
    found = cut(name, drop_flush=7)
    assert found.counts.dropped == found.counts.file_flushes // 7
    assert found.failed != ()


@pytest.mark.parametrize("name", WRITERS)
def test_fences_that_are_lost_are_found(cut: Cut, name: str) -> None:
    """The library makes some fences that can be dropped, and a check would not detect all of its own."""
    found = cut(name, drop_fence=3, points=100)
    assert found.counts.dropped == found.counts.file_fences // 3
    assert found.failed != ()
    assert {point.fence % 3 for point in found.points} == {1}


def test_the_same_seed_finds_the_same_points_and_verdicts(cut: Cut) -> None:
    first, second = (cut("list", points=12, drop_flush=7, seed=5) for _ in range(2))
    assert first.points == second.points
    assert {point.verdict for point in first.points} > {"passed"}


def test_another_seed_cuts_elsewhere(cut: Cut) -> None:
    first, second = (cut("log", points=8, seed=seed) for seed in (1, 2))
    assert [point.fence for point in first.points] != [point.fence for point in second.points]
