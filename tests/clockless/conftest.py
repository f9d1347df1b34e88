"""Fixtures of tests on the real core without a clock: folders in memory for pools and images, and libpmemobj."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tierscope.crash.writer import find_library
from tierscope.errors import MachineError


@contextmanager
def _in_memory() -> Iterator[Path]:
    """Yield a folder in memory where there is such, else on a disk."""
    where = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(dir=where, prefix="tierscope-test-") as name:
        yield Path(name)


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """Yield one folder for all tests of a file; none of the hunts leaves anything in it."""
    with _in_memory() as folder:
        yield folder


@pytest.fixture
def fresh_place() -> Iterator[Path]:
    """Yield a folder for each test."""
    with _in_memory() as folder:
        yield folder


@pytest.fixture(scope="session")
def libpmemobj() -> None:
    """Find the library that programs with pools need, or skip the test with the line that brings it."""
    try:
        find_library()
    except MachineError as error:
        pytest.skip(str(error))
