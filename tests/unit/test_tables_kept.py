"""A judgement is stored and used where it fits; whatever does not fit is judged again, and never an error."""

import math
import os
import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

import stored as runs
from made import Maker, Teamwork, one_group
from tierscope.audit.own import experiments
from tierscope.compare.points import numbers_of
from tierscope.record.experiment import Schedule
from tierscope.record.result import Run, load, save_result
from tierscope.tables import faithful, kept, measured, tables
from tierscope.units import GiB


@pytest.fixture
def run(tmp_path: Path) -> Run:
    maker = Maker(tmp_path / "run")
    maker.add("stream", {"kernel": "triad", "threads": 1}, (one_group("triad", (0,), GiB),), (Teamwork((1e8,)),))
    return maker.save("stream")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "_measured", set())
    return tmp_path / "cache/tierscope/judged"


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return the paths of the samples that are judged from now on."""
    read: list[Path] = []

    def counting(self: Run, record: Any) -> Any:
        read.append(self.path / record.samples)
        return original(self, record)

    original = Run.blocks
    monkeypatch.setattr(Run, "blocks", counting)
    return read


def forget(run: Run) -> Run:
    """Return the run as another process loads it."""
    for known in (measured._known, measured._visited, kept._known):
        known.clear()
    return load(run.path)


def judge(run: Run) -> list[Any]:
    rows = tables["stream"].rows(run)
    kept.keep(run)
    return rows


def test_a_run_is_judged_once(run: Run, judged: list[Path], folder: Path) -> None:
    first = judge(run)
    assert len(judged) == 1
    again = forget(run)
    assert judge(again) == first
    assert len(judged) == 1
    assert len(list(folder.iterdir())) == 1


def test_a_command_that_reads_writes_nothing_into_the_run(run: Run) -> None:
    before = sorted(run.path.rglob("*"))
    judge(run)
    assert sorted(run.path.rglob("*")) == before


def test_a_command_that_measured_writes_next_to_the_samples(run: Run, judged: list[Path], folder: Path) -> None:
    kept.measured_here(run.path)
    first = judge(run)
    assert (run.path / kept.NAME).is_file()
    assert not folder.exists()
    assert judge(forget(run)) == first
    assert len(judged) == 1


def test_a_copy_brings_its_judgement_along(
    run: Run, judged: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy has other times, and the same content."""
    kept.measured_here(run.path)
    judge(run)
    shutil.copytree(run.path, tmp_path / "copy", copy_function=shutil.copyfile)
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    copy = forget(Run(path=tmp_path / "copy", result=run.result))
    assert (copy.path / "samples/0000.parquet").stat().st_mtime_ns != (
        run.path / "samples/0000.parquet"
    ).stat().st_mtime_ns
    assert judge(copy)
    assert len(judged) == 1


def restarted(run: Run) -> None:
    save_result(run.path, msgspec.structs.replace(run.result, started="2026-01-01T00:00:00+00:00"))


def asked_otherwise(run: Run) -> None:
    (record,) = run.result.records
    experiment = msgspec.structs.replace(record.experiment, schedule=Schedule(precision=1e-9))
    records = (msgspec.structs.replace(record, experiment=experiment),)
    save_result(run.path, msgspec.structs.replace(run.result, records=records))


def one_more_file(run: Run) -> None:
    (run.path / "samples/0001.parquet").write_bytes(b"")


@pytest.mark.parametrize("change", [restarted, asked_otherwise, one_more_file])
@pytest.mark.parametrize("beside", [True, False])
def test_changed_records_are_judged_again(
    run: Run, judged: list[Path], change: Callable[[Run], None], beside: bool
) -> None:
    if beside:
        kept.measured_here(run.path)
    judge(run)
    change(run)
    rows = judge(forget(run))
    assert len(judged) == 2
    assert all(row.conclusive != (change is asked_otherwise) for row in rows)


def test_samples_that_were_changed_are_read_again(run: Run, judged: list[Path]) -> None:
    """One byte more, which the reader of samples need not notice."""
    kept.measured_here(run.path)
    judge(run)
    sample = run.path / "samples/0000.parquet"
    content, times = sample.read_bytes(), sample.stat().st_mtime_ns
    sample.write_bytes(content[:8] + bytes([content[8] ^ 1]) + content[9:])
    os.utime(sample, ns=(times + 10**9, times + 10**9))
    assert kept.stored(forget(run)) == {}


def test_other_code_judges_again(run: Run, judged: list[Path], monkeypatch: pytest.MonkeyPatch) -> None:
    judge(run)
    monkeypatch.setattr(kept, "code", lambda: "changed")
    judge(forget(run))
    assert len(judged) == 2


def flipped(content: bytes) -> bytes:
    return content[:-3] + bytes([content[-3] ^ 1]) + content[-2:]


