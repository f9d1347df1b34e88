"""Monthly compaction: the rows of a month that is over, sorted by host and metric, so that a history reads little."""

import hashlib
from pathlib import Path

from tierscope.fleet.store import SCHEMA, MonthRecord, Store


def compact(directory: Path) -> int:
    """Compact each month before the last folded day's whose days changed; return how many were.

    The rows of single days stay: a day that is folded again makes the month's record void, and histories then read
    the days.
    """
    with Store(directory) as store:
        every = store.days()
        days = {day: one for day, one in every.items() if "rows" in one.files}
        current = max(days, default="")[:7]
        done, old = store.months(), _listed(store.root)
        new = [month for month in sorted({day[:7] for day in days}) if month < current and month not in done]
        for month in new:
            digests = {day: one.digest for day, one in days.items() if day.startswith(month)}
            path = f"rows_by_host/month={month}/part-{hash_of(digests)}.parquet"
            source = store.source(p for day in digests for p in days[day].files["rows"])
            store.copy(path, f"SELECT * FROM {source} ORDER BY machine, metric, day, session")
            whole = {day: one.digest for day, one in every.items() if day.startswith(month)}
            store.keep(MonthRecord(schema=SCHEMA, month=month, days=whole, files=(path,)))
            store.forget(one for one in old if one.startswith(f"rows_by_host/month={month}/") and one != path)
        return len(new)


def hash_of(digests: dict[str, str]) -> str:
    """Return a digest of a month from those of its days."""
    return hashlib.sha256("\n".join(f"{day} {one}" for day, one in sorted(digests.items())).encode()).hexdigest()[:24]


def _listed(root: Path) -> list[str]:
    return [str(path.relative_to(root)) for path in root.glob("rows_by_host/*/*.parquet")]
