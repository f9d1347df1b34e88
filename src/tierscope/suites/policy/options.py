"""The options of `tierscope run policy`: its three parts, and what they may take."""

from typing import Annotated

from msgspec import Meta

from tierscope.plans import SuiteOptions
from tierscope.plans.kinds import Help, LineSize, Names, Number, Size, Time, Visits, several
from tierscope.plans.usual import PageSize, Precision
from tierscope.record.experiment import Target

PARTS = ("interleave", "migration", "combining")
INTERLEAVE, MIGRATION, COMBINING = PARTS


class PolicyOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run policy`."""

    target: Annotated[Target, Help("where the bytes live; `sim:PRESET` for a simulated memory")] = Target()
    pages: PageSize = "thp"
    parts: Annotated[Names, several("part", PARTS), Help("what is looked for")] = PARTS
    threads: Annotated[
        Annotated[int, Meta(ge=1, le=1 << 31)] | None,
        Help(
            "threads that store at all strides; auto: one on each CPU of the node, up to 24. They must ask "
            "for more than one of the memories gives"
        ),
    ] = None
    to: Annotated[LineSize | None, Help("largest stride; auto: 4 MiB, or what the memory allows with 2048 lines")] = (
        None
    )
    writes: Annotated[
        int,
        Meta(ge=10_000, le=1 << 31),
        Help(
            "single writes to one place, half as many to larger ones; migrations up to a twelfth of it apart "
            "are found in all of them"
        ),
    ] = 600_000
    memory: Annotated[Size | None, Help("most bytes mapped; auto: 2 GiB, within half of what is free")] = None
    cpu: Annotated[
        Number | None, Help("the CPU of single writes and of regions; auto: the first of the target's node")
    ] = None
    precision: Precision = 0.02
    budget: Annotated[Time, Help("most seconds timed for one stride or region")] = 0.4
    visits: Visits = 3
