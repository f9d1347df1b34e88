"""The cost of the tests, and whether the first tier keeps its budget: `./tierscope test all --budget`.

The cost of a test that may run next to others is CPU time, which another program on the machine barely changes. A test
that is alone costs the time that passed. Blind to children that a test leaves running, and to a test next to others
that waits.
"""

import resource
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pytest

import order

CPUS = 2  # of the machine that the budget is meant for
SLOW_S = 20.0  # what takes longer is marked `slow`, or `long` with a reason; checking all types takes 15
FIRST_TIER_S = 450.0  # 12 minutes, less 3.5 for set-up and 1 for what is between tests
SHOWN = 20


@dataclass
class Cost:
    """The seconds of one test, with its fixtures."""

    slow: bool = False
    long: bool = False
    cpu_s: float = 0.0
    wall_s: float = 0.0

    def share_s(self, nodeid: str) -> float:
        """Return the wall time that a run on CPUS quiet CPUs spends on it."""
        return self.cpu_s / CPUS if order.beside(nodeid) else self.wall_s


def spent_s() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def faults(costs: dict[str, Cost]) -> Iterator[str]:
    """Yield one line for each test of the first tier that takes too long, and one if all of them do.

    A test that is marked `long` may take longer, and counts among all of them.
    """
    first = {nodeid: cost for nodeid, cost in costs.items() if not cost.slow}
    for nodeid, cost in sorted(first.items()):
        took_s = cost.cpu_s if order.beside(nodeid) else cost.wall_s
        if took_s > SLOW_S and not cost.long:
            yield f"{nodeid} took {took_s:.1f} s, more than {SLOW_S:g} s: make it shorter, or mark it slow"
    if (all_s := total_s(first)) > FIRST_TIER_S:
        yield f"the first tier takes {all_s:.0f} s of {FIRST_TIER_S:g} s: mark what takes longest slow"


def total_s(costs: dict[str, Cost]) -> float:
    return sum(cost.share_s(nodeid) for nodeid, cost in costs.items())


def summary(costs: dict[str, Cost]) -> Iterator[str]:
    """Both tiers, and the files that take most."""
    for name, slow in (("first tier", False), ("slow tests", True)):
        part = {nodeid: cost for nodeid, cost in costs.items() if cost.slow is slow}
        yield f"{name}: {len(part)} tests, {total_s(part):.0f} s on {CPUS} quiet CPUs"
        for path, its in _files(part)[:SHOWN]:
            yield f"  {its.share_s(path):7.1f} s, {its.cpu_s:7.1f} s of CPU, {its.wall_s:7.1f} s passed: {path}"


def _files(costs: dict[str, Cost]) -> list[tuple[str, Cost]]:
    """The tests of each file together, the longest first."""
    files: dict[str, Cost] = defaultdict(Cost)
    for nodeid, cost in costs.items():
        its = files[nodeid.partition("::")[0]]
        its.cpu_s += cost.cpu_s
        its.wall_s += cost.wall_s
    return sorted(files.items(), key=lambda one: -one[1].share_s(one[0]))


class Stopwatch:
    """In the process that runs the tests: each report carries the CPU time since the one before."""

    _before_s = 0.0

    def pytest_runtest_logstart(self) -> None:
        self._before_s = spent_s()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Iterable[pytest.TestReport]:
        report: pytest.TestReport = yield
        now_s = spent_s()
        report.cpu_s = now_s - self._before_s
        self._before_s = now_s
        return report


class Budget:
    """In the process that reports: adds up, and fails the run where a budget is not kept."""

    def __init__(self) -> None:
        self._costs: dict[str, Cost] = defaultdict(Cost)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        cost = self._costs[report.nodeid]
        cost.slow, cost.long = "slow" in report.keywords, "long" in report.keywords
        cost.cpu_s += getattr(report, "cpu_s", 0.0)
        cost.wall_s += report.duration

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.OK and any(faults(self._costs)):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        terminalreporter.section("budget")
        for line in (*summary(self._costs), *faults(self._costs)):
            terminalreporter.line(line)
