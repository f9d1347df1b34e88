"""One host's history compared with its peers': from compacted months, and from days that no month covers."""

from pathlib import Path

import msgspec

from tierscope.errors import UsageError
from tierscope.fleet.store import Store, literal


class Point(msgspec.Struct, frozen=True):
    """One number of one session; deviation: logarithm against the peers, above 0 faster, null without peers."""

    day: str
    session: int
    metric: str
    unit: str
    value: float
    low: float
    high: float
    deviation: float | None


def history(directory: Path, host: str) -> tuple[Point, ...]:
    """Return all numbers of a host or machine by metric and day; UsageError for a name that no report has.

    A host's machine is followed under its other names, too.
    """
    with Store(directory) as store:
        name = literal(host)
        scores = [path for one in store.days().values() for path in one.files.get("scores", ())]
        ask = f"SELECT DISTINCT machine FROM {{files}} WHERE machine = {name} OR host = {name} ORDER BY machine"
        machines = store.query(ask, scores)["machine"].tolist() if scores else []
        if not machines:
            raise UsageError(f"no report in {directory} is of {host!r}; `tierscope fleet collect` lists the reports")
        wanted = ", ".join(map(literal, machines))  # of machines alone: files that are sorted by them are read in part
        found = store.query(
            "SELECT day, session, metric, unit, value, low, high, CASE WHEN isnan(deviation) THEN NULL ELSE deviation "
            f"END AS deviation FROM {{files}} WHERE machine IN ({wanted}) "
            "ORDER BY metric, day, session",
            store.row_files(),
        )
        rows = zip(*(found[name].tolist() for name in Point.__struct_fields__), strict=True)
        return tuple(Point(*row) for row in rows)
