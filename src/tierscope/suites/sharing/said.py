"""What the moments of a pair say in words: alarms, changes, or that all is as it is listed."""

from collections.abc import Callable, Sequence

from tierscope.stats.median import Interval
from tierscope.suites.sharing.row import SharingRow
from tierscope.suites.sharing.verdict import FULL, OWN, SHARED, UNKNOWN
from tierscope.tables import Insight, Number
from tierscope.units import show_rate

NOT_AS_LISTED = {SHARED: "although the system lists them as two", OWN: "although the system lists them as one"}


def said_of(rows: Sequence[SharingRow]) -> list[Insight]:
    """Return what is known of one pair; rows: its moments, in the order of time."""
    found = []
    cores = [row for row in rows if row.core != UNKNOWN and row.slowdown]
    paths = [row for row in rows if row.path != UNKNOWN and row.gain]
    if cores and cores[-1].slowdown:
        found.append(_core(cores[-1], cores[-1].slowdown, _changed(cores, lambda row: row.core)))
    if paths and paths[-1].gain:
        found.append(_path(paths[-1], paths[-1].gain, _changed(paths, lambda row: row.path)))
    return found


def core_words(row: SharingRow) -> str:
    """'CPU 0 and CPU 1 share a core although the system lists them as two', 'CPU 0 and CPU 1 have a core each'."""
    what = "share a core" if row.core == SHARED else "have a core each"
    as_listed = ", as the system lists them" if row.core == SHARED else ""
    return f"{_pair(row)} {what}{as_listed if row.core == row.listed else f' {NOT_AS_LISTED[row.core]}'}"


def path_words(row: SharingRow) -> str:
    """'With write_nt, two threads (CPU 0 and CPU 1) get no more from memory than one'.

    It names the kernel because another one may gain where this one does not.
    """
    more = "no more" if row.path == FULL else "more"
    return f"With {row.kernel}, two threads ({_pair(row)}) get {more} from memory than one"


def _core(row: SharingRow, found: Interval, changed: SharingRow | None) -> Insight:
    """changed: a moment before, at which it was not so."""
    text = core_words(row)
    if changed:
        before = "shared one" if changed.core == SHARED else "had a core each"
        text += f" at {_clock(row)}, and {before} at {_clock(changed)}"
    text += f": together, each takes {span(found)} the time of one alone"
    return Insight(name=f"core {_cpus(row)}", text=text, value=found.middle, low=found.low, high=found.high, unit="1")


def _path(row: SharingRow, found: Interval, changed: SharingRow | None) -> Insight:
    """changed: likewise."""
    of = f" of {show_rate(row.bandwidth.middle)}" if row.bandwidth else ""
    text = f"{path_words(row)}: {span(found)}{of}"
    others: tuple[Number, ...] = ()
    if changed and changed.gain:
        text += f" at {_clock(row)}, and {span(changed.gain)} at {_clock(changed)}"
        others = (Number(value=changed.gain.middle, low=changed.gain.low, high=changed.gain.high),)
    return Insight(
        name=f"memory {_cpus(row)}",
        text=text,
        value=found.middle,
        low=found.low,
        high=found.high,
        unit="1",
        others=others,
    )


def _changed(rows: list[SharingRow], of: Callable[[SharingRow], str]) -> SharingRow | None:
    """The last moment that differs from the last one of all; None where nothing has changed."""
    return next((row for row in reversed(rows) if of(row) != of(rows[-1])), None)


def span(found: Interval | None) -> str:
    """'1.99x (1.97 to 2.01)'."""
    return f"{found.middle:.2f}x ({found.low:.2f} to {found.high:.2f})" if found else "an unknown multiple"


def _pair(row: SharingRow) -> str:
    return f"CPU {row.a_cpu} and CPU {row.b_cpu}"


def _cpus(row: SharingRow) -> str:
    return f"{row.a_cpu} {row.b_cpu}"


def _clock(row: SharingRow) -> str:
    """'11:02:31 UTC'."""
    return f"{row.at[11:19]} UTC"
