"""The native things of examples/skeleton, in a core that is built from a copy of the tree with them."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import growth
from lanes import run, tool

ROOT = Path(__file__).resolve().parents[2]
SKELETON = ROOT / "examples/skeleton/core"
PATHS = {
    "kernel": "kernels/vector/skeleton.hpp",
    "target": "targets/skeleton.cpp",
    "structure": "structures/volatile/skeleton_map.cpp",
    "victim": "victims/skeleton_sums.cpp",
    "preset": "simulate/presets/skeleton.toml",
}
"""By kind: the one file, below examples/skeleton/core and in core."""
QUICKER = ("-DTIERSCOPE_ONLY_ISAS=scalar;avx2", "-DTIERSCOPE_PMDK=OFF", "-DCMAKE_CXX_FLAGS_RELEASE=-O1")
CORES = ("tierscope-core", "tierscope-core-traced")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the tree with one file more for each kind, and no line changed, whose core is built.

    All are in one copy: each knows nothing of the others, and a core takes minutes to build.
    """
    copy = tmp_path_factory.mktemp("grown")
    for name in ("core", "cmake", "src"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "CMakeLists.txt", copy)
    for path in PATHS.values():
        assert not (copy / "core" / path).exists(), path
        shutil.copy(SKELETON / path, copy / "core" / path)
    run([tool("cmake"), "-S", copy, "-B", copy / "build", "-G", "Ninja", *QUICKER])
    run([tool("cmake"), "--build", copy / "build", "--target", *CORES])
    return copy


def driven(copy: Path, place: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"TIERSCOPE_CORE": str(copy / "build" / CORES[0])}
    command = [sys.executable, str(Path(growth.__file__)), str(copy), *words]
    return subprocess.run(command, cwd=place, env=environment, text=True, capture_output=True, check=False)


def test_every_native_thing_of_the_skeleton_is_driven() -> None:
    assert set(PATHS) == set(growth.NATIVE)
    assert {str(path.relative_to(SKELETON)) for path in SKELETON.rglob("*.*")} == set(PATHS.values())


@pytest.mark.parametrize("kind", [kind for kind, path in PATHS.items() if path.endswith(".cpp")])
def test_a_native_thing_of_the_skeleton_compiles(kind: str) -> None:
    """The core is built with them in the slow tier alone: what the core renames, the first tier finds here."""
    compiler = shutil.which(os.environ.get("CXX", "g++")) or pytest.skip("no g++: sudo apt-get install -y g++")
    run([compiler, "-std=c++20", "-fsyntax-only", "-I", ROOT / "core", SKELETON / PATHS[kind]])


@pytest.mark.slow
@pytest.mark.parametrize("kind", PATHS)
def test_no_part_leaves_a_newcomer_out(kind: str, copy: Path, tmp_path: Path) -> None:
    done = driven(copy, tmp_path, "tour", kind)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["parts"] > 3
    assert answer["left out"] == [], done.stderr


@pytest.mark.slow
def test_the_tests_over_the_catalogue_find_the_newcomers_by_themselves(copy: Path, tmp_path: Path) -> None:
    for name in ("tests", "docs", "pyproject.toml"):
        (copy / name).symlink_to(ROOT / name)
    files = [f"tests/catalogue/test_{name}.py" for name in ("targets", "tasks", "parts", "documents")]
    for words in (("tests/catalogue/test_kernels.py", "-k", "skeleton"), tuple(files)):
        done = driven(copy, tmp_path, "tests", *words)
        assert done.returncode == 0, done.stdout[-4000:]
        assert "passed" in done.stdout
