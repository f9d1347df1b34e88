"""The findings of `closed_loop` in words: devices, shares by parameter, then every failure with what repeats it."""

from dataclasses import dataclass

from tierscope.suites.closed_loop.row import ClosedLoopRow
from tierscope.suites.closed_loop.score import ALARM, MISSED, RANGE, RECOVERED, TRUE, WRONG
from tierscope.tables import Insight, Number
from tierscope.units import show_bytes, show_seconds

KINDS = ("recovered", "ranges", "wrong", "missed", "alarms")
RIGHT, FALSE, INCONCLUSIVE = "right", "false", "inconclusive"
PLURALS = {
    "every": "parameters of simulated memories",
    "buffers": "numbers of buffers", "capacity": "capacities", "unit": "units", "latency": "latencies of buffers",
    "medium": "latencies of the medium", "ways": "numbers of memories", "grain": "interleaving grains",
    "period": "migration periods", "stall": "migration stalls", "moved unit": "units of migration",
    "entries": "queue depths", "joined unit": "units of joined writes",
}  # fmt: skip


@dataclass(frozen=True)
class Share:
    """The number of rows with each verdict, for one parameter."""

    parameter: str
    recovered: int
    ranges: int
    wrong: int
    missed: int
    alarms: int

    @property
    def total(self) -> int:
        return self.recovered + self.ranges + self.wrong + self.missed + self.alarms

    @property
    def share(self) -> float:
        return self.recovered / self.total


def shares(rows: list[ClosedLoopRow]) -> list[Share]:
    """Return the shares, in the order in which parameters first appear."""
    found = []
    for parameter in dict.fromkeys(row.parameter for row in rows):
        own = [row.verdict for row in rows if row.parameter == parameter]
        found.append(Share(parameter, *(own.count(verdict) for verdict in (RECOVERED, RANGE, WRONG, MISSED, ALARM))))
    return found


@dataclass(frozen=True)
class Devices:
    """The number of devices with each verdict, for one prober. bounds: right ones with a lower bound."""

    prober: str
    right: int
    bounds: int
    false: int
    inconclusive: int

    @property
    def total(self) -> int:
        return self.right + self.false + self.inconclusive


def devices(rows: list[ClosedLoopRow]) -> list[Devices]:
    """Return the devices that each prober saw, in the order in which probers first appear."""
    found = []
    for prober in dict.fromkeys(row.prober for row in rows):
        parts: dict[int, list[ClosedLoopRow]] = {}
        for row in rows:
            if row.prober == prober:
                parts.setdefault(row.device, []).append(row)
        told = [verdict_of(own) for own in parts.values()]
        bounds = sum(verdict_of(own) == RIGHT and any(row.bound for row in own) for own in parts.values())
        found.append(Devices(prober, told.count(RIGHT), bounds, told.count(FALSE), told.count(INCONCLUSIVE)))
    return found


def verdict_of(rows: list[ClosedLoopRow]) -> str:
    """Return the verdict about one prober on one device: right only if all its answers are conclusive and true."""
    if false(rows):
        return FALSE
    return RIGHT if all(row.sure and row.verdict in TRUE for row in rows) else INCONCLUSIVE


def false(rows: list[ClosedLoopRow]) -> list[ClosedLoopRow]:
    """Return the answers that are wrong, or of nothing where something is, and that the prober called conclusive."""
    return [row for row in rows if row.sure and row.verdict not in TRUE]


def failures(rows: list[ClosedLoopRow]) -> list[ClosedLoopRow]:
    return [row for row in rows if row.verdict not in TRUE]


def shown(value: float | None, measure: str) -> str:
    """Return '24 KiB', '107 ns', '52'; 'none'. measure: B, s or 1."""
    if value is None:
        return "none"
    return show_bytes(value) if measure == "B" else show_seconds(value) if measure == "s" else f"{value:.4g}"


def name_of(row: ClosedLoopRow) -> str:
    return row.parameter if row.level is None else f"{row.parameter} of buffer {row.level}"


def sentences(rows: list[ClosedLoopRow]) -> list[Insight]:
    if not rows:
        return []
    every = Share("every", *(sum(getattr(one, kind) for one in shares(rows)) for kind in KINDS))
    told = [_share(share) for share in (every, *shares(rows))]
    each = [_devices(one) for one in devices(rows)]
    return [told[0], _false(rows), *each, *told[1:], *(_failure(row) for row in failures(rows))]


def _devices(one: Devices) -> Insight:
    bounds = f" ({one.bounds} with a lower bound)" if one.bounds else ""
    return Insight(
        name=f"devices {one.prober}",
        text=f"`{one.prober}` is right on {one.right} of {one.total} device{'s' * (one.total != 1)}{bounds}, false on "
        f"{one.false} and inconclusive on {one.inconclusive}",
        value=float(one.right),
        unit="1",
        kind="count",
        whole=float(one.total),
    )


def _share(share: Share) -> Insight:
    kinds = (
        (share.ranges, RANGE),
        (share.wrong, WRONG),
        (share.missed, MISSED),
        (share.alarms, ALARM if share.alarms == 1 else f"{ALARM}s"),
    )
    rest = ", ".join(f"{count} {word}" for count, word in kinds if count)
    name = PLURALS.get(share.parameter, share.parameter)
    return Insight(
        name=f"recovered {share.parameter}",
        text=f"{share.recovered} of {share.total} {name} recovered{f' ({rest})' if rest else ''}",
        value=share.share,
        unit="1",
        kind="share",
        others=(Number(value=float(share.recovered), whole=float(share.total)),),
    )


def _false(rows: list[ClosedLoopRow]) -> Insight:
    wrong = false(rows)
    devices, all_devices = len({row.device for row in wrong}), len({row.device for row in rows})
    return Insight(
        name="false",
        text=f"{len(wrong) or 'No'} conclusive {'answer is' if len(wrong) == 1 else 'answers are'} wrong, on {devices} "
        f"of {all_devices} device{'s' * (all_devices != 1)}",
        value=float(len(wrong)),
        unit="1",
        others=(Number(value=float(devices), whole=float(all_devices)),),
    )


def _failure(row: ClosedLoopRow) -> Insight:
    built, found = shown(row.truth, row.measure), shown(row.found, row.measure)
    return Insight(
        name="failure",
        text=f"Device {row.device}: {name_of(row)} is {built}, found {found}: {row.verdict}; {row.repeat}",
    )
