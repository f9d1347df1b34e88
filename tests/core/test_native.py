"""The native tests of this folder, on the plain build: `core_tests` is one program on doctest."""

import pytest

import lanes


def test_the_native_tests_pass() -> None:
    folder = lanes.plain()
    if not lanes.has_doctest(folder):
        pytest.skip(lanes.NO_DOCTEST)
    lanes.run([lanes.tool("cmake"), "--build", folder, "--target", "core_tests"])
    lanes.run([folder / "tests/core/core_tests"])
