"""Every task of the core has its struct, whose keys are those that the core takes for it."""

import msgspec
import pytest

from border import CPUS, refused
from tierscope import core
from tierscope.core.plan import work_words
from tierscope.record.work import KINDS

TASKS = core.catalogue().tasks()
LEFT_OUT = {"footprint", "skew"}
"""The one is of every workload; the other is for tests of the core alone."""
OTHERS = {"key": "streams=7"}
"""A key of another task; `count` is of keys alone."""


def taken(kernel: str, task: str) -> set[str]:
    """Return the keys that the core takes for a kernel, as it answers to one of another task."""
    status, message = refused(f"group kernel={kernel} cpus={CPUS[0]} {OTHERS.get(task, 'count=7')}", "prepare")
    assert status == 2
    assert f"kernel {kernel} does not take" in message
    known = message.split(" it takes ")[1]
    return set() if known == "none" else set(known.split(", "))


def stated(task: str) -> set[str]:
    """Return the keys of a plan that states every field of a task's struct: a field at 0 or "" is left out."""
    fields = msgspec.structs.fields(KINDS[task])
    return set(work_words(KINDS[task](**{field.name: type(field.default)(1) for field in fields})))


def test_every_task_has_a_struct_and_every_struct_a_task() -> None:
    assert set(TASKS.values()) == set(KINDS) - {"job"}


@pytest.mark.parametrize("task", sorted(set(TASKS.values()) & set(KINDS)))
def test_the_keys_of_a_struct_are_those_of_the_core(task: str) -> None:
    kernel = next(name for name, its in sorted(TASKS.items()) if its == task)
    assert stated(task) == taken(kernel, task) - LEFT_OUT
