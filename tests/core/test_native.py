"""The native tests of this folder that look at a clock, on the plain build; tests/clockless runs the others."""

import lanes


def test_the_native_tests_that_look_at_a_clock_pass() -> None:
    lanes.run([lanes.native(), f"--source-file-exclude={lanes.NO_CLOCK}"])
