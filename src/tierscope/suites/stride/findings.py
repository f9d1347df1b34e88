"""What strided accesses say in words: the unit that memory moves, and the access size that is enough.

The unit is looked for with the smallest access size, by `suites.stride.fit`; the size that is enough at the widest
stride at which every access size was measured and none may be cached. Rows that may be cached count for nothing.
"""

import numpy as np

from tierscope.suites.stride.fit import FEWEST, SHARE, enough, unit
from tierscope.tables import Flat, Insight, Number
from tierscope.tables.emulated import hidden_by_ceiling
from tierscope.tables.measured import interval_of, sure_rows_flat, whole
from tierscope.units import LINE_BYTES, show_bytes, show_size

KIND = ("op", "store", "order", "threads", "target")


def sentences(rows: list[Flat]) -> list[Insight]:
    """A unit and a size for each operation, store, order and number of threads."""
    known = [row for row in rows if not row["cached"]]
    kinds = dict.fromkeys(tuple(row[key] for key in KIND) for row in known)
    parts = [[row for row in known if tuple(row[key] for key in KIND) == kind] for kind in kinds]
    return [one for part in parts for one in _of_kind(part)]


def _of_kind(every: list[Flat]) -> list[Insight]:
    """every: inconclusive rows too, which are counted and not used."""
    rows = [row for row, _ in sure_rows_flat(every, "bandwidth", "bytes_per_s")]
    return [*_unit(rows, every), *_enough(rows)] if rows else []


def _name(row: Flat) -> str:
    """'read sequential 4', 'nt random 1'."""
    return f"{row['store'] or row['op']} {row['order']} {row['threads']}"


def _who(row: Flat) -> str:
    """'4 threads that write (nt) in sequence'."""
    how = "in sequence" if row["order"] == "sequential" else "at random"
    one = row["threads"] == 1
    verb = {"read": "read", "write": "write"}[str(row["op"])] + ("s" if one else "")
    store = f" ({row['store']})" if row["store"] else ""
    return f"{row['threads']} thread{'' if one else 's'} that {verb}{store} {how}"


def _unit(rows: list[Flat], every: list[Flat]) -> list[Insight]:
    access = min(whole(row, "access_bytes") for row in rows)
    own = [row for row in rows if row["access_bytes"] == access]
    times = [interval for row in own if (interval := interval_of(row, "bandwidth", "bytes_per_s"))]
    found = unit(
        np.array([whole(row, "stride_bytes") for row in own], dtype=np.float64),
        np.array([access / one.middle for one in times]),
        np.array([one.relative / 2 for one in times]),
    )
    who = _who(rows[0])
    widest = show_size(max(whole(row, "stride_bytes") for row in own))
    if found is None:
        text = f"{who}: no unit larger than a line of {LINE_BYTES} B found with strides up to {widest}"
        hidden = hidden_by_ceiling(rows[0]["target"])
        if hidden:
            text = f"{who}: the unit that memory moves is unknown, because {hidden}"
        if few := len(times) < FEWEST:
            text = f"{who}: {_few(len(times), sum(row['access_bytes'] == access for row in every))} to find a unit"
        return [Insight(name=f"stride_unit {_name(rows[0])}", text=text, conclusive=not (few or hidden))]
    size = show_bytes(found.round or found.size_bytes)
    text = f"{who}: with strides from {size}, each access of {show_size(access)} moves a whole unit"
    bounds = f"{show_bytes(found.low_bytes)} to {show_bytes(found.high_bytes)}"
    return [
        Insight(
            name=f"stride_unit {_name(rows[0])}",
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


def _enough(rows: list[Flat]) -> list[Insight]:
    sizes = {whole(row, "access_bytes") for row in rows}
    strides = {whole(row, "stride_bytes") for row in rows}
    full = [s for s in strides if {row["access_bytes"] for row in rows if row["stride_bytes"] == s} == sizes]
    if len(sizes) < 2 or not full:
        return []
    own = [row for row in rows if row["stride_bytes"] == max(full)]
    best = max(float(row["bandwidth_bytes_per_s"] or 0) for row in rows)
    found = enough(
        np.array([whole(row, "access_bytes") for row in own], dtype=np.float64),
        np.array([float(row["bandwidth_bytes_per_s"] or 0) for row in own]),
        best,
    )
    share, of = Number(value=SHARE, kind="share"), f"{100 * SHARE:.0f} % of the highest bandwidth"
    head, name = f"{_who(rows[0])}, {show_size(max(full))} apart", _name(rows[0])
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
