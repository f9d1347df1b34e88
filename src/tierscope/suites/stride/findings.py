"""Sentences about strided accesses: the unit that memory moves, and the access size that is enough.

The unit is searched for with the smallest access size, by `suites.stride.fit`. The size that is enough is that at the
widest stride at which every access size was measured and none may be cached. Rows that may be cached are left out.
"""

from typing import NamedTuple

import numpy as np

from tierscope.stats.median import Interval
from tierscope.suites.stride.fit import FEWEST, SHARE, enough, unit
from tierscope.suites.stride.row import StrideRow
from tierscope.tables import Insight, Number
from tierscope.tables.emulated import hidden_by_ceiling
from tierscope.tables.measured import sure_rows
from tierscope.units import LINE_BYTES, show_bytes, show_size


class Known(NamedTuple):
    """A conclusive row with its bandwidth."""

    row: StrideRow
    bandwidth: Interval


def sentences(rows: list[StrideRow], line_bytes: int = LINE_BYTES) -> list[Insight]:
    """Return a unit and a size for each operation, store, order and number of threads. line_bytes: of the caches."""
    known = [row for row in rows if not row.cached]
    kinds = dict.fromkeys(row.kind for row in known)
    return [one for kind in kinds for one in _of_kind([row for row in known if row.kind == kind], line_bytes)]


def _of_kind(every: list[StrideRow], line_bytes: int) -> list[Insight]:
    """Return the sentences of one kind. every: inconclusive rows too, which are counted and not used."""
    known = [Known(*pair) for pair in sure_rows(every, lambda row: row.bandwidth)]
    return [*_unit(known, every, line_bytes), *_enough(known)] if known else []


def _name(row: StrideRow) -> str:
    """Return 'read sequential 4', 'nt random 1'."""
    return f"{row.store or row.op} {row.order} {row.threads}"


def _who(row: StrideRow) -> str:
    """Return '4 threads that write (nt) in sequence'."""
    how = "in sequence" if row.order == "sequential" else "at random"
    one = row.threads == 1
    verb = {"read": "read", "write": "write"}[row.op] + ("s" if one else "")
    store = f" ({row.store})" if row.store else ""
    return f"{row.threads} thread{'' if one else 's'} that {verb}{store} {how}"


def _unit(known: list[Known], every: list[StrideRow], line_bytes: int) -> list[Insight]:
    access = min(row.access_bytes for row, _ in known)
    own = [one for one in known if one.row.access_bytes == access]
    found = unit(
        np.array([row.stride_bytes for row, _ in own], dtype=np.float64),
        np.array([access / bandwidth.middle for _, bandwidth in own]),
        np.array([bandwidth.relative / 2 for _, bandwidth in own]),
    )
    first = known[0].row
    who = _who(first)
    widest = show_size(max(row.stride_bytes for row, _ in own))
    if found is None or (found.round or found.size_bytes) <= line_bytes:  # a line is what a cache fetches anyway
        text = f"{who}: no unit larger than a line of {line_bytes} B found with strides up to {widest}"
        hidden = hidden_by_ceiling(first.target)
        if hidden:
            text = f"{who}: the unit that memory moves is unknown, because {hidden}"
        if few := len(own) < FEWEST:
            text = f"{who}: {_few(len(own), sum(row.access_bytes == access for row in every))} to find a unit"
        return [Insight(name=f"stride_unit {_name(first)}", text=text, conclusive=not (few or hidden))]
    size = show_bytes(found.round or found.size_bytes)
    text = f"{who}: with strides from {size}, each access of {show_size(access)} moves a whole unit"
    bounds = f"{show_bytes(found.low_bytes)} to {show_bytes(found.high_bytes)}"
    return [
        Insight(
            name=f"stride_unit {_name(first)}",
            text=f"{text} ({bounds})",
            value=float(found.round or found.size_bytes),
            low=found.low_bytes,
            high=found.high_bytes,
            unit="B",
        )
    ]


def _few(known: int, total: int) -> str:
    if total < FEWEST:
        return f"{total} strides are too few; give {FEWEST} or more, each twice the one before,"
    return f"only {known} of {total} strides {'is' if known == 1 else 'are'} conclusive, too few"


def _enough(known: list[Known]) -> list[Insight]:
    sizes = {row.access_bytes for row, _ in known}
    strides = {row.stride_bytes for row, _ in known}
    full = [s for s in strides if {row.access_bytes for row, _ in known if row.stride_bytes == s} == sizes]
    if len(sizes) < 2 or not full:
        return []
    own = [one for one in known if one.row.stride_bytes == max(full)]
    found = enough(
        np.array([row.access_bytes for row, _ in own], dtype=np.float64),
        np.array([bandwidth.middle for _, bandwidth in own]),
        max(bandwidth.middle for _, bandwidth in known),
    )
    share, of = Number(value=SHARE, kind="share"), f"{100 * SHARE:.0f} % of the highest bandwidth"
    head, name = f"{_who(known[0].row)}, {show_size(max(full))} apart", _name(known[0].row)
    if found is None:
        text = f"{head}: no access size up to {show_size(max(sizes))} reaches {of}"
        return [Insight(name=f"stride_access {name}", text=text, others=(share,))]
    text = f"{head}: accesses of {show_size(int(found[1]))} reach {of}"
    fewer = f", those of {show_size(int(found[0]))} do not" if found[0] else ""
    return [
        Insight(
            name=f"stride_access {name}",
            text=text + fewer,
            value=found[1],
            low=found[0],
            high=found[1],
            unit="B",
            others=(share,),
        )
    ]
