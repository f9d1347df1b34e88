"""The answers in a terminal: what was measured here, then a line for each tier."""

from rich.console import Console
from rich.text import Text

from tierscope.predict.objects.text import show as show_placed
from tierscope.predict.program.answer import Answer
from tierscope.predict.program.found import Found
from tierscope.predict.program.text_phases import show as show_phases
from tierscope.printable import printable
from tierscope.units import show_seconds


def show(found: Found, console: Console) -> None:
    """Print 'optane100: 1.37x (1.31 to 1.44), 12.1 s: 62 % of the time waits for misses, ...'."""
    here, native = found.anchor, found.native
    noise = "" if native.noise_share is None else f"; noise {native.noise_share:.1%}"
    several = len(found.followed) > 1  # a note has that of each
    model = "" if here.ratio is None or several else f"; model / measured {here.ratio:.2f}"
    console.print(Text(printable(" ".join(found.command)), style="bold"))
    console.print(
        f"Here: {show_seconds(native.wall_s.middle)} ({show_seconds(native.wall_s.low)} to "
        f"{show_seconds(native.wall_s.high)}, {native.runs} runs), user time {show_seconds(native.user_s.middle)}"
        f"{noise}{model}",
        soft_wrap=True, markup=False, highlight=False,
    )  # fmt: skip
    for one in found.tiers:
        console.print(Text(f"{printable(one.tier)}: {printable(line(one))}"), soft_wrap=True)
        if one.lever and one.ratio is not None:
            console.print(Text(f"  {printable(beside(one))}"), soft_wrap=True)
    show_phases(found.phases, console)
    for placed in found.placed:
        show_placed(placed, console)
    for note in found.every_note:
        console.print(Text(f"Note: {printable(note)}."), soft_wrap=True)


def beside(one: Answer) -> str:
    """Return the answer of a lever, which follows that of the model."""
    if one.lever_ratio is None:
        return f"lever {one.lever}: not known, because {one.lever_unknown}"
    return f"lever {one.lever}: {one.lever_ratio:.2f}x ({one.lever_low:.2f} to {one.lever_high:.2f})"


def line(one: Answer) -> str:
    """Return one tier as a sentence."""
    if one.ratio is None or one.low is None or one.high is None or one.seconds is None:
        return f"not known, because {one.unknown}"
    told = f"{one.ratio:.2f}x ({one.low:.2f} to {one.high:.2f}), {show_seconds(one.seconds)}"
    parts = []
    if one.latency_share is not None and one.bandwidth_share is not None:
        parts.append(f"{one.latency_share:.0%} of the time waits for misses, {one.bandwidth_share:.0%} for bandwidth")
    if one.large_pages_share is not None:
        parts.append(f"2 MiB pages would save {one.large_pages_share:.0%}")
    return told + (f": {'; '.join(parts)}" if parts else "")
