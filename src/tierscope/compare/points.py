"""The main number of each point of several runs, by table and by the words that name the point."""

from collections import Counter
from collections.abc import Callable, Sequence

from tierscope.compare.comparison import point
from tierscope.compare.footprints import footprint_of
from tierscope.compare.measures import measures
from tierscope.compare.number import Number, Numbers
from tierscope.draw.cells import UNKNOWN
from tierscope.record.experiment import real
from tierscope.record.glance import Seen
from tierscope.record.result import Run
from tierscope.sound import reads
from tierscope.stats.visited import DRIFTS
from tierscope.tables import Flat, Main
from tierscope.tables.kept import keep, recall
from tierscope.tables.measured import span_of
from tierscope.units import show_half, show_value


def named(runs: Sequence[Seen]) -> list[str]:
    """Return the name of each run's directory, numbered where two are called the same."""
    names = [run.path.resolve().name for run in runs]
    many, turns, found = Counter(names), Counter[str](), []
    for name in names:
        turns[name] += 1
        found.append(f"{name}-{turns[name]}" if many[name] > 1 else name)
    return found


@reads("the export")
def points(runs: Sequence[Seen]) -> dict[str, dict[str, dict[int, Number]]]:
    """Return measure -> point in words -> index of the run -> its main number, as `compare` takes it."""
    found: dict[str, dict[str, dict[int, Number]]] = {}
    for index, run in enumerate(runs):
        for name, numbers in numbers_of(run).items():
            for words, number in numbers.items():
                found.setdefault(name, {}).setdefault(words, {})[index] = number
        keep(run)
    return found


def numbers_of(run: Seen) -> Numbers:
    """Return the main numbers of one run, stored or judged now."""
    return recall(run, "numbers", (Number,), _numbers)


def _numbers(run: Run) -> Numbers:
    """Return those of one run; of two rows with the same words the first counts."""
    found: Numbers = {}
    for name, measure in measures().items():
        for row in measure.rows(run):
            if number := _number(row, measure.main):
                found.setdefault(name, {}).setdefault(point(measure.table.name, row), number)
    return found


def said(number: Number | None, unit: str, show: Callable[[float, str], str] = show_value) -> str:
    """Return '12.34 GB/s ±0.5 %'; "" for a point that the run has not. show: how the number is written."""
    if number is None:
        return ""
    text = show(number.value, unit)
    half = (number.high - number.low) / 2 / number.value if number.value else 0.0
    if round(100 * half, 1) >= 100:
        return f"{UNKNOWN}{'' if number.conclusive else ' ?'}"
    return text + (f" {show_half(half)}" if half > 0 else "") + ("" if number.conclusive else " ?")


def _number(row: Flat, main: Main) -> Number | None:
    value = real(row.get(main.name))
    if value is None:
        return None
    conclusive = row.get("conclusive") is not False
    reasons = str(row.get("reasons") or "").split("; ")
    return Number(
        value,
        *(span_of(row, main.stem) or (value, value)),
        conclusive,
        footprint_of(row),
        not conclusive and all(reason.endswith(DRIFTS) for reason in reasons),
    )
