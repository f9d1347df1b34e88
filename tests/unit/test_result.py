"""Runs on disk: what is written is read again, and every damage ends in one line with the next step."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from made import Maker, Teamwork, one_group
from tierscope import duck
from tierscope.errors import Exit, MachineError, ResultError
from tierscope.files import write_atomically
from tierscope.record import result as results
from tierscope.record import samples
from tierscope.record.experiment import Label
from tierscope.record.result import BLOCK, Blocks, Run, load, load_manifest, read_blocks, write_blocks
from tierscope.units import MiB


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """One record of a triad."""
    maker = Maker(tmp_path / "run")
    maker.add("stream", {"kernel": "triad", "threads": 1}, (one_group("triad", (0,), 64 * MiB),), (Teamwork((1e8,)),))
    return maker.save("stream")


def some_blocks(count: int = 100) -> Blocks:
    rng = np.random.default_rng(1995)
    blocks = np.zeros(count, dtype=BLOCK)
    for name in BLOCK.names or ():
        most = np.iinfo(BLOCK[name]).max
        blocks[name] = rng.integers(0, most, count, dtype=BLOCK[name], endpoint=True)
    return blocks


def said(path: Path, read: Callable[[Path], object] = load) -> str:
    """The one line that a damaged run ends with."""
    with pytest.raises(ResultError) as caught:
        read(path)
    assert caught.value.status is Exit.USAGE
    assert "\n" not in str(caught.value)
    return str(caught.value)


def edit(run: Run, change: Callable[[Any], object], name: str = "result.json") -> None:
    document = json.loads((run.path / name).read_bytes())
    change(document)
    (run.path / name).write_text(json.dumps(document))


def test_a_run_comes_back_as_it_was_saved(run: Run) -> None:
    results.save_result(run.path, run.result)
    assert load(run.path) == run
    assert load(run.path / "result.json") == run


def test_a_manifest_comes_back_as_it_was_saved(run: Run) -> None:
    manifest = load_manifest(run.path)
    results.save_manifest(run.path, manifest)
    assert load_manifest(run.path) == manifest


@pytest.mark.parametrize("count", [0, 1, 5000])
def test_samples_come_back_bit_by_bit(tmp_path: Path, count: int) -> None:
    blocks = some_blocks(count)
    write_blocks(tmp_path / "samples/0000.parquet", blocks)
    again = read_blocks(tmp_path / "samples/0000.parquet")
    assert again.dtype == BLOCK
    assert np.array_equal(again, blocks)


def test_samples_that_were_read_are_read_again_where_the_file_changed(tmp_path: Path) -> None:
    """A reader may change its blocks, and no other reader sees that."""
    path, other = tmp_path / "samples/0000.parquet", some_blocks(30)
    write_blocks(path, some_blocks(20))
    first = read_blocks(path)
    first["cpu"] = 77
    assert np.array_equal(read_blocks(path), some_blocks(20))
    write_blocks(path, other)
    assert np.array_equal(read_blocks(path), other)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ResultError, match="cannot be read"):
        read_blocks(path)


def test_small_samples_are_remembered(tmp_path: Path) -> None:
    samples._remembered.cache_clear()
    for rows, kept in ((10, 1), (100_000, 1), (20, 2)):
        write_blocks(tmp_path / "0000.parquet", some_blocks(rows))
        for _ in range(2):
            assert read_blocks(tmp_path / "0000.parquet").size == rows
        assert samples._remembered.cache_info().currsize == kept
    assert (tmp_path / "0000.parquet").stat().st_size <= samples.KEPT_BYTES


@pytest.mark.parametrize("name", ["a b", "it's", "runs [old]*?", "größe", "~", "semi;colon--"])
def test_any_name_of_a_directory_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    write_blocks(Path(name) / "0000.parquet", some_blocks())
    assert os.listdir(tmp_path / name) == ["0000.parquet"]
    assert np.array_equal(read_blocks(Path(name) / "0000.parquet"), some_blocks())


def test_a_file_is_replaced_as_a_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "result.json"
    write_atomically(path, b"old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_atomically(path, b"new" * 1000)
    assert caught.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["result.json"]


def test_a_write_that_is_interrupted_leaves_no_litter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(tmp_path / "result.json", b"new")
    with pytest.raises(KeyboardInterrupt):
        write_blocks(tmp_path / "0000.parquet", some_blocks())
    assert os.listdir(tmp_path) == []


def test_samples_that_cannot_be_written_are_the_machines_fault(tmp_path: Path) -> None:
    (tmp_path / "0000.parquet").mkdir()
    with pytest.raises(MachineError, match=r"0000.parquet cannot be written: Is a directory; free space there"):
        write_blocks(tmp_path / "0000.parquet", some_blocks())


@pytest.mark.parametrize("read", [load, load_manifest])
def test_a_directory_that_is_not_a_run_is_refused_with_the_file_that_it_lacks(
    tmp_path: Path, read: Callable[[Path], object]
) -> None:
    assert f"{tmp_path} is not a run directory: it has no " in said(tmp_path, read)
    assert f"{tmp_path / 'nowhere'} does not exist" in said(tmp_path / "nowhere", read)
    (tmp_path / "file").write_text("")
    assert "is not a run directory" in said(tmp_path / "file", read)


def test_a_file_that_may_not_be_read_is_reported(run: Run) -> None:
    (run.path / "result.json").unlink()
    (run.path / "result.json").mkdir()
    assert "cannot be read: Is a directory" in said(run.path)


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.999])
def test_a_truncated_result_is_damaged(run: Run, share: float) -> None:
    path = run.path / "result.json"
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    message = said(run.path)
    assert f"{path} is damaged: " in message
    assert message.endswith(f"tierscope rerun {run.path}")


@pytest.mark.parametrize(
    ("place", "value", "why"),
    [
        (("suite",), 7, "Expected `str`, got `int`"),
        (("records",), {}, "Expected `array`"),
        (("records", 0, "clock", "hz"), "fast", "Expected `float`, got `str`"),
        (("records", 0, "clock", "hz"), 0.0, "> 0"),
        (("records", 0, "blocks"), 1.5, "Expected `int`"),
        (("records", 0, "samples"), "../../secret.parquet", "matching regex"),
        (("records", 0, "number"), 3, "record 0 has another number"),
        (("records", 0, "groups"), [], "facts of other groups than were asked for"),
        (("machine", "identity"), None, "Expected `object`, got `null`"),
        (("schema",), "1", "Expected `int`, got `str`"),
        (("schema",), 0, ">= 1"),
        (("schema",), True, "Expected `int`, got `bool`"),
    ],
)
def test_a_wrong_value_is_damaged_and_its_place_is_named(
    run: Run, place: tuple[str | int, ...], value: object, why: str
) -> None:
    def change(document: Any) -> None:
        for step in place[:-1]:
            document = document[step]
        document[place[-1]] = value

    edit(run, change)
    message = said(run.path)
    assert "is damaged" in message
    assert why in message


@pytest.mark.parametrize("key", ["schema", "suite", "machine", "records.clock", "records.experiment"])
def test_a_missing_key_is_named(run: Run, key: str) -> None:
    *above, last = key.split(".")
    edit(run, lambda document: (document["records"][0] if above else document).pop(last))
    assert f"missing required field `{last}`" in said(run.path)


def test_a_key_that_a_later_version_added_is_passed_over(run: Run) -> None:
    edit(run, lambda document: document.update(colour="blue"))
    assert load(run.path) == run


@pytest.mark.parametrize(("read", "name"), [(load, "result.json"), (load_manifest, "manifest.json")])
def test_a_schema_from_the_future_is_reported_as_such(run: Run, read: Callable[[Path], object], name: str) -> None:
    edit(run, lambda document: document.update(schema=99, suite=["all", "is", "other", "then"]), name)
    assert said(run.path, read) == f"{run.path / name} has schema 99, newer than 2: use a newer tierscope"


def test_a_half_written_run_directory_is_reported(run: Run) -> None:
    (run.path / "result.json").unlink()
    assert "it has no result.json" in said(run.path)
    (run.path / "manifest.json").write_bytes(b"")
    assert "is damaged" in said(run.path, load_manifest)


def _truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def _empty(path: Path) -> None:
    path.write_bytes(b"")


def _noise(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[4:-8] = b"\x5a" * (len(content) - 12)
    path.write_bytes(content)


def _other_columns(path: Path) -> None:
    duckdb.sql(f"COPY (SELECT 1 AS apples) TO '{path}' (FORMAT parquet)")


def _words(path: Path) -> None:
    columns = ", ".join(f"'x' AS \"{name}\"" for name in BLOCK.names or ())
    duckdb.sql(f"COPY (SELECT {columns}) TO '{path}' (FORMAT parquet)")


def _nulls(path: Path) -> None:
    columns = ", ".join(f'NULL::UBIGINT AS "{name}"' for name in BLOCK.names or ())
    duckdb.sql(f"COPY (SELECT {columns}) TO '{path}' (FORMAT parquet)")


@pytest.mark.parametrize("harm", [Path.unlink, _truncate, _empty, _noise, _other_columns, _words, _nulls])
def test_damaged_samples_name_the_file_and_the_way_out(run: Run, harm: Callable[[Path], None]) -> None:
    (record,) = run.result.records
    harm(run.path / record.samples)
    message = said(run.path, lambda path: load(path).blocks(record))
    assert message.startswith(f"samples {run.path}/samples/0000.parquet cannot be read: ")
    assert message.endswith(f"tierscope rerun {run.path}")


def test_ctrl_c_within_duckdb_is_still_ctrl_c(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB makes an error of its own of it."""

    class Store:
        def register(self, *_: object) -> None:
            raise duckdb.InvalidInputException("Invalid Input Error: KeyboardInterrupt: ")

        execute = register

    monkeypatch.setattr(duck, "store", Store)
    with pytest.raises(KeyboardInterrupt):
        write_blocks(tmp_path / "0000.parquet", some_blocks(7))  # which no other test packed
    (tmp_path / "0000.parquet").touch()
    with pytest.raises(KeyboardInterrupt):
        read_blocks(tmp_path / "0000.parquet")


