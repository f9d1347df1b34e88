"""A history reads heads and stored numbers alone; what is not stored, damaged or changed is read in full."""

import gc
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest

from made import Maker, Teamwork, one_group
from said import say
from tierscope.compare.points import numbers_of, points
from tierscope.errors import Exit, ResultError
from tierscope.record import glance as glances
from tierscope.record import stored as documents
from tierscope.record.glance import Head, glance
from tierscope.record.result import Result, Run, load, save_result
from tierscope.tables import kept, kept_file, measured
from tierscope.units import GiB

DATA = Path(__file__).resolve().parents[1] / "data"


@pytest.fixture
def run(tmp_path: Path) -> Run:
    maker = Maker(tmp_path / "run")
    maker.add("stream", {"kernel": "triad", "threads": 1}, (one_group("triad", (0,), GiB),), (Teamwork((1e8,)),))
    return maker.save("stream")


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_measured", set())


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is read from now on: "records" of a result, "samples" of a record."""
    found: list[str] = []
    blocks = Run.blocks

    def counting(self: Run, record: Any) -> Any:
        found.append("samples")
        return blocks(self, record)

    def loading(path: Path) -> Run:
        found.append("records")
        return load(path)

    monkeypatch.setattr(Run, "blocks", counting)
    monkeypatch.setattr(glances, "load", loading)
    return found


def forget() -> None:
    """Know as little as another process."""
    for known in (measured._known, measured._visited, kept._known):
        known.clear()


def judged(run: Run) -> Any:
    found = points([run])
    forget()
    return found


def test_stored_numbers_need_neither_records_nor_samples(run: Run, read: list[str]) -> None:
    first = judged(run)
    read.clear()
    assert points([glance(run.path)]) == first
    assert read == []


def test_numbers_that_are_not_stored_are_judged_and_then_stored(run: Run, read: list[str]) -> None:
    first = points([glance(run.path)])
    assert read == ["records", "samples"]
    forget()
    assert points([glance(run.path)]) == first
    assert len(read) == 2
    assert kept.stored(load(run.path)).keys() >= {"numbers", "rows of stream"}


def test_the_key_is_the_same_for_a_head_a_whole_run_and_one_that_was_just_measured(run: Run) -> None:
    save_result(run.path, run.result)
    memory = Run(path=run.path, result=msgspec.structs.replace(run.result))
    assert kept.key_of(glance(run.path)) == kept.key_of(load(run.path)) == kept.key_of(memory)


def other_start(path: Path) -> None:
    content = (path / "result.json").read_bytes()
    (path / "result.json").write_bytes(content.replace(b'"started": "20', b'"started": "19', 1))


def other_space(path: Path) -> None:
    content = (path / "result.json").read_bytes()
    (path / "result.json").write_bytes(content + b"\n")


def other_sample(path: Path) -> None:
    (sample,) = (path / "samples").iterdir()
    content, times = sample.read_bytes(), sample.stat().st_mtime_ns
    sample.write_bytes(content[:8] + bytes([content[8] ^ 1]) + content[9:])
    os.utime(sample, ns=(times + 10**12, times + 10**12))


def one_more_sample(path: Path) -> None:
    shutil.copy(path / "samples/0000.parquet", path / "samples/0001.parquet")


@pytest.mark.parametrize("change", [other_start, other_space, other_sample, one_more_sample])
@pytest.mark.parametrize("beside", [True, False])
def test_what_changed_by_one_byte_is_read_in_full(
    run: Run, read: list[str], change: Callable[[Path], None], beside: bool
) -> None:
    if beside:
        kept.measured_here(run.path)
    judged(run)
    change(run.path)
    read.clear()
    assert kept.stored(glance(run.path)) == {}
    with suppress(ResultError):  # of a sample that is not the one that was measured
        numbers_of(glance(run.path))
    assert read[0] == "records"


def test_other_code_reads_in_full(run: Run, read: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = judged(run)
    read.clear()
    monkeypatch.setattr(kept, "code", lambda: "changed")
    assert points([glance(run.path)]) == first
    assert read == ["records", "samples"]


@pytest.mark.parametrize("part", [b"", b"\xc1", b"\xff" * 99, msgspec.msgpack.encode([2, "Number"])])
def test_a_part_that_nobody_packed_is_judged_again(run: Run, read: list[str], part: bytes) -> None:
    """The author of the part knows the key, and states the right digests of all samples."""
    first = judged(run)
    kept_file.write(run.path / kept.NAME, run.path, str(kept.key_of(run)), {"numbers": part})
    read.clear()
    assert points([glance(run.path)]) == first
    assert read == ["records", "samples"]


def edited(path: Path, change: Callable[[Any], object]) -> None:
    document = json.loads((path / "result.json").read_bytes())
    change(document)
    (path / "result.json").write_text(json.dumps(document))


def test_a_run_that_is_not_complete_is_read_in_full(run: Run) -> None:
    edited(run.path, lambda document: document.update(complete=False))
    assert isinstance(glance(run.path), Run)


@pytest.mark.parametrize("name", ["run-schema-1", "runs/policy"])
def test_a_head_of_any_schema_names_the_same_run(name: str) -> None:
    found, whole = glance(DATA / name), load(DATA / name)
    assert isinstance(found, Run) == (json.loads((DATA / name / "result.json").read_bytes())["schema"] == 1)
    for field in Head.__struct_fields__:
        assert getattr(found.result, field) == getattr(whole.result, field)


def test_a_head_has_the_types_of_a_result() -> None:
    whole = get_type_hints(Result)
    assert all(whole[name] == kind for name, kind in get_type_hints(Head).items())


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document.update(origin="/../../etc/x"),
        lambda document: document.update(schema=99),
        lambda document: document.update(schema="2"),
        lambda document: document.pop("started"),
        lambda document: document.update(complete="yes"),
        lambda document: document["machine"].pop("identity"),
        list,
    ],
)
def test_a_damaged_head_ends_as_a_whole_run_does(run: Run, change: Callable[[Any], object]) -> None:
    edited(run.path, change)
    if change is list:
        (run.path / "result.json").write_bytes(b'{"schema": 2, "suite": "\xff')
    with pytest.raises(ResultError) as of_all:
        load(run.path)
    with pytest.raises(ResultError) as of_head:
        glance(run.path)
    assert str(of_head.value) == str(of_all.value)


@pytest.mark.parametrize("make", [os.mkfifo, Path.mkdir, Path.unlink])
def test_a_result_that_is_not_a_file_ends_in_one_line(run: Run, make: Callable[[Path], None]) -> None:
    path = run.path / "result.json"
    path.unlink()
    if make is not Path.unlink:
        make(path)
    with pytest.raises(ResultError, match="cannot be read|has no result"):
        glance(run.path)


def test_damaged_records_are_reported_where_they_are_needed(run: Run) -> None:
    edited(run.path, lambda document: document["records"][0].update(number=7))
    with pytest.raises(ResultError, match="record 0 has another number"):
        numbers_of(glance(run.path))


def test_a_result_that_is_replaced_meanwhile_is_refused(run: Run) -> None:
    before = glance(run.path)
    other_start(run.path)
    with pytest.raises(ResultError, match="was replaced while it was read; try again"):
        numbers_of(before)


def test_a_digest_is_forgotten_with_its_result(run: Run) -> None:
    """Another object may get the place in memory, and must not get the digest."""
    gc.collect()
    known = len(documents._digests)
    one = msgspec.structs.replace(run.result, started="2026-01-01T00:00:00+00:00")
    first = documents.digest_of(one)
    assert documents.digest_of(one) == first
    assert len(documents._digests) == known + 1
    del one
    gc.collect()
    assert len(documents._digests) == known
    assert documents.digest_of(msgspec.structs.replace(run.result)) != first


def test_the_command_reads_heads_alone(
    run: Run, tmp_path: Path, read: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    """Eight runs: what a first history judged, a second one takes, with the same words."""
    for number in range(8):
        shutil.copytree(run.path, tmp_path / f"runs/{number}")
        start = f"2026-01-0{number + 1}T00:00:00+00:00"
        save_result(tmp_path / f"runs/{number}", msgspec.structs.replace(run.result, started=start))
    first = say(capfd, "history", str(tmp_path / "runs"), "--json")
    assert read.count("records") == 8
    forget()
    read.clear()
    assert say(capfd, "history", str(tmp_path / "runs"), "--json") == first
    assert first[0] == Exit.GOOD
    assert read == []
