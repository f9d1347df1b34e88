"""The promises of a writer: the writes that it began, and those that the storage acknowledged.

One line for each, in the order of time; a line that a crash cut short is left out:

    blocks run=RUN block=BYTES size=BYTES
    begin NUMBER OFFSET
    done NUMBER OFFSET
"""

import re
from dataclasses import dataclass, field

from tierscope.errors import UsageError

FIRST = re.compile(r"blocks run=(\d{1,20}) block=(\d{1,18}) size=(\d{1,18})")
LINE = re.compile(r"(begin|done) (\d{1,20}) (\d{1,20})")


@dataclass(frozen=True)
class Ledger:
    """The ledger of one writer: offset -> number of the last acknowledged write there, and those begun after it."""

    run: int
    block_bytes: int
    size_bytes: int
    done: dict[int, int] = field(default_factory=dict)
    begun: dict[int, tuple[int, ...]] = field(default_factory=dict)


def first_line(run: int, block_bytes: int, size_bytes: int) -> str:
    return f"blocks run={run} block={block_bytes} size={size_bytes}\n"


def read_ledger(text: str) -> Ledger:
    """Return the log of a writer; raise UsageError, with the line, for a text that no writer printed."""
    lines = text.split("\n")[:-1]  # behind the last end of line: nothing, or half a line
    found = FIRST.fullmatch(lines[0]) if lines else None
    if found is None:
        raise UsageError(
            f"the log begins with {(lines or [text])[0][:80]!r}, not with 'blocks run=... block=... size=...'; "
            "name the output of `tierscope verify FILE --write`"
        )
    run, block_bytes, size_bytes = map(int, found.groups())
    if not block_bytes:
        raise UsageError("the log has block=0; name the output of `tierscope verify FILE --write`")
    ledger = Ledger(run, block_bytes, size_bytes)
    for number, line in enumerate(lines[1:], 2):
        _add(ledger, number, line)
    return ledger


def _add(ledger: Ledger, at: int, line: str) -> None:
    found = LINE.fullmatch(line)
    if found is None:
        raise UsageError(f"line {at} of the log is {line[:80]!r}, not 'begin NUMBER OFFSET' or 'done NUMBER OFFSET'")
    number, offset = int(found[2]), int(found[3])
    if offset % ledger.block_bytes or offset + ledger.block_bytes > ledger.size_bytes:
        raise UsageError(f"line {at} of the log names offset {offset}, where no block of the file begins")
    open_writes = ledger.begun.get(offset, ())
    if found[1] == "begin":
        ledger.begun[offset] = (*open_writes, number)
    else:
        ledger.done[offset] = number
        ledger.begun[offset] = tuple(one for one in open_writes if one > number)
