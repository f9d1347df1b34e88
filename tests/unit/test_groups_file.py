"""The user's own groups: a good file becomes experiments, and every mistake is reported with its place."""

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as some

from made_machine import made_machine
from made_work import TASKS as KNOWN
from tierscope.errors import UnknownNameError, UsageError
from tierscope.plans.live import describe
from tierscope.record.experiment import Target
from tierscope.record.work.base import key_of
from tierscope.record.work.task import TaskWork
from tierscope.run.expected import imagine
from tierscope.suites.groups.experiments import FIELDS, read_groups
from tierscope.units import GiB, KiB, MiB

GOOD = """
[schedule]
precision = 0.05
budget = "2s"
minimum = "300ms"
block = 0.002

[[experiment]]
label = "copy beside reads"
[[experiment.group]]
kernel = "copy"
role = "solver"
target = "node:0"
pages = "2m"
isa = "avx2"
cpus = "0"
footprint = "1GiB"
streams = 4
unroll = 2
prefetch = "512B"
prefetchw = 1024
interleave = "4KiB"
[[experiment.group]]
kernel = "chase"
cpus = [1]
footprint = "512MiB"
element = "128B"
locality = "4KiB"
pace = 500
burst = "2KiB"

[[experiment]]
[[experiment.group]]
kernel = "noop"
target = "null"
cpus = 0
"""
TASKS = {**KNOWN, "new": "dance"}
GROUP = 'kernel = "read"\ncpus = "0"\nfootprint = "1MiB"\n'


def test_a_good_file_becomes_experiments() -> None:
    both, alone = read_groups(GOOD, TASKS).experiments
    assert both.labels == {"label": "copy beside reads"}
    assert alone.labels == {"label": "experiment 1"}
    assert both.table == alone.table == "groups"
    assert [describe(one).partition(":")[0] for one in (both, alone)] == ["copy beside reads", "experiment 1"]
    schedule = both.schedule
    assert (schedule.precision, schedule.budget_s, schedule.minimum_s, schedule.block_s) == (0.05, 2.0, 0.3, 0.002)
    copy, chase = both.groups
    assert (copy.role, copy.target.word, copy.target.pages, copy.team.cpus) == ("solver", "node:0", "2m", (0,))
    work = copy.workload
    assert (work.kernel, work.isa, work.footprint_bytes, work.work.streams, work.work.unroll) == (
        "copy",
        "avx2",
        GiB,
        4,
        2,
    )
    assert (work.work.prefetch_bytes, work.work.prefetchw_bytes, work.work.interleave_bytes) == (512, 1024, 4 * KiB)
    work = chase.workload
    assert (chase.team.cpus, chase.target.word, chase.target.pages) == ((1,), "node:0", "thp")
    assert (work.footprint_bytes, work.work.element_bytes, work.work.locality_bytes) == (512 * MiB, 128, 4 * KiB)
    assert (work.pace_cycles, work.burst_bytes) == (500, 2 * KiB)
    assert (alone.groups[0].target.word, alone.groups[0].team.cpus) == ("null", (0,))


def test_blocks_may_be_visited_once_in_part() -> None:
    entry = 'kernel = "flush_nt"\ncpus = "0"\nfootprint = "1GiB"\nelement = "4KiB"\naccess = "256B"\n'
    words = 'order = "once"\nfence = "region"\nlocality = "64KiB"\n'
    (experiment,) = read_groups("[[experiment]]\n[[experiment.group]]\n" + entry + words, TASKS).experiments
    work = experiment.groups[0].workload
    assert (work.work.element_bytes, work.work.access_bytes, work.work.locality_bytes) == (4 * KiB, 256, 64 * KiB)
    assert (work.work.order, work.work.fence) == ("once", "region")


def test_the_example_of_the_module_is_good() -> None:
    from tierscope.suites.groups import experiments as groups

    (experiment,) = read_groups((groups.__doc__ or "").split("\n", 2)[2], TASKS).experiments
    assert [group.workload.kernel for group in experiment.groups] == ["copy", "read"]


def test_all_experiments_are_planned() -> None:
    assert imagine(read_groups(GOOD, TASKS).plan(made_machine())) == list(read_groups(GOOD, TASKS).experiments)


def test_a_cpu_that_may_not_be_used_is_reported_before_anything_runs() -> None:
    with pytest.raises(UsageError, match="CPU 1 may not be used here; usable: 0"):
        imagine(read_groups(GOOD, TASKS).plan(made_machine(1)))


def test_groups_may_share_a_cpu_if_both_have_shared() -> None:
    text = group("shared = true") + "[[experiment.group]]\n" + GROUP + "shared = true\n"
    (experiment,) = read_groups(text, TASKS).experiments
    assert [group.shared for group in experiment.groups] == [True, True]


def test_a_group_may_read_from_another_target_or_be_a_victim() -> None:
    (experiment,) = read_groups(group('source = "file:/mnt/x"'), TASKS).experiments
    assert experiment.groups[0].source == Target.parse("file:/mnt/x")
    text = changed('"read"', '"flow"') + 'size = "train"\nlimit = "3s"\n'
    (experiment,) = read_groups(text, TASKS).experiments
    assert experiment.groups[0].workload.work == TaskWork(size="train", limit_s=3.0)


