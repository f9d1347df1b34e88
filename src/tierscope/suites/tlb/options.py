"""The options of `tierscope run tlb`."""

from typing import Annotated

from msgspec import Meta

from tierscope.plans import SuiteOptions
from tierscope.plans.kinds import Help, Names, Number, Size, Visits, several
from tierscope.plans.usual import Budget, PrecisionInPercent, Where
from tierscope.record.experiment import PAGES, Target


class TlbOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run tlb`."""

    target: Where = Target()
    pages: Annotated[
        Names,
        several("page size", PAGES),
        Help("page sizes: `4k`, `thp`, `2m`, `1g`; one that the system does not give is left out"),
    ] = ("4k", "thp")
    to: Annotated[
        Annotated[int, Meta(ge=64, le=1 << 31)] | None,
        Help("most pages touched; auto: 16384, fewer if memory or half of the last-level cache contains fewer lines"),
    ] = None
    per_octave: Annotated[
        int, Meta(ge=2, le=32), Help("numbers of pages to a doubling; more are measured where a level ends")
    ] = 4
    memory: Annotated[Size | None, Help("most bytes mapped; auto: 2 GiB, within half of the free memory")] = None
    cpu: Annotated[Number | None, Help("the CPU that chases; auto: the first of the target's node")] = None
    precision: PrecisionInPercent = 0.02
    budget: Budget = 0.3
    visits: Visits = 3