def exchanged(run: Run) -> None:
    """The samples of two records take each other's place."""
    first, second = (run.path / record.samples for record in run.result.records)
    first.rename(run.path / "kept")
    second.rename(first)
    (run.path / "kept").rename(second)


@pytest.fixture
def two(tmp_path: Path) -> Run:
    """Two records of one kernel whose samples have as many rows; one is half as fast."""
    maker = Maker(tmp_path / "run")
    for rate in (1e8, 5e7):
        labels: dict[str, Label] = {"kernel": "triad", "threads": 1}
        maker.add("stream", labels, (one_group("triad", (0,), 64 * MiB),), (Teamwork((rate,)),))
    return maker.save("stream")


def test_exchanged_samples_are_refused(two: Run) -> None:
    exchanged(two)
    for record in two.result.records:
        with pytest.raises(ResultError) as caught:
            load(two.path).blocks(record)
        message = str(caught.value)
        assert "are not those that were measured" in message
        assert message.endswith(f"tierscope rerun {two.path}")


def test_samples_with_more_or_fewer_rows_are_refused(two: Run) -> None:
    """Also in a run of a version that stated no sum."""
    record, other = two.result.records
    edit(two, lambda document: document["records"][0].pop("samples_sha256"))
    write_blocks(two.path / record.samples, two.blocks(other)[:-1])
    assert f"have {other.blocks - 1} rows, and the record states {other.blocks}" in said(
        two.path, lambda path: load(path).blocks(load(path).result.records[0])
    )