@pytest.mark.parametrize("damage", [lambda c: b"", lambda c: c[:40], lambda c: c[:-1], flipped, lambda c: b"\xff" * 99])
def test_a_damaged_file_is_replaced(
    run: Run, judged: list[Path], folder: Path, damage: Callable[[bytes], bytes]
) -> None:
    first = judge(run)
    (file,) = folder.iterdir()
    sound = file.read_bytes()
    file.write_bytes(damage(sound))
    assert judge(forget(run)) == first
    assert len(judged) == 2
    assert file.read_bytes() == sound
    assert judge(forget(run)) == first
    assert len(judged) == 2


def test_a_folder_that_cannot_be_written_is_not_an_error(
    run: Run, judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", os.devnull)
    first = judge(run)
    assert judge(forget(run)) == first
    assert len(judged) == 2


def test_something_else_in_the_place_of_the_file_is_not_an_error(run: Run, judged: list[Path]) -> None:
    kept.measured_here(run.path)
    (run.path / kept.NAME).mkdir()
    first = judge(run)
    assert judge(forget(run)) == first
    assert len(judged) == 2


def test_judging_again_reads_the_samples_and_stores_nothing(run: Run, judged: list[Path], folder: Path) -> None:
    judge(run)
    (file,) = folder.iterdir()
    before = file.stat()
    again = forget(run)
    with kept.anew():
        judge(again)
    assert len(judged) == 2
    assert file.stat() == before


def test_a_continued_run_is_judged_unchanged(run: Run, judged: list[Path], folder: Path) -> None:
    running = Run(path=run.path, result=msgspec.structs.replace(run.result, complete=False))
    judge(running)
    assert not folder.exists()


def test_the_oldest_half_makes_space(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_FILES", 4)
    folder.mkdir(parents=True)
    for age in range(4):
        (folder / f"{age}.msgpack").touch()
        os.utime(folder / f"{age}.msgpack", ns=(age, age))
    judge(run)
    left = {file.name for file in folder.iterdir()}
    assert {"2.msgpack", "3.msgpack"} < left
    assert len(left) == 3


@pytest.mark.parametrize("name", runs.RUNS)
def test_stored_judgements_equal_those_of_the_samples_bit_for_bit(name: str) -> None:
    """Rows of every table, main numbers and what the audit reads, of a run of each suite: types, too."""
    run = runs.stored(name)
    with kept.anew():
        anew = everything(run)
    reader = forget(run)
    first = everything(reader)
    kept.keep(reader)
    parts = kept.stored(reader)
    assert {f"rows of {table}" for table in tables} | {"numbers", "experiments"} == parts.keys()
    read_back = everything(forget(run))
    assert same(anew, first)
    assert same(anew, read_back)
    assert not any(known.made for known in kept._known.values())


def everything(run: Run) -> list[Any]:
    return [*([name, tables[name].rows(run)] for name in tables), numbers_of(run), experiments(run)]


def same(one: Any, other: Any) -> bool:
    """Whether two values have the same types and bits, down to every number."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    names = faithful.names_of(type(one)) if type(one) not in faithful.PLAIN else ()
    return all(same(getattr(one, name), getattr(other, name)) for name in names) if names else bool(one == other)


@pytest.mark.parametrize(("one", "other"), [(2, 2.0), (0.0, -0.0), (True, 1), ((1,), [1]), ({"a": 1}, {"a": 1.0})])
def test_values_of_other_types_or_bits_are_not_the_same(one: Any, other: Any) -> None:
    assert not same(one, other)


@pytest.mark.parametrize(
    "value", [2, 2.0, -0.0, math.nan, -math.inf, True, None, "", (), [], {}, (1, [2.0, (None,)], {"a": (0,)}), 2**63]
)
def test_plain_values_come_back_bit_for_bit(value: Any) -> None:
    assert same(faithful.unpacked(faithful.packed(value, ()), ()), value)


@pytest.mark.parametrize("value", [np.float64(2), np.int64(2), np.bool_(True), 2**64, {1: 2}, {2}, object(), "\ud800"])
def test_a_value_without_a_faithful_form_is_not_stored(run: Run, value: Any) -> None:
    assert kept.recall(run, "part", (), lambda _: [value])[0] is value
    kept.keep(run)
    assert "part" not in kept.stored(run)


def test_rows_that_another_function_makes_are_not_those_that_are_stored(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a test plants a fault, or a user who extends a table."""
    kept.measured_here(run.path)
    judge(run)
    kind = type(tables["stream"]._table)
    plain = kind.rows
    monkeypatch.setattr(kind, "rows", lambda self, run: plain(self, run) * 2)
    assert len(judge(forget(run))) == 2


def test_a_file_of_judgements_depends_on_no_time(run: Run) -> None:
    kept.measured_here(run.path)
    judge(run)
    first = (run.path / kept.NAME).read_bytes()
    (run.path / kept.NAME).unlink()
    os.utime(run.path / "samples/0000.parquet", ns=(1, 1))
    judge(forget(run))
    assert (run.path / kept.NAME).read_bytes() == first
