"""Objects and their placement in a terminal: what waits for each, time over size of memory, and the best sets."""

from itertools import pairwise

from rich.console import Console
from rich.table import Table
from rich.text import Text

from tierscope.draw.braille import Axis, Curve, plot
from tierscope.predict.objects.choice import USEFUL
from tierscope.predict.objects.objects import moved_bytes, objects_of
from tierscope.predict.objects.placed import Placed, Point
from tierscope.predict.program.answer import Answer
from tierscope.printable import printable
from tierscope.simulated.replay import Traced
from tierscope.units import MiB, show_apart, show_bytes

SHOWN = 10  # objects
NAMES = 5  # objects that a sentence names
WIDTH, HEIGHT = 72, 12  # of the curve


def show(placed: Placed, console: Console) -> None:
    """Print the objects that carry the added time of a tier, the curve, and a sentence for each size."""
    if placed.unknown:
        console.print(Text(f"Objects on {printable(placed.tier)}: not known, because {placed.unknown}"), soft_wrap=True)
        return
    console.print(_objects(placed))
    console.print(_curve(placed))
    if drawn := _drawn(placed, console.width):
        console.print(Text(drawn), soft_wrap=True)
    for point in placed.best:
        console.print(Text(printable(sentence(placed, point))), soft_wrap=True)


def sentence(placed: Placed, point: Point) -> str:
    """Return 'With 2 GiB: these 3 of 41 objects, 1.2 GiB, in the memory here: 1.04x (...) instead of 1.37x: a, b'."""
    wanted = point.fast or point.bytes
    size = show_apart([wanted, *(one.fast for one in placed.best if one.fast)])[wanted]
    if not point.objects:
        return f"With {size} of the memory here: no object that waits for {placed.tier} fits"
    by_share = sorted(point.objects, key=lambda i: -placed.shares[i])
    names = "; ".join(placed.objects[i].name for i in by_share[:NAMES])
    others = f"; {len(by_share) - NAMES} more" if len(by_share) > NAMES else ""
    which = "this one" if len(by_share) == 1 else f"these {len(by_share)}"
    where = f"{which} of {len(placed.objects)} objects, {show_bytes(point.bytes)}, in the memory here"
    told = f"{ratio(point.answer)} instead of {ratio(placed.curve[0].answer)}"
    if point.answer.ratio is None:
        told = f"{point.share:.0%} less added time by the model; the time itself is not known"
    return f"With {size}: {where}: {told}: {names}{others}"


def ratio(answer: Answer) -> str:
    """Return '1.04x (1.02 to 1.06)', or 'not known'."""
    if answer.ratio is None or answer.low is None or answer.high is None:
        return "not known"
    return f"{answer.ratio:.2f}x ({answer.low:.2f} to {answer.high:.2f})"


def waits(traced: Traced) -> Table:
    """Return the objects of one machine: what part of the time waits for each, and what the memory moves for it."""
    objects, whole = objects_of(traced), traced.seconds or 1.0
    waited = {number: seconds for number, seconds, *_ in traced.objects}
    shares = [sum(waited.get(place, 0.0) for place in one.places) / whole for one in objects]
    table = Table(box=None, title=Text(f"Objects on {printable(traced.machine)}"), title_justify="left")
    for head in ("time that waits", "size", "allocations", "moved", "object"):
        table.add_column(head, justify="left" if head == "object" else "right", overflow="fold")
    for i in sorted(range(len(objects)), key=lambda i: -shares[i])[:SHOWN]:
        one = objects[i]
        table.add_row(f"{shares[i]:.1%}", show_bytes(one.bytes), f"{one.allocations:,}",
                      show_bytes(moved_bytes(one, traced)), Text(printable(one.name)))  # fmt: skip
    rest = max(sum(waited.values()) / whole - sum(shares), 0.0)
    table.add_row(f"{rest:.1%}", "", "", "", "the rest: stacks and what is not an object")
    return table


def _objects(placed: Placed) -> Table:
    table = Table(box=None, title=Text(f"Objects on {printable(placed.tier)}"), title_justify="left")
    for head in ("added time", "size", "allocations", "moved", "object"):
        table.add_column(head, justify="left" if head == "object" else "right", overflow="fold")
    order = sorted(range(len(placed.objects)), key=lambda i: -placed.shares[i])
    shown = [i for i in order if placed.shares[i] >= USEFUL][:SHOWN]
    for i in shown:
        one = placed.objects[i]
        table.add_row(f"{placed.shares[i]:.1%}", show_bytes(one.bytes), f"{one.allocations:,}",
                      show_bytes(placed.moved[i]), Text(printable(one.name)))  # fmt: skip
    left = [i for i in order if i not in shown]
    table.add_row(f"{sum(placed.shares[i] for i in left):.1%}", show_bytes(sum(placed.objects[i].bytes for i in left)),
                  f"{sum(placed.objects[i].allocations for i in left):,}",
                  show_bytes(sum(placed.moved[i] for i in left)), f"{len(left)} other objects")  # fmt: skip
    table.add_row(f"{max(1 - sum(placed.shares), 0):.1%}", "", "", "", "the rest: stacks and what is not an object")
    return table


def _curve(placed: Placed) -> Table:
    table = Table(box=None, title=Text("Time over the size of the memory here"), title_justify="left")
    for head in ("size", "objects", "added time saved", "time"):
        table.add_column(head, justify="right")
    for point in placed.curve:
        count = f"{len(point.objects)} of {len(placed.objects)}"
        table.add_row(show_bytes(point.bytes), count, f"{point.share:.1%}", ratio(point.answer))
    return table


def _drawn(placed: Placed, width: int) -> str:
    """Return the curve with its bounds, in steps; "" where the answer is not known or there is one size."""
    known = [(point.bytes / MiB, point.answer) for point in placed.curve if point.answer.ratio is not None]
    if len(known) < 2:
        return ""
    steps = known[:1]
    for (_, before), (size, answer) in pairwise(known):
        steps += [(size, before), (size, answer)]
    sizes = [size for size, _ in steps]
    lines = [("time", "ratio"), ("low", "low"), ("high", "high")]
    curves = [Curve(label, sizes, [getattr(answer, name) for _, answer in steps]) for label, name in lines]
    return plot(curves, Axis("memory here, MiB"), Axis("times the time here"), width=min(width, WIDTH), height=HEIGHT)
