"""Suites on a pool of libpmemobj, as a user runs them: points are kept, and no pool stays behind.

Apart from test_core_pool.py, which every build of the core runs: these minutes are of suites, not of the core.
"""

import os
import tempfile
from pathlib import Path

import pytest

from shell import Shell, records
from tierscope import core
from tierscope.errors import MachineError
from tierscope.record.result import load

pytestmark = pytest.mark.slow

SUITES = [
    "stream kernels=triad threads=1 array=4MiB budget=0.1 visits=0",
    "latency from=64KiB to=64KiB pages=4k budget=0.1 visits=0",
    "loaded-latency mixes=read delays=0 array=4MiB budget=0.1 visits=0",
]


@pytest.fixture(autouse=True, scope="module")
def linked() -> None:
    try:
        core.find_pool_core()
    except MachineError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("words", SUITES, ids=lambda words: words.split()[0])
def test_suites_run_on_a_pool(tmp_path: Path, words: str) -> None:
    shell = Shell(tmp_path)
    status, _, err = shell("run", *words.split(), f"target=pool:{tmp_path}/x", "--out", "run")
    assert status in (0, 4), err
    assert records(tmp_path / "run") > 0
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("parent", [None, "/dev/shm"])
def test_msync_is_measured_by_itself_where_the_pool_persists_by_it(tmp_path: Path, parent: str | None) -> None:
    words = ("chunks=4KiB", "footprint=1MiB", "total=1MiB", "budget=0.05", "precision=0.5", "visits=0")
    with tempfile.TemporaryDirectory(dir=parent) as place:
        status, _, err = Shell(tmp_path)("run", "flush", f"target=pool:{place}/x", *words, "--out", "run")
        assert os.listdir(place) == []
    assert status in (0, 4), err
    *_, last = load(tmp_path / "run").result.records
    domains = {group.persistence for group in last.groups}
    assert domains in ({"msync"}, {"none"})
    assert ("flush_msync" in {group.kernel for group in last.groups}) == (domains == {"msync"})
