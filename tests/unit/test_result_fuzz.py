"""Whatever is in a run directory, the loader returns a run or raises ResultError with one line."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from made import Maker, Teamwork, one_group
from tiers import first
from tierscope.errors import ResultError
from tierscope.record.result import BLOCK, Run, load, load_manifest, read_blocks, save_result, write_blocks
from tierscope.units import MiB

BOUNDED = settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Two groups, one record."""
    maker = Maker(tmp_path_factory.mktemp("fuzz"))
    groups = (one_group("triad", (0,), 64 * MiB), one_group("chase", (1,), 64 * MiB))
    maker.add("groups", {"label": "both"}, groups, (Teamwork((1e8,)), Teamwork((5e6,))), count=20)
    return maker.save()


def loads_or_says_why(path: Path) -> None:
    for read in (load, load_manifest):
        try:
            read(path)
        except ResultError as error:
            assert "\n" not in str(error)


def written(folder: Path, content: bytes) -> Path:
    (folder / "result.json").write_bytes(content)
    (folder / "manifest.json").write_bytes(content)
    return folder


@BOUNDED
@given(some.binary(max_size=200))
def test_random_bytes(tmp_path: Path, content: bytes) -> None:
    loads_or_says_why(written(tmp_path, content))


@BOUNDED
@given(some.data())
def test_bytes_of_a_good_run_changed_here_and_there(tmp_path: Path, run: Run, data: some.DataObject) -> None:
    content = bytearray((run.path / "result.json").read_bytes())
    for _ in range(data.draw(some.integers(1, 8))):
        place = data.draw(some.integers(0, len(content) - 1))
        content[place] = data.draw(some.integers(0, 255))
    loads_or_says_why(written(tmp_path, bytes(content)))


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, entry in inner for place in _places(entry, (*path, key)))]


@BOUNDED
@given(some.data())
def test_a_good_document_with_another_value_somewhere(tmp_path: Path, run: Run, data: some.DataObject) -> None:
    document = json.loads((run.path / "result.json").read_bytes())
    *above, last = data.draw(some.sampled_from(_places(document)[1:]))
    part = document
    for step in above:
        part = part[step]
    part[last] = data.draw(VALUES)
    loads_or_says_why(written(tmp_path, json.dumps(document).encode()))


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100_000,
        b'{"schema":1,"a":' + b"[" * 100_000,
        b'{"schema":1,"a":' * 20_000,
        b'{"schema":1e999}',
        b'{"schema":' + b"9" * 5000 + b"}",
        b'{"schema":1,"suite":"\\ud800"}',
        b'{"schema":1,"suite":"\xff"}',
        b"\xef\xbb\xbf{}",
        b"null",
        b"\x00" * 4096,
    ],
)
def test_known_poison(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ResultError, match="is damaged"):
        load(written(tmp_path, content))


@settings(BOUNDED, max_examples=60)
@given(some.data())
def test_samples_changed_here_and_there(tmp_path: Path, run: Run, data: some.DataObject) -> None:
    """Other numbers may come out of the file alone, since its pages carry no sum; a record carries one."""
    content = bytearray((run.path / run.result.records[0].samples).read_bytes())
    for _ in range(data.draw(some.integers(1, 8))):
        content[data.draw(some.integers(0, len(content) - 1))] = data.draw(some.integers(0, 255))
    path = tmp_path / "samples/0000.parquet"
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content[: data.draw(some.integers(0, len(content)))])
    try:
        read_blocks(path)
    except ResultError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("field", BLOCK.names or ())
@pytest.mark.parametrize("rows", first(1, [slice(-1, None), slice(None)]))
def test_no_number_of_a_block_is_the_length_of_an_array(tmp_path: Path, field: str, rows: slice) -> None:
    """The largest number of a field, in a process that may have 4 GiB more than it has: an array of 2^32 has 32."""
    maker = Maker(tmp_path)
    maker.add("stream", {"kernel": "read", "threads": 1}, (one_group("read", (0,), 64 * MiB),), (Teamwork((2e8,)),))
    run = maker.save()
    blocks = run.blocks(run.result.records[0])
    # a sum would find the change first; records of older versions have none
    unsummed = tuple(
        msgspec.structs.replace(one, samples_sha256="") for one in run.result.records
    )  # an older version's
    save_result(tmp_path, msgspec.structs.replace(run.result, records=unsummed))
    blocks[field][rows] = np.iinfo(BLOCK[field]).max
    if field == "thread":
        blocks["group"][rows] = np.iinfo(BLOCK["group"]).max
    write_blocks(tmp_path / run.result.records[0].samples, blocks)
    code = ("import resource as r, pathlib, sys; from tierscope.record.result import load; "
            "from tierscope.errors import ResultError\n"
            "from tierscope.report.content import gather\n"
            "r.setrlimit(r.RLIMIT_CPU, (60, 60)); r.setrlimit(r.RLIMIT_DATA, (4 << 30, 4 << 30))\n"
            "try: gather(load(pathlib.Path(sys.argv[1])))\n"
            "except ResultError as error: print(error)")  # fmt: skip
    done = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-1000:]
    assert ("name threads that the record has not" in done.stdout) == (field in ("thread", "group"))
    assert ("2^63 at most" in done.stdout) == (field in ("start_ticks", "stop_ticks"))
