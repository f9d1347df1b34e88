"""The results of a run for the claims of a document: rows of its tables, and numbers with their intervals."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from tierscope.record.experiment import Label
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.stats.compare import compare
from tierscope.stats.median import Interval
from tierscope.suites.documents.stand_in import why_stand_in
from tierscope.tables import Flat, tables
from tierscope.tables.measured import span_of

NO_TIER = "the second tier was not measured: name it with nvm="
"""The reason of a claim that needs both tiers."""
ENDINGS = ("", "_s", "_bytes_per_s", "_per_s", "_total")
"""How the names of columns with the middle of an interval end."""


@dataclass(frozen=True)
class Seen:
    """A number of this machine. `label`: its point, such as "4 KiB"; `reasons`: why it is not conclusive."""

    label: str
    value: Interval
    reasons: tuple[str, ...] = ()
    blocks: int = 0
    left_out_share: float = 0.0
    origin: str = "real"
    stand_in: str = ""  # why the number is from a stand-in; "" where it is not

    @property
    def sure(self) -> bool:
        """Return whether a verdict may be based on it."""
        return not self.reasons

    def over(self, other: "Seen", label: str = "") -> "Seen":
        """Return this number over another one of the run, with the reasons for doubt of both."""
        one = compare(other.value, self.value)
        return Seen(
            label or self.label,
            Interval(one.low, one.middle, one.high, min(self.value.count, other.value.count)),
            tuple(dict.fromkeys((*self.reasons, *other.reasons))),
            self.blocks + other.blocks,
            max(self.left_out_share, other.left_out_share),
            self.origin if self.origin != "real" else other.origin,
            self.stand_in or other.stand_in,
        )


class Found:
    """The rows of one run by table, read once."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._rows = cache(lambda table: tables[table].flat(run))

    def rows(self, table: str, **keys: Label) -> list[Flat]:
        """Return the rows of a table whose columns have these values."""
        return [row for row in self._rows(table) if all(row.get(key) == value for key, value in keys.items())]

    @property
    def machine(self) -> Machine:
        """Return the machine of the run."""
        return self.run.result.machine

    def target(self, key: str) -> str:
        """Return the target that an option names, such as "nvm", as typed; "" where the option names none."""
        return str(self.run.result.options.get(key) or "")

    @property
    def dram(self) -> str:
        """Return the target of DRAM, as typed."""
        return self.target("dram") or "node:0"


def seen(row: Flat, stem: str, label: str = "", targets: Iterable[str] = ()) -> Seen | None:
    """Return a number of a row; None where it is absent. stem: name of the column without its unit.

    targets: columns that name targets. One of these may be a stand-in.
    """
    span = span_of(row, stem)
    value = next((row[f"{stem}{ending}"] for ending in ENDINGS if f"{stem}{ending}" in row), None)
    if span is None or not isinstance(value, int | float):
        return None
    why = tuple(part for part in str(row.get("reasons") or "").split("; ") if part) or ("not conclusive",)
    words = [str(row.get(name) or "") for name in targets]
    blocks, share = row.get("blocks"), row.get("left_out_share")
    return Seen(
        label,
        Interval(span[0], float(value), span[1], 1),
        () if row.get("conclusive") else why,
        int(blocks) if isinstance(blocks, int | float) else 0,
        float(share) if isinstance(share, int | float) else 0.0,
        str(row.get("origin") or "real"),
        next(filter(None, map(why_stand_in, words)), ""),
    )


def all_seen(numbers: Iterable[Seen | None]) -> list[Seen]:
    """Return the numbers that are not None."""
    return [one for one in numbers if one is not None]
