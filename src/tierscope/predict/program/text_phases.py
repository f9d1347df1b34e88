"""Phases in a terminal: a row for each, with its time here and on each tier."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.predict.program.phases import Phase, PhaseThere
from tierscope.printable import printable
from tierscope.units import show_seconds


def show(found: Sequence[Phase], console: Console) -> None:
    """Print 'sort | 40.0% | 1.2 s | 1.37x (1.31 to 1.44), 62% misses, 8% bandwidth'."""
    if not found:
        return
    table = Table(box=None, title=Text("Phases"), title_justify="left")
    for head in ("phase", "share", "time here", *(printable(one.tier) for one in found[0].there)):
        table.add_column(head, justify="right" if head in {"share", "time here"} else "left", overflow="fold")
    for phase in found:
        name = printable(phase.name) + (f" ({phase.visits:,} times)" if phase.visits > 1 else "")
        time = "not known" if phase.seconds is None else show_seconds(phase.seconds)
        table.add_row(Text(name), f"{phase.share:.1%}", time, *(Text(there(one)) for one in phase.there))
    console.print(table)


def there(one: PhaseThere) -> str:
    """Return a phase on a tier as a cell."""
    known = one.ratio is not None and one.low is not None and one.high is not None
    told = f"{one.ratio:.2f}x ({one.low:.2f} to {one.high:.2f})" if known else "not known"
    if one.latency_share is None or one.bandwidth_share is None:
        return told
    return f"{told}: {one.latency_share:.0%} misses, {one.bandwidth_share:.0%} bandwidth"
