"""The findings of `closed_loop` in words: shares by parameter, then every failure with what repeats it."""

from dataclasses import dataclass

from tierscope.suites.closed_loop.row import ClosedLoopRow
from tierscope.suites.closed_loop.score import ALARM, MISSED, RECOVERED, WRONG
from tierscope.tables import Insight, Number
from tierscope.units import show_bytes, show_seconds

KINDS = ("recovered", "wrong", "missed", "alarms")
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
    wrong: int
    missed: int
    alarms: int

    @property
    def total(self) -> int:
        return self.recovered + self.wrong + self.missed + self.alarms

    @property
    def share(self) -> float:
        return self.recovered / self.total


def shares(rows: list[ClosedLoopRow]) -> list[Share]:
    """Return the shares, in the order in which parameters first appear."""
    found = []
    for parameter in dict.fromkeys(row.parameter for row in rows):
        own = [row.verdict for row in rows if row.parameter == parameter]
        found.append(Share(parameter, *(own.count(verdict) for verdict in (RECOVERED, WRONG, MISSED, ALARM))))
    return found


def false(rows: list[ClosedLoopRow]) -> list[ClosedLoopRow]:
    """Return the answers that are wrong, or of nothing where something is, and that the prober called conclusive."""
    return [row for row in rows if row.sure and row.verdict != RECOVERED]


def failures(rows: list[ClosedLoopRow]) -> list[ClosedLoopRow]:
    return [row for row in rows if row.verdict != RECOVERED]


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
    return [told[0], _false(rows), *told[1:], *(_failure(row) for row in failures(rows))]


def _share(share: Share) -> Insight:
    kinds = ((share.wrong, WRONG), (share.missed, MISSED), (share.alarms, ALARM if share.alarms == 1 else f"{ALARM}s"))
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
