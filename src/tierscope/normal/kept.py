"""The numbers of a run that another machine can be compared with.

Two numbers are left out of each comparison with other machines:

- A number whose point has text of the user, or is numbered in a file of the user: a command, an object of a program.
  Another machine has another one of the same name, and such text may name a person, a host or a path.
- A number of memory over a footprint that is no larger than the largest reported cache, unless the footprint is a
  part of the point. The words of two such points are the same, but one may be a number of a cache.
"""

from tierscope.compare.comparison import point
from tierscope.compare.footprints import footprint_of
from tierscope.compare.measures import Measure, measures
from tierscope.compare.number import Numbers
from tierscope.compare.points import numbers_of
from tierscope.record.result import Run
from tierscope.tables import Flat

FOOTPRINT = "footprint_bytes"
MOMENT = "moment"  # a key of tables whose rows are states of one run, not a property of a kind of machines


def kept(run: Run) -> Numbers:
    """Return measure -> point in words -> its number, without what is left out."""
    cache, found = run.result.machine.last_level_cache_bytes(), {}
    for name, numbers in numbers_of(run).items():
        measure = measures()[name]
        alike = {point(measure.table.name, row) for row in measure.rows(run) if not _apart(measure, row, cache)}
        found[name] = {words: number for words, number in numbers.items() if words in alike}
    return {name: numbers for name, numbers in found.items() if numbers}


def _apart(measure: Measure, row: Flat, cache_bytes: int) -> bool:
    """Return whether the number of a row is not comparable with that of another machine."""
    keys = measure.table.keys
    private = [column.name for column in measure.table.columns if column.private and column.name in keys]
    if MOMENT in keys or any(row.get(name) not in (None, "") for name in private):
        return True
    footprint = footprint_of(row) if measure.table.audited.memory and FOOTPRINT not in keys else None
    return footprint is not None and footprint <= cache_bytes
