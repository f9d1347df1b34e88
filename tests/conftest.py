"""The fixtures of every test, and marks that follow from the folder."""

import gc
import os
import shutil
import signal
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer

import budget
import order
import packed

ROOT = Path(__file__).resolve().parents[1]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# A session in the background, below nohup or in some CI systems starts deaf to these signals, and so do its children.
for each in (signal.SIGHUP, signal.SIGTERM, signal.SIGQUIT):
    if signal.getsignal(each) == signal.SIG_IGN:
        signal.signal(each, signal.SIG_DFL)
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where nothing may be kept of what Python compiles, each command that a test starts would compile a thousand files.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", ""):
    os.environ["PYTHONPYCACHEPREFIX"] = str(ROOT / ".venv/pycache")

# Files of tests need not survive a power failure; test_files.py checks that the program asks for it. In this process
# alone: an answer takes milliseconds on a busy disk, and thousands are waited for.
os.fsync = lambda handle: None
packed.once()

# Nothing that a test judges is kept, or taken from what another kept: tests change what judges.
os.environ["XDG_CACHE_HOME"] = os.devnull
os.environ["PIP_NO_CACHE_DIR"] = "1"  # pip does not build a wheel where its cache cannot be a folder

# The machine is shared and busy: a slow example is not a fault, and a failure must come again.
settings.register_profile("tierscope", deadline=None, derandomize=True, max_examples=100)
settings.load_profile("tierscope")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--budget", action="store_true", help="report the cost of both tiers; fail where it is too much")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    return order.workers(config, len(os.sched_getaffinity(0)))


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> order.Order:
    return order.Order(config, log)


class Backwards(pytest.Dir):
    """A folder whose last file is collected first."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        return list(super().collect())[::-1]


def pytest_collect_directory(path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Every second worker begins at the end: what one has compiled by the time they meet, the other one finds."""
    second = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % 2 == 1
    return Backwards.from_parent(parent, path=path) if second else None


def pytest_configure(config: pytest.Config) -> None:
    """The process that reports adds up what those that run the tests took; without workers it is both."""
    if not config.getoption("--budget"):
        return
    config.pluginmanager.register(budget.Stopwatch())
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(budget.Budget())


def pytest_collection_finish() -> None:
    """Leave what was collected out of garbage collection: it stays, and each full collection would visit it."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """Let the end of the process collect all of it, or libraries report what is left."""
    gc.unfreeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the real core need a machine, and all of tests/vm takes minutes. See order.py for who comes first."""
    for item in items:
        if any(item.path.is_relative_to(ROOT / "tests" / folder) for folder in ("clockless", "machine")):
            item.add_marker(pytest.mark.machine)
        if item.path.is_relative_to(ROOT / "tests/vm") or item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: (order.rank(item.nodeid), item.path))  # the same in every worker


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
