"""The native tests that look at no clock, on the plain build, which is made here. tests/core runs the others.

The test suite `slow` of doctest contains searches over many sizes and geometries.
"""

import pytest

import lanes


@pytest.mark.long(reason="compiles the native tests, which no other test of the first tier stands for")
def test_the_native_tests_that_look_at_no_clock_pass() -> None:
    lanes.run([lanes.native(), f"--source-file={lanes.NO_CLOCK}", "--test-suite-exclude=slow"])


@pytest.mark.slow
def test_the_slow_native_tests_pass() -> None:
    lanes.run([lanes.native(), f"--source-file={lanes.NO_CLOCK}", "--test-suite=slow"])
