"""How a run of the tests is ordered, and what it may cost."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from xdist.remote import Producer

import budget
import order

UNIT = ["tests/unit/test_a.py::one", "tests/unit/test_a.py::two", "tests/unit/test_b.py::one"]
CLOCKLESS = ["tests/clockless/test_simulated.py::one"]
BUILDS = ["tests/builds/test_lanes.py::clang"]
MACHINE = ["tests/machine/test_core.py::pages", "tests/vm/test_vm.py::boots"]


class Worker:
    """As xdist sees it: runs all but the last test that it knows of, and that one when it must end."""

    def __init__(self, name: str) -> None:
        self.gateway = SimpleNamespace(id=name)
        self.known: list[int] = []
        self.shutting_down = False

    def send_runtest_some(self, indices: list[int]) -> None:
        self.known += indices

    def shutdown(self) -> None:
        self.shutting_down = True

    def next(self) -> int | None:
        return self.known.pop(0) if len(self.known) > (0 if self.shutting_down else 1) else None


def scheduled(rootpath: Path, tests: list[str], workers: int) -> list[tuple[str, str]]:
    """The tests that each worker ran, one step at a time, until nobody has anything to do."""
    config = SimpleNamespace(option=SimpleNamespace(), rootpath=rootpath, getvalue=lambda _: ["popen"] * workers)
    queue = order.Order(config, Producer("test", enabled=False))
    crew = [Worker(f"gw{number}") for number in range(workers)]
    for worker in crew:
        queue.add_node(worker)
    for worker in crew:
        queue.add_node_collection(worker, tests)
    queue.schedule()
    ran: list[tuple[str, str]] = []
    moved = True
    while moved:
        moved = False
        for worker in crew:
            if (index := worker.next()) is not None:
                ran.append((worker.gateway.id, tests[index]))
                queue.mark_test_complete(worker, index)
                moved = True
    assert not queue.has_pending
    return ran


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
@pytest.mark.parametrize(
    "tests", [UNIT + MACHINE, BUILDS + CLOCKLESS + UNIT + MACHINE, MACHINE, UNIT, MACHINE[:1], UNIT[:1] + MACHINE]
)
def test_every_test_runs_once_and_what_needs_the_machine_runs_last_and_alone(
    root: Path, tests: list[str], workers: int
) -> None:
    ran = scheduled(root, tests, workers)
    assert sorted(test for _, test in ran) == sorted(tests)
    alone = [entry for entry in ran if not order.beside(entry[1])]
    assert len({worker for worker, _ in alone}) <= 1
    others = [place for place, (worker, _) in enumerate(ran) if alone and worker != alone[0][0]]
    assert not alone or max(others, default=-1) < ran.index(alone[0])


def test_builds_begin_and_what_needs_the_machine_ends() -> None:
    assert sorted(MACHINE + UNIT + CLOCKLESS + BUILDS, key=order.rank) == BUILDS + CLOCKLESS + UNIT + MACHINE


@pytest.mark.parametrize(
    ("words", "cpus", "expected"),
    [(["tests"], 2, 2), (["tests"], 64, 8), (["tests"], 1, 0), (["tests/unit"], 2, 2), (["tests/conftest.py"], 2, 0)],
)
def test_workers_share_folders_and_one_process_runs_what_is_named(
    root: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], cpus: int, expected: int
) -> None:
    monkeypatch.chdir(root)
    assert order.workers(SimpleNamespace(args=words), cpus) == expected


def test_the_budget_names_what_takes_too_long() -> None:
    costs = {
        "tests/unit/test_a.py::long": budget.Cost(cpu_s=budget.SLOW_S + 1, wall_s=99),
        "tests/unit/test_a.py::busy": budget.Cost(cpu_s=1, wall_s=99),
        "tests/unit/test_a.py::marked": budget.Cost(slow=True, cpu_s=99, wall_s=99),
        "tests/unit/test_a.py::excused": budget.Cost(long=True, cpu_s=99, wall_s=99),
        "tests/machine/test_b.py::waits": budget.Cost(cpu_s=1, wall_s=budget.SLOW_S + 1),
    }
    assert [fault.partition(" ")[0] for fault in budget.faults(costs)] == [
        "tests/machine/test_b.py::waits",
        "tests/unit/test_a.py::long",
    ]


def test_the_budget_of_the_first_tier_counts_half_of_what_two_can_share() -> None:
    half = {f"tests/unit/test_a.py::{n}": budget.Cost(cpu_s=budget.SLOW_S) for n in range(2)}
    assert budget.total_s(half) == budget.SLOW_S
    many = 30
    full = {f"tests/machine/test_a.py::{n}": budget.Cost(wall_s=budget.FIRST_TIER_S / many) for n in range(many)}
    assert list(budget.faults(full)) == []
    (fault,) = budget.faults(full | half)
    assert fault.startswith(
        f"the first tier takes {budget.FIRST_TIER_S + budget.SLOW_S:.0f} s of {budget.FIRST_TIER_S:g} s"
    )
    assert [line for line in budget.summary(full) if "first tier" in line] == [
        f"first tier: {many} tests, {budget.FIRST_TIER_S:.0f} s on 2 quiet CPUs"
    ]
