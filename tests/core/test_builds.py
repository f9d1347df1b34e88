"""The core built by a second compiler, and under sanitizers, passes what the plain build passes.

The tests run once more with TIERSCOPE_CORE naming that build, and so do the native tests, `core_tests`. Kernels are
built without sanitizers on purpose (they would time the sanitizer); the scalar ones stand for all, so that a lane
takes a minute and a half on two CPUs. `tests/core/spy.hpp` is a kernel that is checked.
"""

import subprocess
import sys

import pytest

import lanes

MARKS = {"asan-ubsan": "__asan_init", "tsan": "__tsan_init"}
TESTS = ["tests/catalogue", *sorted(str(path) for path in (lanes.ROOT / "tests/machine").glob("test_core_*.py"))]


@pytest.mark.slow
@pytest.mark.parametrize("preset", lanes.LANES)
def test_the_build_passes_the_tests_of_the_core(preset: str) -> None:
    folder = lanes.lane(preset)
    core = folder / "tierscope-core"
    if preset in MARKS:  # else the lane would test nothing
        assert MARKS[preset] in subprocess.run(["nm", core], text=True, capture_output=True, check=True).stdout
    before = lanes.runner(core)
    words = ["-q", "-m", "not slow and not browser", "-p", "no:cacheprovider", *TESTS]
    lanes.run([*before, sys.executable, "-m", "pytest", *words], TIERSCOPE_CORE=str(core), **lanes.HALT)
    lanes.run([*before, lanes.tool("ctest"), "--test-dir", folder, "--output-on-failure"], **lanes.HALT)
    if not lanes.has_doctest(folder):
        pytest.skip(lanes.NO_DOCTEST)
