"""The core built by a second compiler, and under sanitizers, passes what the plain build passes.

The tests run once more with TIERSCOPE_CORE naming that build, and so do the native tests, `core_tests`. Kernels are
built without sanitizers on purpose (they would time the sanitizer); the scalar ones stand for all, so that a lane
takes a minute and a half on two CPUs. `tests/core/spy.hpp` is a kernel that is checked.
"""

import subprocess
import sys
from pathlib import Path

import pytest

import lanes

MARKS = {"asan-ubsan": "__asan_init", "tsan": "__tsan_init"}
TESTS = ["tests/catalogue", *sorted(str(path) for path in (lanes.ROOT / "tests/machine").glob("test_core_*.py"))]


def _build(preset: str) -> Path:
    if preset in MARKS:
        return lanes.sanitized(preset)
    compiler = lanes.clang() or pytest.skip("lane clang left out, no clang++: sudo apt-get install -y clang")
    return lanes.built(preset, f"-DCMAKE_CXX_COMPILER={compiler}")


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["clang", "asan-ubsan", "tsan"])
def test_the_build_passes_the_tests_of_the_core(preset: str) -> None:
    folder = _build(preset)
    core = folder / "tierscope-core"
    if preset in MARKS:  # else the lane would test nothing
        assert MARKS[preset] in subprocess.run(["nm", core], text=True, capture_output=True, check=True).stdout
    before = lanes.runner(core)
    words = ["-q", "-m", "not slow and not browser", "-p", "no:cacheprovider", *TESTS]
    lanes.run([*before, sys.executable, "-m", "pytest", *words], TIERSCOPE_CORE=str(core), **lanes.HALT)
    lanes.run([*before, lanes.tool("ctest"), "--test-dir", folder, "--output-on-failure"], **lanes.HALT)
    if not lanes.has_doctest(folder):
        pytest.skip(lanes.NO_DOCTEST)
