"""The options of `fleet imagine`, and the faults that it plants."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope.errors import UsageError
from tierscope.plans.kinds import SHARE, Help, one_of
from tierscope.plans.options import Options

FAULTS = {
    "slow": "all metrics slower by `size`",
    "metric": "one metric slower by `size`",
    "step": "all metrics slower from a day on",
    "drift": "all metrics slower little by little, over the last half of the days",
    "wrong": "a kernel leaves wrong bytes",
    "fleet": "every host slower by `size`, from the middle of the days on; any number",
    "missing": "the host does not answer on the last day",
    "cloned": "two hosts report one machine identity",
    "duplicate": "one report is there twice, under another file name",
}
Share = Annotated[float, Meta(ge=0, le=0.9), SHARE]
Count = Annotated[int, Meta(ge=0, le=2_000_000)]


class ImagineOptions(Options, frozen=True, kw_only=True):
    """Options of an imagined fleet. Noise is the standard deviation of the logarithm: 0.01 is 1 %."""

    machines: Annotated[Count, Help("number of hosts; 0 is an empty fleet")] = 100
    days: Annotated[int, Meta(ge=1, le=3660), Help("days with one session per host each")] = 10
    start: Annotated[str, Meta(pattern=r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"), Help("the first day")] = "2026-01-01"
    seed: Annotated[Count, Help("equal seeds give equal fleets")] = 1
    metrics: Annotated[int, Meta(ge=1, le=4096), Help("metrics of each session, half of them in B/s")] = 8
    faults: Annotated[
        str, Help("list of `KIND:COUNT`, such as `slow:3,metric:2`; kinds: " + ", ".join(f"`{one}`" for one in FAULTS))
    ] = "slow:2,metric:2,step:2,wrong:1"
    size: Annotated[Share, Help("size of the planted slowdowns; 0.05 is 5 %")] = 0.05
    spread: Annotated[Share, Help("spread of healthy hosts")] = 0.008
    tails: Annotated[str, one_of("law", ("normal", "t3")), Help("healthy hosts: `normal`, or heavy tails: `t3`")] = (
        "normal"
    )
    run_noise: Annotated[Share, Help("noise of one repeat; a session is the median of five")] = 0.01
    session_noise: Annotated[Share, Help("noise that all repeats of a session share")] = 0.005
    memory: Annotated[Share, Help("share of a day's noise that is still there on the next day: AR(1)")] = 0.3
    kinds_apart: Annotated[Share, Help("distance of two DIMM kinds that no identity names; 0: one kind")] = 0.0
    kinds_share: Annotated[Share, Help("share of the slower kind")] = 0.2
    skus: Annotated[int, Meta(ge=1, le=1000), Help("kinds of machines")] = 1


def planted(options: ImagineOptions) -> dict[str, int]:
    """Return the number of hosts for each kind of fault; UsageError names a part that is not `KIND:COUNT`."""
    found: dict[str, int] = {}
    for part in filter(None, options.faults.split(",")):
        kind, _, count = part.partition(":")
        if kind not in FAULTS or not count.isdecimal() or len(count) > 7 or kind in found:
            raise UsageError(f"faults={options.faults}: {part!r} is not KIND:COUNT; try slow:3,metric:2 "
                             f"(kinds: {', '.join(FAULTS)})")  # fmt: skip
        found[kind] = int(count)
    if sum(count for kind, count in found.items() if kind != "fleet") > options.machines:
        raise UsageError(f"faults={options.faults} needs more hosts than machines={options.machines}")
    return found


class Truth(msgspec.Struct, frozen=True, kw_only=True):
    """The planted faults, for the scorer alone: host index -> fault."""

    options: ImagineOptions
    faults: dict[str, tuple[str, ...]]  # kind -> names of hosts
    metric: dict[str, int]  # host with a fault of one metric -> its place
    day: dict[str, int]  # host with a step or drift, or "" for the fleet -> place of its first slow day
    slower_kind: tuple[str, ...]
