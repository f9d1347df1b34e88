"""Chains of reads and writes: what their text means, which mistakes are named, and how plans and rows show them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as some

from made_machine import made_machine
from made_work import TASKS
from tierscope.core.plan import group_words
from tierscope.errors import UsageError
from tierscope.record.work.chain import FLUSHES, ChainWork, Step, steps_of
from tierscope.stats.median import Interval
from tierscope.suites.groups.experiments import read_groups
from tierscope.suites.groups.row import GroupsRow
from tierscope.suites.groups.terminal import groups as drawn
from tierscope.units import MiB

CHAIN = "read 2048 a, read 1KiB b, write 64 b flush"
FILE = """
[[experiment]]
[[experiment.group]]
kernel = "chain"
cpus = "0"
footprint = "1MiB"
source = "node:0"
"""


def made(*keys: str) -> ChainWork:
    """Return the work of the one group of a file with these keys."""
    (one,) = read_groups(FILE + "\n".join(keys), TASKS).experiments
    return one.groups[0].workload.of(ChainWork)


def test_a_chain_is_its_steps() -> None:
    assert steps_of(CHAIN) == (
        Step("read", 2048, "a"),
        Step("read", 1024, "b"),
        Step("write", 64, "b", flush="flush"),
    )
    assert steps_of("  write   64\ta flush nt ") == (Step("write", 64, "a", past=True, flush="flush"),)
    assert ", ".join(step.text for step in steps_of(CHAIN)) == "read 2048 a, read 1024 b, write 64 b flush"


SIZES = some.integers(1, 4096).map(lambda lines: 64 * lines)
MEMORIES = some.sampled_from("ab")
steps = some.one_of(
    some.tuples(some.just("read"), SIZES, MEMORIES, some.just(False), some.just("")),
    some.tuples(some.just("write"), SIZES, MEMORIES, some.just(False), some.sampled_from(("", *FLUSHES))),
    some.tuples(some.just("write"), SIZES, MEMORIES, some.just(True), some.sampled_from(("", "flush"))),
).map(lambda fields: Step(*fields))


@given(some.lists(steps, min_size=1, max_size=32))
def test_the_text_of_steps_is_read_as_these_steps(chain: list[Step]) -> None:
    assert list(steps_of(",".join(step.text for step in chain))) == chain


@given(some.text(alphabet="readwint 0123456789,ab flushclopv\t\x00é", max_size=60))
def test_any_text_is_a_chain_or_a_usage_error(text: str) -> None:
    try:
        assert steps_of(text)
    except UsageError as error:
        assert str(error).startswith("chain: ")


@pytest.mark.parametrize(
    ("chain", "why"),
    [
        ("read 64 b, reed 64 a", "chain: step 2 'reed 64 a' begins with 'reed'; try 'read 64 a'"),
        ("read 64 a,", "chain: step 2 '' is empty; try 'read 64 a'"),
        ("write", "chain: step 1 'write' has no bytes; try 'write 64 a'"),
        ("read a 64", "has 'a' where its bytes belong; try 'read 64 a'"),
        ("read 100 a", "has 100 bytes, not a multiple of 64 up to 256KiB; try 64"),
        ("read 512KiB a", "has 512KiB bytes, not a multiple of 64 up to 256KiB; try 64"),
        ("read 64 c", "has 'c' as its memory; a is the target, b the source: try 'read 64 a'"),
        ("read 64", "has no memory; a is the target"),
        ("read 64 a flush", "has 'flush' behind a read, which takes nothing; try 'read 64 a'"),
        ("write 64 a fast", "has 'fast', which is not an option of a write; try nt, flush, or one of clwb"),
        ("write 64 a clwb flush", "has two flushes; try 'write 64 a clwb'"),
        ("write 64 a nt clwb", "flushes what nt leaves in no cache; try 'write 64 a nt flush'"),
        (",".join(["read 64 a"] * 33), "it has 33 steps, more than 32"),
    ],
)
def test_a_mistake_is_named_with_its_step_and_its_place_in_the_file(chain: str, why: str) -> None:
    with pytest.raises(UsageError, match=re.escape(why)):
        steps_of(chain)
    with pytest.raises(UsageError, match=rf"^experiment 0, group 0: chain: .*{re.escape(why[-20:])}"):
        made(f'chain = "{chain}"')


def test_a_run_with_steps_of_a_later_version_is_read() -> None:
    assert ChainWork(chain="read 64 a, swap 64 b").chain == "read 64 a, swap 64 b"


def test_a_file_of_groups_has_chains_and_a_plan_carries_them_encoded() -> None:
    (one,) = read_groups(f'{FILE}chain = "{CHAIN}"\ndraw = "zipf:0.99"\npartition = "shared"', TASKS).experiments
    words = group_words(one.groups[0])
    assert words["chain"] == "read%202048%20a,%20read%201KiB%20b,%20write%2064%20b%20flush"
    assert (words["draw"], words["partition"], words["source"]) == ("zipf:0.99", "shared", "node:0")
    assert one.groups[0].workload.footprint_bytes == MiB
    assert made() == ChainWork()
    assert list(read_groups(FILE, TASKS).plan(made_machine()))


def test_another_kernel_takes_no_chain() -> None:
    with pytest.raises(UsageError, match="kernel chase does not take chain=read 64 a"):
        read_groups(FILE.replace('"chain"', '"chase"') + 'chain = "read 64 a"', TASKS)


def row(chain: str, source: str) -> GroupsRow:
    rate = Interval(9e9, 10e9, 11e9, 100)
    return GroupsRow(
        experiment=0, group=0, label="", role="", kernel="chain" if chain else "copy", chain=chain, threads=1,
        target="node:0", source=source, footprint_bytes=MiB, page_bytes=None, bandwidth=rate,
        source_bandwidth=rate.times(0.25) if source else None, operations_per_s=1e6,
        latency=Interval(9e-7, 1e-6, 1.1e-6, 100) if chain else None, conclusive=True, reasons=(), blocks=100,
        left_out_share=0.0, origin="real",
    )  # fmt: skip


def test_a_line_has_the_steps_the_latency_and_both_bandwidths() -> None:
    _, heads, (chain, copy) = drawn([row(CHAIN, "file:/mnt/x"), row("", "")])
    shown = dict(zip([name for name, _ in heads], chain, strict=True))
    assert shown["kernel"] == f"chain: {CHAIN}"
    assert shown["target"] == "node:0, b on file:/mnt/x"
    assert [shown[key].split()[0] for key in ("bandwidth, GB/s", "latency, ns", "of the source, GB/s")] == [
        "10.00", "1000", "2.50",
    ]  # fmt: skip
    assert copy[1] == "copy"
    assert copy[-1] == "–"


def test_a_column_that_is_empty_in_all_lines_is_left_out() -> None:
    _, heads, lines = drawn([row("read 64 a", "")])
    assert [name for name, _ in heads] == ["group", "kernel", "team", "target", "bandwidth, GB/s", "latency, ns"]
    assert [len(line) for line in lines] == [len(heads)]
    assert "latency, ns" not in [name for name, _ in drawn([row("", "")])[1]]
