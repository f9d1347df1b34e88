"""The findings of `buffers`."""

from typing import NamedTuple

from tierscope.draw.words import with_bounds
from tierscope.stats.buffers_levels import vague_unit
from tierscope.stats.buffers_rivals import LARGEST_UNIT
from tierscope.stats.median import Interval
from tierscope.suites.buffers.row import BuffersRow
from tierscope.tables import Insight, Number
from tierscope.tables.emulated import hidden_by_ceiling, hidden_by_floor
from tierscope.tables.measured import sure
from tierscope.units import show_bytes, show_seconds, show_size


def sentences(rows: list[BuffersRow]) -> list[Insight]:
    """Return for each target the number of buffers, then each part; inconclusive rows are left out."""
    found = []
    for target in dict.fromkeys(row.target for row in rows):
        own = [row for row in rows if row.target == target]
        found += _reads([row for row in own if row.part != "writes"])
        found += [said for row in own if row.part == "writes" for said in _writes(row)]
    return found


class _Sized(NamedTuple):
    """A part whose values are all known, or of whose capacity a lower bound is: then `capacity` is None."""

    row: BuffersRow
    capacity: Interval | None
    unit: Interval
    latency: Interval


def _sized(row: BuffersRow) -> _Sized | None:
    capacity, latency = sure(row, row.capacity), sure(row, row.latency)
    known = capacity or row.capacity_least_bytes
    return _Sized(row, capacity, row.unit, latency) if known and latency and row.unit else None


def _reads(rows: list[BuffersRow]) -> list[Insight]:
    """Return the findings of reads; none if a part is unknown, because then the number of parts is not known either."""
    if not rows or rows[-1].part != "medium":
        return []
    *buffers, medium = rows
    known, last = [one for row in buffers if (one := _sized(row))], sure(medium, medium.latency)
    least = medium.latency_least_s if medium.conclusive else None
    if (last is None and least is None) or len(known) < len(buffers):
        return []
    behind = [*(one.latency.middle for one in known), last.middle if last else least or 0.0][1:]
    each = [_buffer(one, after) for one, after in zip(known, behind, strict=True)]
    return [_count(buffers, medium), *each, _medium(last, least or 0.0, medium.reach_bytes)]


def _count(buffers: list[BuffersRow], medium: BuffersRow) -> Insight:
    number, target = len(buffers), medium.target
    hidden = hidden_by_floor(target)
    if hidden and not number:
        text = f"Buffers of {target}: unknown, because {hidden}"
        return Insight(name="buffers", text=text, unit="1", conclusive=False)
    up_to = f" of up to {show_bytes(medium.reach_bytes)}" if medium.reach_bytes else ""
    text = f"No buffer{up_to} found in {target}: latency does not depend on the region"
    if number:
        more = " or more" if buffers[-1].capacity_least_bytes else ""
        plural = "s" if number > 1 or more else ""
        text = f"{number}{more} buffer{plural} between the processor and the medium of {target}"
    return Insight(name="buffers", text=text, value=float(number), unit="1")


def _buffer(one: _Sized, behind_s: float) -> Insight:
    row, found = one.row, one.capacity
    more, most = behind_s - one.latency.middle, row.amplification_most or 0.0
    at_least = "at least " if row.capacity_least_bytes else ""
    costs = f", {at_least}{show_seconds(more)} more for one that is not" if more > 0 else ""
    brings = f"; a read of one line moves at most {most:g}x its bytes" if most and not _vague(one) else ""
    holds = {
        "holding": "; its size is a round number as measured, as if it also contained the nearer levels",
        "beside": "; its size is a round number only without the nearer levels, as if it did not contain them",
    }
    text = (
        f"{row.part.capitalize()}: {_capacity(one)} in units {_of(one.unit)}, "
        f"{with_bounds(one.latency, show_seconds)} for a line in it{costs}{brings}"
        f"{holds.get(row.round_as or '', '')}"
    )
    number, others = row.part.split()[-1], (Number(value=most),)
    if found is None:
        return Insight(name=f"buffer_capacity {number}", text=text, unit="B", others=others)
    return Insight.of(found, name=f"buffer_capacity {number}", text=text, unit="B", others=others)


def _capacity(one: _Sized) -> str:
    row, found = one.row, one.capacity
    if found is None:
        return f"{show_bytes(row.capacity_least_bytes or 0)} or more"
    if row.ranged:
        return _range(found)
    shown = show_size(row.round_bytes) if row.round_bytes else show_bytes(found.middle)
    return f"{shown} ({_range(found)})"


def _range(capacity: Interval) -> str:
    return f"{show_bytes(capacity.low)} to {show_bytes(capacity.high)}"


def _vague(one: _Sized) -> bool:
    return vague_unit(one.unit.low, one.unit.high)


def _of(unit: Interval) -> str:
    """Return the unit, or that it is not known."""
    if not vague_unit(unit.low, unit.high):
        return f"of {_unit(unit)}"
    low, high = show_size(int(unit.low)), show_size(int(unit.high))
    return f"that are not known ({low} {'or more' if unit.high >= LARGEST_UNIT else f'to {high}'})"


def _unit(unit: Interval) -> str:
    low, middle, high = (show_size(int(end)) for end in (unit.low, unit.middle, unit.high))
    if unit.high >= LARGEST_UNIT > unit.low:
        return f"{low} or more"
    return middle if low == high else f"{middle} ({low} to {high})"


def _medium(found: Interval | None, least_s: float, reach_bytes: int | None) -> Insight:
    if found is None:
        text = f"Latency of the medium: at least {show_seconds(least_s)} for a line in no buffer"
        return Insight(name="medium_latency", text=text, unit="s")
    larger = f", unless one of more than {show_bytes(reach_bytes)} contains it" if reach_bytes else ""
    time = with_bounds(found, show_seconds)
    text = f"Latency of the medium: {time} for a line in no buffer{larger}"
    return Insight.of(found, name="medium_latency", text=text, unit="s")


def _writes(row: BuffersRow) -> list[Insight]:
    each = sure(row, row.latency)
    if each is None:
        return []
    if not row.amplification:
        if hidden := hidden_by_ceiling(row.target):
            text = f"Write combining: unknown, because {hidden}"
            return [Insight(name="write_amplification", text=text, unit="1", conclusive=False)]
        text = f"No write combining found: {show_seconds(each.middle)} per store in large regions"
        return [Insight(name="write_amplification", text=f"{text}, not less in small ones", unit="1")]
    one = _sized(row)
    if one is None or one.capacity is None:
        return []
    joined = Insight(
        name="write_amplification",
        text=(
            f"Writes are combined into units of {_unit(one.unit)} in a queue of {show_bytes(one.capacity.middle)} "
            f"({_range(one.capacity)}): a store alone costs {with_bounds(each, show_seconds)}, "
            f"{row.amplification:g}x a combined one"
        ),
        value=row.amplification,
        low=row.amplification * one.unit.low / one.unit.middle,
        high=row.amplification * one.unit.high / one.unit.middle,
        unit="1",
    )
    return [joined]
