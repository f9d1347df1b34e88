"""The closed loop in a terminal: devices, shares by parameter, and every failure with the options that repeat it."""

from tierscope.draw import cells
from tierscope.draw.forms import forms, of_rows
from tierscope.draw.grid import Grid
from tierscope.suites.closed_loop.findings import PLURALS, Devices, Share, devices, failures, name_of, shares, shown
from tierscope.suites.closed_loop.row import ClosedLoopRow


def grids(rows: list[ClosedLoopRow]) -> list[Grid]:
    """Return the devices, the shares, and the failures if there are any."""
    count = len({row.device for row in rows})
    whole = [("prober", False), ("right", True), ("with a lower bound", True), ("false", True), ("inconclusive", True)]
    title = f"Probers on {count} random device{'' if count == 1 else 's'}"
    heads = [("parameter", False), ("recovered", True), ("of", True), ("share", True), ("in range", True),
             ("wrong", True), ("missed", True), ("false alarms", True)]  # fmt: skip
    found = [
        (title, whole, [_devices(one) for one in devices(rows)]),
        ("Parameters", heads, [_share(share) for share in shares(rows)]),
    ]
    failed = failures(rows)
    if failed:
        ends = [("device", True), ("parameter", False), ("built", True), ("found", True), ("verdict", False),
                ("to repeat it", False)]  # fmt: skip
        found.append(("What was not recovered", ends, [_failure(row) for row in failed]))
    return found


def _devices(one: Devices) -> list[str]:
    return [one.prober, *(str(count) for count in (one.right, one.bounds, one.false, one.inconclusive))]


def _share(share: Share) -> list[str]:
    others = [
        str(count) if count else cells.NOTHING for count in (share.ranges, share.wrong, share.missed, share.alarms)
    ]
    name = PLURALS.get(share.parameter, share.parameter)
    return [name, str(share.recovered), str(share.total), f"{100 * share.share:.1f} %", *others]


def _failure(row: ClosedLoopRow) -> list[str]:
    ends = [shown(row.truth, row.measure), shown(row.found, row.measure), row.verdict, row.repeat]
    return [str(row.device), name_of(row), *ends]


forms.add(of_rows("closed_loop", grids))
