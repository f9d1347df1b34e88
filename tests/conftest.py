"""What every test may use, and marks that follow from the folder."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
MANY = 1000  # tests without a clock, from which on builds are begun beside them
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Where nothing may be kept of what Python compiles, each command that a test starts would compile a thousand files.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / ".venv/pycache")

# The machine is shared and busy: a slow example is no fault, and a failure must come again.
settings.register_profile("tierscope", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("tierscope")


BUILDS: list[subprocess.Popen[bytes]] = []  # the one that goes on ahead of its tests, while there is


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of tests/machine needs a machine. Tests that look at no clock come first, beside the builds of later ones."""
    for item in items:
        if item.path.is_relative_to(ROOT / "tests/machine"):
            item.add_marker(pytest.mark.machine)
    items.sort(key=lambda item: not _clockless(item))


def pytest_collection_finish(session: pytest.Session) -> None:
    """Builds of `lanes` take what CPU is idle while tests/unit runs: minutes, where all tests are run."""
    idle = shutil.which("chrt")
    first = sum(map(_clockless, session.items))
    if idle and first > MANY and any(item.path.name == "test_builds.py" for item in session.items):
        command = [idle, "--idle", "0", sys.executable, str(ROOT / "tests/core/lanes.py")]
        quiet = subprocess.DEVNULL
        BUILDS.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True))


def pytest_runtest_setup(item: pytest.Item) -> None:
    """From the first test of a clock on the machine is its own."""
    if not _clockless(item):
        _stop_builds()


def pytest_sessionfinish() -> None:
    _stop_builds()


def _clockless(item: pytest.Item) -> bool:
    return item.path.is_relative_to(ROOT / "tests/unit")


def _stop_builds() -> None:
    """By the signal on which ninja takes back what is half written."""
    while BUILDS:
        build = BUILDS.pop()
        if build.poll() is None:
            os.killpg(build.pid, signal.SIGINT)
            build.wait()


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def browser() -> str:
    """A headless browser, or the test is skipped with the line that brings one."""
    for name in BROWSERS:
        if path := shutil.which(name):
            return path
    pytest.skip("no browser: sudo apt-get install -y chromium")
