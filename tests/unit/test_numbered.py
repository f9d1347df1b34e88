"""Blocks with the number of the write that made them, and their state in a file after a crash."""

from io import BytesIO
from pathlib import Path

import pytest

from tierscope.errors import UsageError
from tierscope.numbered.filled import faults, fill
from tierscope.numbered.ledger import Ledger, first_line, read_ledger
from tierscope.numbered.sector import SECTOR, Sector, block, read
from tierscope.numbered.verdict import Verdict, counts, judge, judge_block
from tierscope.numbered.writer import orders, write

RUN, SIZE = 77, 4096


def one(number: int, offset: int = SIZE) -> bytes:
    return block(RUN, number, offset, SIZE)


def ledger(done: int | None = 5, *begun: int, at: int = SIZE) -> Ledger:
    return Ledger(RUN, SIZE, 4 * SIZE, {at: done} if done is not None else {}, {at: begun})


def verdict(found: bytes, of: Ledger) -> tuple[str, bool]:
    judged = judge_block(found, SIZE, of)
    return judged.kind, judged.fault


def test_a_sector_states_which_write_made_it() -> None:
    data = one(9)
    assert len(data) == SIZE
    assert read(data[:SECTOR]) == Sector(RUN, 9, SIZE)
    assert read(data[SECTOR : 2 * SECTOR]) == Sector(RUN, 9, SIZE + SECTOR)
    assert len({data[at + 40 : at + SECTOR] for at in range(0, SIZE, SECTOR)}) == SIZE // SECTOR  # no two alike


@pytest.mark.parametrize("at", [0, 8, 16, 24, 32, 39, 40, 300, 511])
def test_any_byte_that_differs_is_noticed(at: int) -> None:
    data = bytearray(one(9)[:SECTOR])
    data[at] ^= 1
    assert read(bytes(data)) is None


def test_the_last_acknowledged_write_is_good_and_so_is_a_later_one_in_flight() -> None:
    assert verdict(one(5), ledger(5)) == ("good", False)
    assert verdict(one(8), ledger(5, 8)) == ("good", False)
    assert verdict(one(5), ledger(5, 8)) == ("good", False)


def test_an_older_write_is_stale() -> None:
    assert verdict(one(3), ledger(5)) == ("stale", True)
    assert verdict(one(3), ledger(5, 8)) == ("stale", True)
    assert judge_block(one(3), SIZE, ledger(5)).detail == "write 3; write 5 was acknowledged"


def test_a_block_of_another_place_is_misplaced() -> None:
    assert verdict(one(5, 2 * SIZE), ledger(5)) == ("misplaced", True)
    assert judge_block(one(6, 2 * SIZE), SIZE, ledger(5)).detail == f"write 6 of offset {2 * SIZE}"
    assert verdict(one(9), ledger(5)) == ("misplaced", True)  # its own offset, but no write 9 was begun here


def test_nothing_of_an_acknowledged_write_is_missing() -> None:
    assert verdict(bytes(SIZE), ledger(5)) == ("missing", True)
    assert verdict(b"", ledger(5)) == ("missing", True)  # the file ends before
    assert verdict(block(78, 5, SIZE, SIZE), ledger(5)) == ("missing", True)  # of another run
    assert verdict(bytes(SIZE), ledger(None)) == ("unwritten", False)
    assert verdict(bytes(SIZE), ledger(None, 5)) == ("unwritten", False)


def test_a_mixture_is_torn_and_a_fault_unless_a_write_was_in_flight() -> None:
    mixed = one(8)[: 3 * SECTOR] + one(5)[3 * SECTOR :]
    assert verdict(mixed, ledger(5)) == ("torn", True)
    assert verdict(mixed, ledger(8)) == ("torn", True)
    assert verdict(mixed, ledger(5, 8)) == ("torn", False)
    assert verdict(mixed, ledger(None, 5, 8)) == ("torn", False)
    assert judge_block(mixed, SIZE, ledger(8)).detail == "sectors 0-2: write 8, 3-7: write 5"


