"""Changes from run to run, as earlier runs of the same machine showed them when a run began.

A run stores it, so that its intervals are the same wherever it is read. See `stats.between_runs` and `run.earlier`.
"""

from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope.record.possible import refuse_numbers


class Between(msgspec.Struct, frozen=True, kw_only=True):
    """The changes of one kind of point from run to run; OutOfRangeError for a number below 0 or not finite."""

    kind: Annotated[
        str,
        Meta(
            description="the points: table, operation, and mostly place, pages, threads, level; or a digest of one "
            "point that changes by more than its kind"
        ),
    ] = ""
    variance: Annotated[float, Meta(description="of ln(number) between runs, beyond what each run states")] = 0.0
    degrees: Annotated[
        float, Meta(description="of freedom: the most runs that measured one point, less 1; 0: nothing is known")
    ] = 0.0

    def __post_init__(self) -> None:
        refuse_numbers("between", self, {})


class Earlier(msgspec.Struct, frozen=True, kw_only=True):
    """All that is known of earlier runs."""

    runs: Annotated[int, msgspec.Meta(ge=0), Meta(description="number of earlier runs that are known")] = 0
    since: Annotated[str, Meta(description='start of the oldest of them, UTC, ISO 8601; ""')] = ""
    kinds: Annotated[
        tuple[Between, ...], Meta(description="list of [`Between`](#between): what was measured in several runs")
    ] = ()
    assumed: Annotated[
        Between | None,
        Meta(
            description="[`Between`](#between) of points that use shared caches or memory, until earlier runs show it; "
            "null: nothing but the changes within the run"
        ),
    ] = None
