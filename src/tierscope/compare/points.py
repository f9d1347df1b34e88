"""The main number of each point of several runs, by table and by the words that name the point."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from tierscope.compare.comparison import VALUES, point
from tierscope.draw.cells import UNKNOWN
from tierscope.record.result import Run
from tierscope.sound import reads
from tierscope.tables import Row, tables
from tierscope.units import show_rate, show_seconds


def named(runs: Sequence[Run]) -> list[str]:
    """The name of each run's directory, numbered where two are called the same."""
    names = [run.path.resolve().name for run in runs]
    many, turns, found = Counter(names), Counter[str](), []
    for name in names:
        turns[name] += 1
        found.append(f"{name}-{turns[name]}" if many[name] > 1 else name)
    return found


@dataclass(frozen=True, slots=True)
class Number:
    """The main number of a point in one run; bounds are the number itself where there is no interval."""

    value: float
    low: float
    high: float
    conclusive: bool


@reads("the export")
def points(runs: Sequence[Run]) -> dict[str, dict[str, dict[int, Number]]]:
    """table -> point in words -> index of the run -> its main number, as `compare` takes it; imports likewise."""
    found: dict[str, dict[str, dict[int, Number]]] = {}
    for index, run in enumerate(runs):
        for table in VALUES:
            key, unit = VALUES[table]
            for row in tables[table].rows(run):
                if number := _number(row, key, f"{key}_{unit}" if unit else key):
                    found.setdefault(table, {}).setdefault(point(table, row), {}).setdefault(index, number)
        for row in tables["imported"].rows(run):
            for key in ("bandwidth_bytes_per_s", "latency_s"):
                if number := _number(row, "", key):
                    label = ", ".join(
                        str(row[name]) for name in ("test", "setting", "threads", "delay_cycles") if row[name]
                    )
                    table = f"imported {key.partition('_')[0]}"
                    found.setdefault(table, {}).setdefault(label, {}).setdefault(index, number)
    return found


def unit_of(table: str) -> str:
    """Of the main number: "B/s" or "s"."""
    if table.startswith("imported"):
        return "B/s" if "bandwidth" in table else "s"
    return "B/s" if VALUES[table][1] == "bytes_per_s" else "s"


def said(number: Number | None, unit: str) -> str:
    """'12.34 GB/s ±0.5 %'; "" for a point that the run has not."""
    if number is None:
        return ""
    text = show_rate(number.value) if unit == "B/s" else show_seconds(number.value)
    half = (number.high - number.low) / 2 / number.value if number.value else 0.0
    if round(100 * half, 1) >= 100:
        return f"{UNKNOWN}{'' if number.conclusive else ' ?'}"
    return text + (f" ±{100 * half:.1f} %" if half > 0 else "") + ("" if number.conclusive else " ?")


def _number(row: Row, stem: str, key: str) -> Number | None:
    value, low, high = row.get(key), row.get(f"{stem}_low"), row.get(f"{stem}_high")
    if not isinstance(value, float):
        return None
    ends = (low, high) if isinstance(low, float) and isinstance(high, float) else (value, value)
    return Number(value, *ends, row.get("conclusive") is not False)
