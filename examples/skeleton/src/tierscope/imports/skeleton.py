"""The smallest importer: the text of a tool that prints one line for each test, `read 12.50 GB/s 2 threads`.

State where the units of the tool are documented: an importer takes no unit on trust.
Source: this file; name the documents of the tool here.
"""

import re
from typing import ClassVar

from tierscope.errors import UsageError
from tierscope.imports import Imported, importers
from tierscope.imports.values import value, whole
from tierscope.record.reading import Reading
from tierscope.reference import Match

HEAD = "skeleton-bench 1."
LINE = re.compile(r"(\w{1,40}) (\S+) (\S+) (\S+) threads?")

# An output of the tool, as the tests read it. Without this name they look for a file under tests/data/imports.
EXAMPLE = """\
skeleton-bench 1.0
read 12.50 GB/s 2 threads
triad 9.75 GB/s 2 threads
done
"""


class SkeletonBench:
    """One reading for each test."""

    name: ClassVar[str] = "skeleton_bench"  # for `import --as`
    title: ClassVar[str] = "skeleton-bench's text: GB/s are 10^9 bytes per second"
    # The points of our tables that the readings match: `compare` finds them in a run of ours. () means none.
    alike: ClassVar[tuple[Match, ...]] = (
        Match(
            "bandwidth_bytes_per_s", "stream", "bandwidth_bytes_per_s", {}, {"kernel": "{test}", "threads": "{threads}"}
        ),
    )

    def knows(self, text: str) -> bool:
        """Return whether the text looks like this format, whole or not. No two formats may know one text."""
        return text.startswith(HEAD)

    def read(self, text: str) -> Imported:
        """Return what the text contains; UsageError where it is cut off, or where a line is unknown."""
        head, *lines = text.splitlines() or [""]
        if not lines or lines[-1] != "done":
            raise UsageError("its last line is not 'done': it is cut off")
        return Imported(head[:40], tuple(_reading(line) for line in lines[:-1]), method=METHOD)


METHOD = "skeleton-bench prints one rate for each test. It does not state how often it measured, nor an interval."


def _reading(line: str) -> Reading:
    found = LINE.fullmatch(line)
    if found is None:
        raise UsageError(f"the line {line[:40]!r} is not of the form 'read 12.50 GB/s 2 threads'")
    test, rate, unit, threads = found.groups()
    # `value` keeps the digits as printed, and refuses an unknown unit. Keys are those of the table `imported`.
    values = {"bandwidth_bytes_per_s": value(rate, unit)}
    return Reading(test=test, labels={"threads": whole(threads, "threads")}, values=values)


importers.add(SkeletonBench())
