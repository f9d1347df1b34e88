"""`run maps` on the real core: rows of every structure, nothing left behind, and every refusal with its status.

Speeds are not asserted; a busy machine may make any point inconclusive, so a run that is done ends with 0 or 4.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from shell import Shell
from tierscope import core
from tierscope.record.catalogue import Catalogue
from tierscope.record.result import load
from tierscope.tables import tables

pytestmark = pytest.mark.slow

DONE = (0, 4)
SHORT = ("count=300", "budget=0.1", "visits=0", "--json", "-", "--quiet")


@pytest.fixture(scope="module")
def build() -> Catalogue:
    return core.catalogue()


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


@pytest.fixture
def place(build: Catalogue, fresh_place: Path) -> Path:
    """A folder in memory where there is such, for pools; skipped where the build has none."""
    if "pool" not in build.structures_here().values():
        pytest.skip("no libpmemobj in this build: sudo apt-get install -y libpmemobj-dev, then ./tierscope")
    return fresh_place


def made_pool(place: Path, layout: str = "tierscope-hashmap_tx", size: str = "64M") -> Path:
    tool = shutil.which("pmempool") or pytest.skip("no pmempool: sudo apt-get install -y pmdk-tools")
    path = place / "own.pool"
    subprocess.run([tool, "create", "obj", f"--layout={layout}", f"--size={size}", path], check=True)
    return path


def test_every_volatile_structure_has_its_rows_and_its_pages_are_looked_up(shell: Shell, build: Catalogue) -> None:
    status, out, error = shell("run", "maps", "operations=insert", *SHORT, "--out", "run")
    assert status in DONE, error
    rows = [row for row in json.loads(out)["rows"] if row["table"] == "maps"]
    names = [name for name, takes in build.structures_here().items() if takes == "node"]
    assert [row["structure"] for row in rows] == names
    for row in rows:
        assert {column.name for column in tables["maps"].columns} <= row.keys()
        assert 0 < row["latency_min_s"] <= row["latency_p50_s"] <= row["latency_max_s"]
        assert row["ops_per_s"] > 0
    for record in load(shell.folder / "run").result.records:
        assert record.largest_relative_error == 0
        assert record.groups[0].operation == "key"
        assert sum(one.operations for one in record.timings[0]) == sum(one.rounds for one in record.timings[0]) * 300


def test_every_structure_in_a_pool_has_its_row_and_leaves_no_file(shell: Shell, place: Path, build: Catalogue) -> None:
    words = ("operations=mixed", f"target=pool:{place}/x")
    status, out, error = shell("run", "maps", *words, *SHORT, "--out", "run")
    assert status in DONE, error
    rows = json.loads(out)["rows"]
    names = [name for name, takes in build.structures_here().items() if takes == "pool"]
    assert [row["structure"] for row in rows] == names
    assert list(place.iterdir()) == []


def test_a_pool_that_is_there_is_used_and_left_empty(shell: Shell, place: Path) -> None:
    pool = made_pool(place)
    words = ("structures=hashmap_tx", "operations=insert,get", f"target=pool:{pool},open")
    status, out, error = shell("run", "maps", *words, *SHORT, "--out", "run")
    assert status in DONE, error
    assert [row["done_share"] for row in json.loads(out)["rows"]] == [1, 1]
    plan = f"group kernel=hashmap_tx target=pool:{pool},open count=300 operation=insert cpus=0\nprepare\n"
    done = subprocess.run([core.find_pool_core(), "run"], input=plan, capture_output=True, text=True, check=True)
    assert "prepared" in done.stdout


@pytest.mark.parametrize(
    ("words", "layout", "why"),
    [
        (("count=1000000",), "tierscope-hashmap_tx", "is too small for 1000000 keys"),
        ((), "other", "it takes a pool of layout tierscope-hashmap_tx"),
    ],
)
def test_a_pool_that_does_not_do_is_refused_with_what_would(
    shell: Shell, place: Path, words: tuple[str, ...], layout: str, why: str
) -> None:
    pool = made_pool(place, layout)
    asked = {"count": "count=300"} | {word.split("=")[0]: word for word in words}
    status, _, error = shell("run", "maps", "structures=hashmap_tx", f"target=pool:{pool},open", *asked.values())
    assert status == 3
    assert why in error


def test_a_file_that_is_in_the_way_of_a_new_pool_is_left_as_it_was(shell: Shell, place: Path) -> None:
    (place / "x").write_text("mine")
    status, _, error = shell("run", "maps", f"target=pool:{place}/x", "count=300")
    assert status == 3
    assert "name a file that does not exist yet" in error
    assert (place / "x").read_text() == "mine"


def test_a_pool_in_use_is_refused(shell: Shell, place: Path) -> None:
    pool = made_pool(place)
    plan = f"group kernel=hashmap_tx target=pool:{pool},open count=300 cpus=0\nprepare\n"
    with subprocess.Popen(
        [core.find_pool_core(), "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        holder.stdin.write(plan)
        holder.stdin.flush()
        assert "hello" in holder.stdout.readline()
        assert "prepared" in holder.stdout.readline()
        status, _, error = shell("run", "maps", "structures=hashmap_tx", f"target=pool:{pool},open", "count=300")
        holder.kill()
    assert status == 3
    assert "it is in use" in error


def test_a_pool_with_keys_is_not_touched(shell: Shell, place: Path) -> None:
    """A core that is killed in the middle leaves its keys."""
    pool = made_pool(place)
    plan = f"group kernel=hashmap_tx target=pool:{pool},open count=300 cpus=0\nprepare\n"
    with subprocess.Popen(
        [core.find_pool_core(), "run"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        holder.stdin.write(plan)
        holder.stdin.flush()
        holder.stdout.readline()
        assert "prepared" in holder.stdout.readline()
        holder.kill()
    status, _, error = shell("run", "maps", "structures=hashmap_tx", f"target=pool:{pool},open", "count=300")
    assert status == 3
    assert "contains 300 keys, which are kept" in error


def test_a_build_without_libpmemobj_states_what_brings_its_structures(shell: Shell, tmp_path: Path) -> None:
    alone = tmp_path / "tierscope-core"
    shutil.copy(core.find_core(), alone)
    shell.environment["TIERSCOPE_CORE"] = str(alone)
    status, _, error = shell("run", "maps", "structures=hashmap_tx", f"target=pool:{tmp_path}/x")
    assert status == 3
    assert "libpmemobj-dev" in error
