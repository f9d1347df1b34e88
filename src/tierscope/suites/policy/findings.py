"""What the rows of `policy` say in words; inconclusive rows count for nothing."""

from tierscope.tables import Flat, Insight
from tierscope.tables.measured import sure_flat, whole
from tierscope.units import show_bytes, show_seconds, show_size

NOTHING = {
    "interleaving": "No interleaving found in {target}: bandwidth does not fall at strides that use few memories",
    "migration": "No migration found in {target}: {evidence}",
    "combining": "No queue that combines lines found in {target}: {evidence}",
}


def sentences(rows: list[Flat]) -> list[Insight]:
    """One for each row."""
    told = {"interleaving": _interleaving, "migration": _migration, "combining": _combining}
    known = [row for row in rows if row["conclusive"] and (not row["found"] or _known(row))]
    return [_insight(row, told[str(row["part"])](row) if row["found"] else _none(row)) for row in known]


def _known(row: Flat) -> bool:
    """Whether the number that was found is known, and its unit where a sentence names it."""
    sized = all(row[key] is not None for key in ("unit_bytes", "unit_low", "unit_high"))
    return sure_flat(row, "count", "") is not None and (sized or row["part"] == "migration")


def _none(row: Flat) -> str:
    return NOTHING[str(row["part"])].format(target=row["target"], evidence=row["evidence"])


def _insight(row: Flat, text: str) -> Insight:
    count = sure_flat(row, "count", "") if row["found"] else None
    low, middle, high = (count.low, count.middle, count.high) if count else (None, 0.0, None)
    return Insight(name=f"policy {row['part']}", text=text, value=middle, low=low, high=high, unit="1")


def _interleaving(row: Flat) -> str:
    ways, low, high = (round(float(row[key] or 0)) for key in ("count", "count_low", "count_high"))
    text = f"{row['target']} interleaves {ways} memories in units of {show_size(whole(row, 'unit_bytes'))}"
    if low < high or row["unit_low"] != row["unit_high"]:
        grains = f"{show_size(whole(row, 'unit_low'))} to {show_size(whole(row, 'unit_high'))}"
        text += f"; {low} to {high} memories in units of {grains} are also possible"
    return text


def _migration(row: Flat) -> str:
    count, low, high = (f"{float(row[key] or 0):.0f}" for key in ("count", "count_low", "count_high"))
    text = (
        f"A write to {row['target']} stalls for {show_seconds(float(row['seconds'] or 0))} after {count} writes of "
        f"256 B ({low} to {high}) to one place"
    )
    unit, least = row["unit_bytes"], row["unit_low"]
    if unit is not None:
        text += f" of {show_bytes(whole(row, 'unit_bytes'))}"
    elif least is not None:
        text += f" of at least {show_bytes(whole(row, 'unit_low'))}"
    return text


def _combining(row: Flat) -> str:
    count, low, high = (round(float(row[key] or 0)) for key in ("count", "count_low", "count_high"))
    return (
        f"{row['target']} combines writes into units of {show_size(whole(row, 'unit_bytes'))} in a queue of "
        f"{count} lines ({low} to {high}): each unit takes {show_seconds(float(row['seconds'] or 0))}"
    )
