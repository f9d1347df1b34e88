"""The smallest export: one line of text for each value of each run, `table key value`.

`tierscope export RUN RUN --to skeleton` writes it. State the units: base units, if nothing else is said.
"""

from collections.abc import Sequence
from typing import ClassVar

from tierscope.printable import printable
from tierscope.record.result import Run
from tierscope.report.exported import cells
from tierscope.report.exports import exports


class Skeleton:
    """Text, which may be printed."""

    name: ClassVar[str] = "skeleton"
    text: ClassVar[bool] = True  # False: it needs --out FILE

    def render(self, runs: Sequence[Run]) -> bytes:
        """Return the whole file; equal runs give equal bytes."""
        # `cells` yields every value of every table of every run.
        lines = (f"{one.table} {one.key} {one.word if one.value is None else one.value}" for one in cells(runs))
        return "".join(f"{printable(line)}\n" for line in lines).encode()


exports.add(Skeleton())
