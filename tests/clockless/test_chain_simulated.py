"""Chains on simulated memories of known latencies, and the text of a chain as Python and the core read it."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from border import Talk
from tierscope.cli.main import main
from tierscope.core.plan import SAFE
from tierscope.errors import UsageError
from tierscope.record.result import load
from tierscope.record.work.chain import steps_of
from tierscope.suites.groups.row import GroupsRow
from tierscope.tables import tables

TWO = (
    "sim:flat,default=flat,memory.flat.read=100ns,memory.flat.write=150ns,memory.far.kind=flat,memory.far.size=1GiB,"
    "memory.far.read=300ns,memory.far.write=500ns,memory.far.bandwidth=50GB/s,memory.far.slots=32"
)
FILE = f"""
[schedule]
budget = "200ms"
minimum = "20ms"
visits = 0
[[experiment]]
label = "{{draw}}"
[experiment.matrix]
draw = ["uniform", "zipf:0.99"]
[[experiment.group]]
kernel = "chain"
chain = "read 64 a, read 64 b, write 64 b nt flush"
draw = "{{draw}}"
target = "{TWO}"
source = "{TWO},memory=far"
cpus = "0"
footprint = "64MiB"
"""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[GroupsRow]:
    folder = tmp_path_factory.mktemp("chain")
    (folder / "own.toml").write_text(FILE)
    assert main(["run", str(folder / "own.toml"), "--out", str(folder / "run"), "--quiet"]) == 0
    found: list[GroupsRow] = tables["groups"].rows(load(folder / "run"))
    return found


def test_a_chain_costs_the_sum_of_the_latencies_of_both_tiers(rows: list[GroupsRow]) -> None:
    assert [row.label for row in rows] == ["uniform", "zipf:0.99"]
    for row in rows:  # a flat memory has no cache: hot places cost the same
        assert row.latency
        assert row.latency.middle == pytest.approx(100e-9 + 300e-9 + 500e-9, rel=0.01)


def test_a_row_has_the_steps_and_the_bytes_on_each_tier(rows: list[GroupsRow]) -> None:
    for row in rows:
        assert row.chain == "read 64 a, read 64 b, write 64 b nt flush"
        assert (row.operation_bytes, row.source_bytes) == (192, 128)
        assert row.source.endswith("memory=far")
        assert row.bandwidth
        assert row.source_bandwidth
        assert row.source_bandwidth.middle == pytest.approx(row.bandwidth.middle * 2 / 3)
        assert row.bandwidth.middle == pytest.approx(192 / 900e-9, rel=0.01)


@pytest.fixture(scope="module")
def core() -> Iterator[Talk]:
    with Talk() as talk:
        talk.prepare("kernel=chain target=sim:flat cpus=0 footprint=64MiB")
        yield talk


PIECES = (
    "read", "write", "a", "b", "64", "128", "2KiB", "100", "0", "1MiB", "64XB", "1.5KiB", "nt", "flush", "clwb",
    "clflush", "cvap", ",", ",", "c", "reed", "x",
)  # fmt: skip
TEXTS = some.one_of(
    some.lists(some.sampled_from(PIECES), min_size=1, max_size=14).map(" ".join),
    some.text(alphabet="read writ0246ab,flushnt%#=\té", min_size=1, max_size=30),
)


def python_says(text: str) -> str:
    try:
        steps_of(text)
    except UsageError as error:
        return str(error)
    return ""


@settings(max_examples=300, deadline=None)
@given(text=TEXTS)
def test_python_and_the_core_read_the_same_chains_and_refuse_others_in_the_same_words(core: Talk, text: str) -> None:
    fact = core.say(f"set group=0 chain={quote(text, safe=SAFE)}")
    said = fact.get("message", "")
    uses_a = "no step uses a" in said  # the core alone knows the memories of the group
    assert ("" if uses_a else said) == python_says(text), text


def test_a_wrong_step_ends_the_command_before_a_run_begins(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(FILE.replace("read 64 b,", "reed 64 b,"))
    assert main(["run", str(path), "--out", str(tmp_path / "run"), "--quiet"]) == 2
    assert not (tmp_path / "run").exists()
