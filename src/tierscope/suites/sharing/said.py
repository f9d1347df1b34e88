"""Sentences from the moments of a pair: alarms, changes, or agreement with the system's list."""

from collections.abc import Sequence
from statistics import median

from tierscope.stats.median import Interval
from tierscope.suites.sharing.held import held, known
from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.sharing.verdict import FULL, OWN, SHARED, UNKNOWN
from tierscope.tables import Insight, Number
from tierscope.units import show_rate

NOT_AS_LISTED = {SHARED: "although the system lists them as two", OWN: "although the system lists them as one"}


def said_of(rows: Sequence[SharingRow]) -> list[Insight]:
    """Return what is known of one pair; rows: its moments, in the order of time."""
    found = []
    cores = [row for row in known(rows, core_of) if row.slowdown]
    paths = [row for row in known(rows, path_of) if row.gain]
    if cores:
        found.append(_core(cores))
    if paths:
        found.append(_path(paths))
    return found


def core_of(row: SharingRow) -> str:
    return row.core


def path_of(row: SharingRow) -> str:
    return row.path


def core_words(rows: Sequence[SharingRow]) -> str:
    """Return what the moments of one pair show of its cores; rows: those at which it is known, one at least.

    'CPU 0 and CPU 1 share a core although the system lists them as two, at each of 4 times'.
    'CPU 0 and CPU 1 shared a core at 1 of 4 times (first at 02:00:23 UTC) and had a core each at the others'.
    A single time is stated as such.
    """
    first, shared = rows[0], [row for row in rows if row.core == SHARED]
    listed = ", as the system lists them" if first.core == first.listed else f" {NOT_AS_LISTED[first.core]}"
    if held(rows, core_of) != UNKNOWN:
        return (
            f"{_pair(first)} {'share a core' if shared else 'have a core each'}{listed}, at each of {len(rows)} times"
        )
    if len(rows) == 1:
        what = "shared a core" if shared else "had a core each"
        return f"{_pair(first)} {what} at {_clock(first)}, the only time that is known{listed}"
    when = _clock(shared[0]) if len(shared) == 1 else f"first at {_clock(shared[0])}"
    times = f"{len(shared)} of {len(rows)} times ({when})"
    return f"{_pair(first)} shared a core at {times} and had a core each at the others"


def path_words(row: SharingRow) -> str:
    """Return 'With write_nt, two threads (CPU 0 and CPU 1) get no more from memory than one'.

    It names the kernel because another one may gain where this one does not.
    """
    more = "no more" if row.path == FULL else "more"
    return f"With {row.kernel}, two threads ({_pair(row)}) get {more} from memory than one"


def _core(rows: list[SharingRow]) -> Insight:
    """Return the insight. rows: of one pair, with a known class. Where the class changed, the number is of the last
    moment with the slower one.
    """
    row = ([one for one in rows if one.core == SHARED] or rows)[-1]
    moved = len(rows) > 1 and held(rows, core_of) == UNKNOWN
    found = over([one.slowdown for one in ([row] if moved else rows) if one.slowdown])
    then = f"together, each {'took' if moved else 'takes'} {span(found)} the time of one alone"
    text = f"{core_words(rows)}: {then}{f' at {_clock(row)}' if moved else ''}"
    return Insight.of(found, name=f"core {_cpus(row)}", text=text, unit="1")


def _path(rows: list[SharingRow]) -> Insight:
    """Return the sentence on the path. rows: of one pair, with a known path. Where it changed, the number is of the
    last moment, next to the last one at which it was different.
    """
    row, changed = rows[-1], _changed(rows)
    own = [row] if changed else rows
    found = over([one.gain for one in own if one.gain])
    rates = [one.bandwidth.middle for one in own if one.bandwidth]
    text = f"{path_words(row)}: {span(found)}{f' of {show_rate(median(rates))}' if rates else ''}"
    others: tuple[Number, ...] = ()
    if changed and changed.gain:
        text += f" at {_clock(row)}, and {span(changed.gain)} at {_clock(changed)}"
        others = (Number.of(changed.gain),)
    return Insight.of(found, name=f"memory {_cpus(row)}", text=text, unit="1", others=others)


def over(known: Sequence[Interval]) -> Interval:
    """Return one number of several moments: their median, and an interval that contains that of each of them.

    known: of one moment at least. Each lasts less than a second, so that the next one may be outside of its interval.
    """
    return Interval(
        min(one.low for one in known),
        median(one.middle for one in known),
        max(one.high for one in known),
        sum(one.count for one in known),
    )


def _changed(rows: list[SharingRow]) -> SharingRow | None:
    """Return the last moment whose path differs from that of the last one of all; None where nothing has changed."""
    return next((row for row in reversed(rows) if row.path != rows[-1].path), None)


def span(found: Interval | None) -> str:
    """Return '1.99x (1.97 to 2.01)'."""
    return f"{found.middle:.2f}x ({found.low:.2f} to {found.high:.2f})" if found else "an unknown multiple"


def _pair(row: SharingRow) -> str:
    return f"CPU {row.a_cpu} and CPU {row.b_cpu}"


def _cpus(row: SharingRow) -> str:
    return f"{row.a_cpu} {row.b_cpu}"


def _clock(row: SharingRow) -> str:
    """Return '11:02:31 UTC'."""
    return f"{row.at[11:19]} UTC"