def group(*lines: str) -> str:
    return "[[experiment]]\n[[experiment.group]]\n" + GROUP + "".join(f"{line}\n" for line in lines)


def changed(old: str, new: str) -> str:
    return group().replace(old, new)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "the plan has no [[experiment]]"),
        ("experiment = []", "the plan has no [[experiment]]"),
        ("experiment = 1", "the plan has no [[experiment]]"),
        ("[[experiment]]", "experiment 0 has no [[experiment.group]]"),
        ("[[experiment]]\ngroup = 1", "experiment 0 has no [[experiment.group]]"),
        ("experiment = [1]", "experiment is not a table"),
        ("[[experiment]]\ngroup = [1]", "experiment 0 is not a table"),
        ("[experiment", "the plan is not TOML"),
        ("a = " + "[" * 5000, "the plan is not TOML"),
        ("a = " + "9" * 5000, "the plan is not TOML"),
        ("[[experimentx]]", "the plan: unknown key 'experimentx'; did you mean experiment"),
        ("[[experiment]]\nlable = 1", "experiment 0: unknown key 'lable'; did you mean label"),
        (group("kernelx = 1"), "experiment 0, group 0: unknown key 'kernelx'; did you mean kernel"),
        (changed('kernel = "read"', ""), "experiment 0, group 0 has no kernel"),
        (changed('cpus = "0"', ""), "experiment 0, group 0 has no cpus"),
        (changed('"read"', "7"), "experiment 0, group 0: kernel=7 is not text"),
        (changed('"0"', '"zero"'), "experiment 0, group 0: cpus=zero: this is not a list"),
        (changed('"0"', "[]"), "experiment 0, group 0: cpus=: this names no number"),
        (changed('"0"', "-1"), "experiment 0, group 0: cpus=-1: this is not a list"),
        (changed('"1MiB"', '"1XiB"'), "experiment 0, group 0: unknown unit 'XiB'"),
        (changed('"1MiB"', "-5"), "experiment 0, group 0: size '-5' is not a number"),
        (changed('"1MiB"', "true"), "experiment 0, group 0: size 'True' is not a number"),
        (group("streams = 1.5"), "experiment 0, group 0: streams=1.5 is not a whole number"),
        (group("streams = true"), "experiment 0, group 0: streams=True is not a whole number"),
        (group("pace = -1"), "experiment 0, group 0: pace=-1 is not a whole number"),
        (group('pages = "3m"'), "experiment 0, group 0: unknown page size '3m'"),
        (group('target = ":0"'), "experiment 0, group 0: target ':0' has no name"),
        (group('source = ":1"'), "experiment 0, group 0: target ':1' has no name"),
        (group('shared = "yes"'), "experiment 0, group 0: shared='yes' is neither true nor false"),
        (group('limit = "soon"'), "experiment 0, group 0: time 'soon' is not a number"),
        (changed('"read"', '"triadd"'), "experiment 0, group 0: unknown kernel 'triadd'; did you mean triad"),
        (
            group('element = "64B"'),
            "0: kernel read does not take element=64B; of the keys that depend on the kernel it takes interleave, pref",
        ),
        (
            changed('"read"', '"noop"') + "count = 1",
            "kernel noop does not take count=1; of the keys that depend on the kernel it takes none",
        ),
        (changed('"read"', '"new"'), "experiment 0, group 0: kernel new is of the task dance, which this version"),
        (group("streams = 0"), "experiment 0, group 0: workload: streams=0 is not a number from 1; try streams=1"),
        (group() + "[[experiment.group]]\n" + GROUP, "experiment 0: CPU 0 is in two groups; shared = true"),
        ("schedule = 1", "schedule is not a table"),
        ("[schedule]\nprecison = 1", "schedule: unknown key 'precison'; did you mean precision"),
        ("[schedule]\nprecision = 0", "schedule: precision=0: a share above 0"),
        ("[schedule]\nprecision = nan", "schedule: precision=nan: a share above 0"),
        ("[schedule]\nprecision = []", "schedule: precision=[]: a share above 0"),
        ('[schedule]\nbudget = "soon"', "schedule: budget=soon: time 'soon' is not a number"),
        ("[schedule]\nblock = -1", "schedule: block=-1: time '-1' is not a number"),
    ],
)
def test_a_mistake_is_reported_with_its_place(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)) as caught:
        read_groups(text, TASKS)
    assert "\n" not in str(caught.value)
    name = any(what in why for what in ("unknown key", "unknown kernel", "page size"))
    assert name == isinstance(caught.value, UnknownNameError)


@given(some.data())
def test_a_file_with_anything_in_it_is_a_plan_or_a_usage_error(data: some.DataObject) -> None:
    lines = GOOD.splitlines()
    for _ in range(data.draw(some.integers(1, 3))):
        line = data.draw(some.integers(0, len(lines) - 1))
        lines[line] = data.draw(some.sampled_from(lines) | some.text(max_size=20))
    with suppress(UsageError):
        assert read_groups("\n".join(lines), TASKS).experiments


def test_each_key_of_a_group_has_one_kind_of_number() -> None:
    """A task that gives bytes to a key which another one counts would take the key away from that one."""
    kinds: dict[str, set[bool]] = {}
    for name in FIELDS:
        kinds.setdefault(key_of(name), set()).add(name.endswith("_bytes"))
    assert [key for key, own in kinds.items() if len(own) > 1] == []
