"""A run with experiments of memory and jobs of storage: each one has its own measurer, begun once, ended once."""

import pytest

from fake_core import FakeCore
from lab import group
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.result import GroupFacts
from tierscope.record.work.job import JobWork
from tierscope.run.both import Both, is_job
from tierscope.run.measurer import Measurer

WORK = JobWork(block_bytes=4096, order="random", arguments="--rw=randread")
JOB = Group(
    workload=Workload(kernel="job", footprint_bytes=1 << 24, work=WORK),
    target=Target(name="storage", where="/x"),
    team=Team(cpus=()),
)


@pytest.fixture
def begun() -> list[str]:
    return []


@pytest.fixture
def both(begun: list[str]) -> Both:
    def named(name: str) -> Measurer:
        begun.append(name)
        session = FakeCore().session()
        session.prepare = lambda groups: _prepared(name, groups, begun)  # type: ignore[method-assign,assignment]
        session.drop = lambda: begun.append(f"{name} drops")  # type: ignore[method-assign]
        session.close = lambda: begun.append(f"{name} ends")  # type: ignore[method-assign]
        return session

    return Both(lambda: named("core"), lambda: named("fio"))


def _prepared(name: str, _groups: object, begun: list[str]) -> tuple[GroupFacts, ...]:
    begun.append(f"{name} prepares")
    return ()


def test_a_job_is_known_by_its_work() -> None:
    assert is_job((JOB,))
    assert not is_job((group(),))


def test_each_one_begins_when_it_is_needed_and_the_core_releases_memory_first(both: Both, begun: list[str]) -> None:
    both.prepare((group(),))
    both.prepare((JOB,))
    both.prepare((JOB,))
    both.prepare((group(),))
    both.close()
    both.close()
    assert begun == [
        "core", "core prepares", "core drops", "fio", "fio prepares", "fio prepares", "core prepares", "core ends",
        "fio ends",
    ]  # fmt: skip


def test_the_clock_is_that_of_the_one_that_has_the_groups(both: Both) -> None:
    both.prepare((group(),))
    assert both.clock.hz > 0
