"""The content of a file after a crash, block by block, compared with what its writer promised.

  - good       the last acknowledged write, or a later one that was begun, complete
  - torn       parts of several writes, or a part that is damaged
  - stale      an older write than the last acknowledged one, complete
  - misplaced  a complete block that was written for another offset
  - missing    nothing of an acknowledged write: zeros, or bytes of someone else
  - unwritten  no write was acknowledged, and none is there

A write that was begun and not acknowledged promises nothing: its block may contain each sector of the old or of the new
write, or a damaged one. That is `torn` too, but not a fault. Blind to: an older state whose every sector is the
acknowledged one.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from tierscope.numbered.ledger import Ledger
from tierscope.numbered.sector import SECTOR, Sector, read


class Readable(Protocol):
    """An open file."""

    def seek(self, offset: int, /) -> int: ...
    def read(self, size: int, /) -> bytes: ...


FAULTS = ("torn", "stale", "misplaced", "missing")
KINDS = ("good", *FAULTS, "unwritten")


@dataclass(frozen=True)
class Verdict:
    """The verdict on one block."""

    offset: int
    kind: str
    fault: bool
    detail: str = ""


def judge(file: Readable, ledger: Ledger) -> Iterator[Verdict]:
    """Yield the verdict of each block of the file, by offset. A file that ends early has no bytes there."""
    for offset in range(0, ledger.size_bytes - ledger.block_bytes + 1, ledger.block_bytes):
        file.seek(offset)
        yield judge_block(file.read(ledger.block_bytes), offset, ledger)


def counts(verdicts: list[Verdict]) -> dict[str, int]:
    """Return how many blocks each kind has, all kinds in their order."""
    found = Counter(one.kind for one in verdicts)
    return {kind: found[kind] for kind in KINDS}


def judge_block(found: bytes, offset: int, ledger: Ledger) -> Verdict:
    """Return the verdict of one block. found: its bytes, fewer where the file ends."""
    data = found.ljust(ledger.block_bytes, b"\0")
    sectors = [_own(data[at : at + SECTOR], ledger.run) for at in range(0, len(data), SECTOR)]
    done, begun = ledger.done.get(offset), ledger.begun.get(offset, ())
    if not any(sectors):
        return _nothing(data, offset, done, begun)
    numbers = {sector.number for sector in sectors if sector}
    if None in sectors or len(numbers) > 1 or len(_homes(sectors)) > 1:
        return _torn(sectors, offset, done, begun)
    (number,), (home,) = numbers, _homes(sectors)
    if home != offset:
        return Verdict(offset, "misplaced", True, f"write {number} of offset {home}")
    if done is not None and number < done:
        return Verdict(offset, "stale", True, f"write {number}; write {done} was acknowledged")
    if number != done and number not in begun:
        return Verdict(offset, "misplaced", True, f"write {number}, which the log does not have here")
    return Verdict(offset, "good", False)


def _own(data: bytes, run: int) -> Sector | None:
    sector = read(data)
    return sector if sector is not None and sector.run == run else None


def _homes(sectors: list[Sector | None]) -> set[int]:
    """Return the offsets of the blocks that these sectors were made for."""
    return {sector.offset - at * SECTOR for at, sector in enumerate(sectors) if sector}


def _nothing(data: bytes, offset: int, done: int | None, begun: tuple[int, ...]) -> Verdict:
    zeros = not any(data)
    what = "zeros" if zeros else "bytes that this writer did not write, or that are damaged"
    if done is None:
        kind = "torn" if begun and not zeros else "unwritten"
        return Verdict(offset, kind, False, "" if zeros else what)
    if begun and not zeros:
        return Verdict(offset, "torn", False, f"{what}; write {begun[-1]} was in flight")
    return Verdict(offset, "missing", True, f"{what}; write {done} was acknowledged")


def _torn(sectors: list[Sector | None], offset: int, done: int | None, begun: tuple[int, ...]) -> Verdict:
    """Return the verdict of a mixture: not a fault if each whole sector is of a write that may be there, at home."""
    allowed = {*begun} | ({done} if done is not None else set())
    may = bool(begun) and all(
        sector is None or (sector.number in allowed and sector.offset == offset + at * SECTOR)
        for at, sector in enumerate(sectors)
    )
    under_way = f"; write {begun[-1]} was in flight" if begun else ""
    return Verdict(offset, "torn", not may, f"{_parts(sectors, offset)}{under_way}")


def _parts(sectors: list[Sector | None], offset: int) -> str:
    """Return runs of sectors that agree: 'sectors 0-3: write 7, 4: damaged'."""
    words = [_word(sector, offset + at * SECTOR) for at, sector in enumerate(sectors)]
    starts = [at for at, word in enumerate(words) if not at or word != words[at - 1]]
    ends = [*(at - 1 for at in starts[1:]), len(words) - 1]
    runs = [
        f"{start}-{end}: {words[start]}" if end > start else f"{start}: {words[start]}"
        for start, end in zip(starts, ends, strict=True)
    ]
    return "sectors " + ", ".join(runs)


def _word(sector: Sector | None, home: int) -> str:
    if sector is None:
        return "damaged or foreign"
    return f"write {sector.number}" + ("" if sector.offset == home else f" of offset {sector.offset}")
