"""What the rows of `buffers` say in words."""

from tierscope.tables import Flat, Insight, Number
from tierscope.tables.emulated import hidden_by_ceiling, hidden_by_floor
from tierscope.tables.measured import sure_flat, whole
from tierscope.units import show_bytes, show_seconds, show_size


def sentences(rows: list[Flat]) -> list[Insight]:
    """For each target how many buffers there are, then each part; inconclusive rows count for nothing."""
    found = []
    for target in dict.fromkeys(str(row["target"]) for row in rows):
        own = [row for row in rows if row["target"] == target]
        found += _reads([row for row in own if row["part"] != "writes"])
        found += [said for row in own if row["part"] == "writes" for said in _writes(row)]
    return found


def _reads(rows: list[Flat]) -> list[Insight]:
    """Nothing where a part is unknown: how many there are is then not known either."""
    if not rows or rows[-1]["part"] != "medium" or not all(sure_flat(row, "latency", "s") for row in rows):
        return []
    buffers, medium = rows[:-1], rows[-1]
    if not all(sure_flat(row, "capacity", "bytes") and row["unit_bytes"] for row in buffers):
        return []
    return [_count(buffers, medium), *(_buffer(row, rows[n + 1]) for n, row in enumerate(buffers)), _medium(medium)]


def _count(buffers: list[Flat], medium: Flat) -> Insight:
    number = len(buffers)
    hidden = hidden_by_floor(medium["target"])
    if hidden and not number:
        text = f"Buffers of {medium['target']}: unknown, because {hidden}"
        return Insight(name="buffers", text=text, unit="1", conclusive=False)
    text = f"No buffer found in {medium['target']}: latency does not depend on the region"
    if number:
        text = f"{number} buffer{'s' if number > 1 else ''} between the processor and the medium of {medium['target']}"
    return Insight(name="buffers", text=text, value=float(number), unit="1")


def _buffer(row: Flat, behind: Flat) -> Insight:
    size = f"{show_bytes(whole(row, 'capacity_low'))} to {show_bytes(whole(row, 'capacity_high'))}"
    capacity = show_size(int(row["round_bytes"])) if row["round_bytes"] else show_bytes(whole(row, "capacity_bytes"))
    more = float(behind["latency_s"] or 0) - float(row["latency_s"] or 0)
    most = float(row["amplification_most"] or 0)
    costs = f", {show_seconds(more)} more for one that is not" if more > 0 else ""
    brings = f"; a read of one line moves at most {most:g}x its bytes" if most else ""
    holds = {
        "holding": "; its size is a round number as measured, as if it also contained the nearer levels",
        "beside": "; its size is a round number only without the nearer levels, as if it did not contain them",
    }
    return Insight(
        name=f"buffer_capacity {str(row['part']).split()[-1]}",
        text=(
            f"{str(row['part']).capitalize()}: {capacity} ({size}) in units of {_unit(row)}, {_time(row)} for a line "
            f"in it{costs}{brings}{holds.get(str(row['round_as']), '')}"
        ),
        value=float(row["capacity_bytes"] or 0),
        low=float(row["capacity_low"] or 0),
        high=float(row["capacity_high"] or 0),
        unit="B",
        others=(Number(value=most),),
    )


def _unit(row: Flat) -> str:
    low, middle, high = (whole(row, key) for key in ("unit_low", "unit_bytes", "unit_high"))
    return show_size(middle) if low == high else f"{show_size(middle)} ({show_size(low)} to {show_size(high)})"


def _time(row: Flat) -> str:
    low, high = (show_seconds(float(row[key] or 0)) for key in ("latency_low", "latency_high"))
    return f"{show_seconds(float(row['latency_s'] or 0))} ({low} to {high})"


def _medium(row: Flat) -> Insight:
    return Insight(
        name="medium_latency",
        text=f"Latency of the medium: {_time(row)} for a line in no buffer",
        value=float(row["latency_s"] or 0),
        low=float(row["latency_low"] or 0),
        high=float(row["latency_high"] or 0),
        unit="s",
    )


def _writes(row: Flat) -> list[Insight]:
    each = sure_flat(row, "latency", "s")
    if each is None:
        return []
    if not row["amplification"]:
        if hidden := hidden_by_ceiling(row["target"]):
            text = f"Write combining: unknown, because {hidden}"
            return [Insight(name="write_amplification", text=text, unit="1", conclusive=False)]
        text = f"No write combining found: {show_seconds(each.middle)} per line in large regions"
        return [Insight(name="write_amplification", text=f"{text}, not less in small ones", unit="1")]
    if not sure_flat(row, "capacity", "bytes") or not row["unit_bytes"]:
        return []
    lines = f"{show_bytes(whole(row, 'capacity_low'))} to {show_bytes(whole(row, 'capacity_high'))}"
    joined = Insight(
        name="write_amplification",
        text=(
            f"Writes are combined into units of {_unit(row)} in a queue of {show_bytes(whole(row, 'capacity_bytes'))} "
            f"({lines}): a line alone costs {_time(row)}, {float(row['amplification'] or 0):g}x a combined one"
        ),
        value=float(row["amplification"] or 0),
        low=whole(row, "unit_low") / 64,
        high=whole(row, "unit_high") / 64,
        unit="1",
    )
    return [joined]