def test_a_mixture_with_what_no_open_write_explains_is_a_fault() -> None:
    older = one(8)[: 3 * SECTOR] + one(3)[3 * SECTOR :]
    assert verdict(older, ledger(5, 8)) == ("torn", True)
    moved = one(8)[: 3 * SECTOR] + one(5, 2 * SIZE)[3 * SECTOR :]
    assert verdict(moved, ledger(5, 8)) == ("torn", True)


def test_a_damaged_sector_is_torn() -> None:
    data = bytearray(one(5))
    data[4 * SECTOR + 100] ^= 1
    assert verdict(bytes(data), ledger(5)) == ("torn", True)
    assert "4: damaged or foreign" in judge_block(bytes(data), SIZE, ledger(5)).detail
    assert verdict(bytes(data), ledger(5, 8)) == ("torn", False)


def test_a_log_contains_what_was_acknowledged_and_what_was_in_flight() -> None:
    text = first_line(RUN, SIZE, 4 * SIZE) + "begin 1 0\ndone 1 0\nbegin 2 4096\ndone 2 4096\nbegin 3 0\nbegin 4 40"
    found = read_ledger(text)
    assert (found.run, found.done) == (RUN, {0: 1, 4096: 2})
    assert found.begun == {0: (3,), 4096: ()}  # the last line was cut short


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the log begins with ''"),
        ("hello\n", "the log begins with 'hello'"),
        ("blocks run=1 block=0 size=4\n", "block=0"),
        ("blocks run=1 block=512 size=1024\nbegin x\n", "line 2 of the log is 'begin x'"),
        ("blocks run=1 block=512 size=1024\nbegin 1 100\n", "line 2 of the log names offset 100"),
        ("blocks run=1 block=512 size=1024\ndone 1 1024\n", "line 2 of the log names offset 1024"),
    ],
)
def test_a_log_of_someone_else_is_refused(text: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        read_ledger(text)


def test_each_block_is_written_once_in_a_pass() -> None:
    order = list(orders(10, 3, 1))
    assert [sorted(order[at : at + 10]) for at in (0, 10, 20)] == [list(range(10))] * 3
    assert order[:10] != list(range(10))


@pytest.mark.parametrize("way", ["write", "map"])
def test_written_blocks_are_found_and_planted_faults_are_named_by_offset(tmp_path: Path, way: str) -> None:
    lines: list[str] = []
    path = tmp_path / "blocks"
    write(path, 16 * SIZE, SIZE, 2, 1, way, lines.append)
    ledger = read_ledger("".join(lines))
    data = bytearray(path.read_bytes())
    assert counts(list(judge(BytesIO(data), ledger)))["good"] == 16
    first = {int(line.split()[2]): int(line.split()[1]) for line in lines[1:33] if line.startswith("done")}
    data[3 * SIZE : 4 * SIZE] = block(ledger.run, first[3 * SIZE], 3 * SIZE, SIZE)  # a lost write: the first pass
    data[5 * SIZE : 6 * SIZE] = bytes(SIZE)
    data[7 * SIZE : 8 * SIZE] = data[8 * SIZE : 9 * SIZE]
    data[9 * SIZE : 9 * SIZE + SECTOR] = block(ledger.run, first[9 * SIZE], 9 * SIZE, SIZE)[:SECTOR]
    faults = [one for one in judge(BytesIO(data), ledger) if one.fault]
    assert [(one.offset // SIZE, one.kind) for one in faults] == [
        (3, "stale"),
        (5, "missing"),
        (7, "misplaced"),
        (9, "torn"),
    ]
    assert all(isinstance(one, Verdict) and one.detail for one in faults)


def test_a_block_is_whole_sectors(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="whole sectors of 512 bytes"):
        write(tmp_path / "blocks", 4096, 100, 1, 1, "write", str)


@pytest.mark.parametrize("direct", [True, False])
def test_a_filled_file_is_read_back_and_a_changed_sector_is_found(tmp_path: Path, direct: bool) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(8 * SIZE))
    made = fill(path, 8 * SIZE, SIZE, RUN)
    try:
        assert faults(path, made, direct=direct) == []
    except OSError:
        pytest.skip("this file system takes no direct I/O")
    with path.open("r+b") as file:
        file.seek(6 * SIZE + 3 * SECTOR)
        file.write(b"x")
    (found,) = faults(path, made, direct=direct)
    assert (found.offset, found.kind) == (6 * SIZE, "torn")