def test_samples_of_unknown_threads_are_refused(two: Run) -> None:
    record = two.result.records[0]
    edit(two, lambda document: document["records"][0].pop("samples_sha256"))
    for name in ("group", "thread"):
        blocks = two.blocks(two.result.records[1]).copy()
        blocks[name][-1] = 1
        write_blocks(two.path / record.samples, blocks)
        assert "threads that the record has not" in said(
            two.path, lambda path: load(path).blocks(load(path).result.records[0])
        )


def test_a_record_of_a_version_that_stated_no_sum_is_read(two: Run) -> None:
    edit(two, lambda document: document["records"][0].pop("samples_sha256"))
    old = load(two.path)
    assert np.array_equal(old.blocks(old.result.records[0]), two.blocks(two.result.records[0]))


@pytest.mark.parametrize("name", ["run*", "run?", "run[12]"])
def test_a_folder_named_like_a_pattern_reads_no_neighbour(tmp_path: Path, name: str) -> None:
    runs = []
    for folder, rate in ((name, 1e8), ("run1", 5e7)):
        maker = Maker(tmp_path / folder)
        labels: dict[str, Label] = {"kernel": "triad", "threads": 1}
        maker.add("stream", labels, (one_group("triad", (0,), 64 * MiB),), (Teamwork((rate,)),))
        runs.append(maker.save("stream"))
    for run in runs:
        assert run.blocks(run.result.records[0]).size == run.result.records[0].blocks
    (runs[0].path / "samples/0000.parquet").unlink()
    assert "No such file" in said(runs[0].path, lambda path: load(path).blocks(runs[0].result.records[0]))


def test_samples_outside_of_the_run_are_not_read(two: Run, tmp_path: Path) -> None:
    record = two.result.records[0]
    (two.path / "samples").rename(tmp_path / "elsewhere")
    (two.path / "samples").symlink_to(tmp_path / "elsewhere")
    assert "a link leads out of the run" in said(two.path, lambda path: load(path).blocks(record))


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo])
def test_samples_that_are_not_a_file_do_not_block(run: Run, make: Callable[[Path], None]) -> None:
    (record,) = run.result.records
    (run.path / record.samples).unlink()
    make(run.path / record.samples)
    assert "it is not a regular file" in said(run.path, lambda path: load(path).blocks(record))


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda document: document.update(origin="/../../../etc/x"), "origin '/../../../etc/x' is not one of real, "),
        (lambda document: document["records"][0]["groups"][0].update(origin="x/y"), "origin 'x/y' of record 0 is not"),
        (lambda document: document["records"][0].update(samples="samples/0.parquet\n"), "matching regex"),
    ],
)
def test_text_that_becomes_a_file_name_is_checked_when_it_is_loaded(
    two: Run, change: Callable[[Any], object], why: str
) -> None:
    edit(two, change)
    assert why in said(two.path)


def test_a_temporary_name_that_is_taken_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / ".0000.parquet.part").symlink_to(tmp_path / "precious")
    write_blocks(tmp_path / "0000.parquet", some_blocks())
    assert (tmp_path / "precious").read_text() == "precious"
    assert not (tmp_path / "0000.parquet").is_symlink()
