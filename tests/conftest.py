"""What every test may use, and marks that follow from the folder."""

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Where nothing may be kept of what Python compiles, each command that a test starts would compile a thousand files.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / ".venv/pycache")

# The machine is shared and busy: a slow example is no fault, and a failure must come again.
settings.register_profile("tierscope", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("tierscope")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of tests/machine needs a machine."""
    for item in items:
        if item.path.is_relative_to(ROOT / "tests/machine"):
            item.add_marker(pytest.mark.machine)


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
