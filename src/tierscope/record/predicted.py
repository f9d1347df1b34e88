"""The answers of a model for a program on other memories, stored as a run of its own, which has no samples."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

SUITE = "prediction"
"""The suite in the manifest of such a run. No suite of this name can be run."""


OTHERS, REST = "others", "rest"
"""Kinds of what is not one object: small objects together, and memory of the program that no object contains."""


class PredictedTier(msgspec.Struct, frozen=True, kw_only=True):
    """A program on a tier. Ratios are of the whole wall time to that here.

    null: not known, for the reason in `unknown`.
    """

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
    lever_ratio: Annotated[float | None, Meta(description="the slowdown by the lever; null: not known")] = None
    lever_low: Annotated[float | None, Meta(description="its lower bound")] = None
    lever_high: Annotated[float | None, Meta(description="its upper bound")] = None
    lever_unknown: Annotated[str, Meta(description="why the lever does not know it")] = ""


class PredictedCell(msgspec.Struct, frozen=True, kw_only=True):
    """One memory of the grid, which differs from that here in latency and bandwidth alone."""

    latency_over: Annotated[float, Meta(description="latency over that here")]
    bandwidth_over: Annotated[float, Meta(description="bandwidth over that here")]
    ratio: Annotated[float, Meta(description="of the wall time there to that here")]


class PredictedPhase(msgspec.Struct, frozen=True, kw_only=True):
    """A phase of the program on a tier; its time here is the same for each tier. null: not known."""

    phase: Annotated[str, Meta(description="as the program names it, or as `1 of 10` of equal parts")]
    tier: Annotated[str, Meta(description="as it was named")]
    visits: Annotated[int, Meta(description="times that the program enters the phase")]
    share: Annotated[float, Meta(description="of the time here")]
    seconds: Annotated[float | None, Meta(description="time of the phase here")]
    ratio: Annotated[float | None, Meta(description="of its time there to that here")] = None
    low: Annotated[float | None, Meta(description="its lower bound")] = None
    high: Annotated[float | None, Meta(description="its upper bound")] = None
    latency_share: Annotated[float | None, Meta(description="share of its time there that waits for latency")] = None
    bandwidth_share: Annotated[float | None, Meta(description="the same for bandwidth")] = None


class PlacedObject(msgspec.Struct, frozen=True, kw_only=True):
    """An object of the program: all that one call stack allocates, or the static data of a module."""

    name: Annotated[str, Meta(description="its innermost functions, as many as no other object has")]
    kind: Annotated[
        str,
        Meta(description="`site`: a call stack; `data`: static data; `others`: small ones; `rest`: no object"),
    ]
    stack: Annotated[tuple[str, ...], Meta(description="functions, the innermost first")]
    bytes: Annotated[int | None, Meta(description="the most that are allocated at one time; null of the rest")]
    allocations: Annotated[int | None, Meta(description="how often it is allocated; null of the rest")]
    share: Annotated[float, Meta(description="of the time that the tier adds")]
    moved_bytes: Annotated[float, Meta(description="that the memory reads and writes for it")]


class PlacedSet(msgspec.Struct, frozen=True, kw_only=True):
    """A set of objects in the memory here; all other memory is on the tier. null: not known."""

    fast_bytes: Annotated[int | None, Meta(description="size for which it is the best set; null: one that grows")]
    bytes: Annotated[int, Meta(description="sum of those of its objects")]
    objects: Annotated[tuple[int, ...], Meta(description="positions in the list of objects")]
    saved_share: Annotated[float, Meta(description="of the time that the tier adds, replayed")]
    estimated_share: Annotated[float, Meta(description="the same by waits alone")]
    ratio: Annotated[float | None, Meta(description="of the wall time to that here")]
    low: Annotated[float | None, Meta(description="its lower bound")]
    high: Annotated[float | None, Meta(description="its upper bound")]


class PredictedPlacement(msgspec.Struct, frozen=True, kw_only=True):
    """The objects of the program on a tier, and sets of them in the memory here."""

    tier: Annotated[str, Meta(description="as it was named")]
    count: Annotated[int, Meta(description="objects of the program")] = 0
    objects: Annotated[tuple[PlacedObject, ...], Meta(description="list of [`PlacedObject`](#placedobject)")] = ()
    sets: Annotated[tuple[PlacedSet, ...], Meta(description="list of [`PlacedSet`](#placedset)")] = ()
    unknown: Annotated[str, Meta(description='why there are none; "": there are some')] = ""


class PredictedProcess(msgspec.Struct, frozen=True, kw_only=True):
    """A process of the program that was followed in the tracer; the bounds contain what all others may take."""

    process: Annotated[
        str, Meta(description='"": the program itself; "1.2": the second process that its first process started')
    ]
    words: Annotated[tuple[str, ...], Meta(description="its program and arguments, cut")]
    share: Annotated[float, Meta(description="of the wall time here")]
    seconds: Annotated[float, Meta(description="its own wall time here, without that of others that it waited for")]
    model_over_measured: Annotated[float | None, Meta(description="of its time here")] = None


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
    phases: Annotated[tuple[PredictedPhase, ...], Meta(description="list of [`PredictedPhase`](#predictedphase)")] = ()
    placed: Annotated[
        tuple[PredictedPlacement, ...], Meta(description="list of [`PredictedPlacement`](#predictedplacement)")
    ] = ()
    notes: Annotated[tuple[str, ...], Meta(description="what limits the answers")] = ()
    followed: Annotated[
        tuple[PredictedProcess, ...] | UnsetType,
        Meta(
            description="list of [`PredictedProcess`](#predictedprocess), the heaviest first; absent if it starts none"
        ),
    ] = UNSET
