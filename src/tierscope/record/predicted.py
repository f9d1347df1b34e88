"""The predictions of a model for a program on other memories: stored as a run of its own, which has no samples."""

from typing import Annotated

import msgspec
from msgspec import Meta

SUITE = "prediction"
"""The suite in the manifest of such a run. No suite of this name can be run."""


class PredictedTier(msgspec.Struct, frozen=True, kw_only=True):
    """A program on a tier. Ratios are of the whole wall time to that here; null: not known (see `unknown`)."""

    tier: Annotated[str, Meta(description="as it was named")]
    ratio: Annotated[float | None, Meta(description="of the wall time there to that here")]
    low: Annotated[float | None, Meta(description="its lower bound")]
    high: Annotated[float | None, Meta(description="its upper bound")]
    seconds: Annotated[float | None, Meta(description="the wall time there")]
    latency_share: Annotated[float | None, Meta(description="share of the time there that waits for latency")] = None
    bandwidth_share: Annotated[float | None, Meta(description="the same for bandwidth")] = None
    large_pages_share: Annotated[float | None, Meta(description="that pages of 2 MiB would save")] = None
    latency_over: Annotated[float | None, Meta(description="latency of the tier over that of the memory here")] = None
    bandwidth_over: Annotated[float | None, Meta(description="the same of the bandwidth")] = None
    unknown: Annotated[str, Meta(description='why it is not known; "": it is')] = ""
    lever: Annotated[str, Meta(description='of a run of `response` of the same program; "": there is none')] = ""
    lever_ratio: Annotated[float | None, Meta(description="slowdown that the lever predicts; null: none")] = None
    lever_low: Annotated[float | None, Meta(description="its lower bound")] = None
    lever_high: Annotated[float | None, Meta(description="its upper bound")] = None
    lever_unknown: Annotated[str, Meta(description="why the lever predicts none")] = ""


class PredictedCell(msgspec.Struct, frozen=True, kw_only=True):
    """One memory of the grid, which differs from that here in latency and bandwidth alone."""

    latency_over: Annotated[float, Meta(description="latency over that here")]
    bandwidth_over: Annotated[float, Meta(description="bandwidth over that here")]
    ratio: Annotated[float, Meta(description="of the wall time there to that here")]


class Predicted(msgspec.Struct, frozen=True, kw_only=True):
    """One program, measured on this machine, on all tiers and on the grid."""

    command: Annotated[tuple[str, ...], Meta(description="the program and its arguments")]
    wall_s: Annotated[float, Meta(description="median wall time of one run here")]
    noise_share: Annotated[float | None, Meta(description="of the program from itself")]
    model_over_measured: Annotated[float | None, Meta(description="of its time here")]
    memory_s: Annotated[float | None, Meta(description="latency of the memory here; null: a model stands for it")] = (
        None
    )
    bandwidth_bytes_per_s: Annotated[float | None, Meta(description="the same of its bandwidth")] = None
    tiers: Annotated[tuple[PredictedTier, ...], Meta(description="list of [`PredictedTier`](#predictedtier)")] = ()
    cells: Annotated[tuple[PredictedCell, ...], Meta(description="list of [`PredictedCell`](#predictedcell)")] = ()
    notes: Annotated[tuple[str, ...], Meta(description="what limits the answers")] = ()
