"""A made prediction: a program whose time follows a stated law over latency and bandwidth."""

from pathlib import Path

from made_machine import made_machine
from tierscope.predict.program.grid import axes
from tierscope.record.predicted import (
    OTHERS,
    REST,
    SUITE,
    PlacedObject,
    PlacedSet,
    Predicted,
    PredictedCell,
    PredictedPhase,
    PredictedPlacement,
    PredictedTier,
)
from tierscope.record.result import SCHEMA, Manifest, Result, Run, Software, load, save_manifest, save_result

TIERS = (("cxl", 2.5, 0.5), ("read=200ns,bandwidth=4GB/s", 1.4, 0.12))
STARTED = "2026-01-02T03:04:05Z"


PHASES = (("build", 1, 0.25, 1.2), ("solve", 4, 0.75, 2.1))  # name, visits, share of the time here, slowdown
OBJECTS = (("get < graph (solve.c:20)", 0.7, 48 << 20, 0.2), ("get < edges (solve.c:31)", 0.25, 512 << 20, 0.7))
GIB = 1 << 30


def slowdown(latency: float, bandwidth: float) -> float:
    """Return the time over that here: 60 % grows with latency, and bandwidth limits it from 0.4 down."""
    return 0.4 + 0.6 * latency + max(0.0, 0.4 / bandwidth - 1)


def made_placement(tier: str, ratio: float, *, known: bool = True) -> PredictedPlacement:
    """Return two objects of 41, the growing sets of them, and the best one for 64 MiB and for 1 GiB."""
    objects = [
        PlacedObject(name=name, kind="site", stack=(*name.split(" < "), "main (solve.c:90)"), bytes=size,
                     allocations=number + 1, share=share, moved_bytes=moved * 1e9)
        for number, (name, share, size, moved) in enumerate(OBJECTS)
    ]  # fmt: skip
    objects += [
        PlacedObject(name="39 other objects", kind=OTHERS, stack=(), bytes=1 << 20, allocations=900, share=0.01,
                     moved_bytes=4e7),
        PlacedObject(name="the rest", kind=REST, stack=(), bytes=None, allocations=None, share=0.04, moved_bytes=6e7),
    ]  # fmt: skip

    def placed(chosen: tuple[int, ...], fast: int | None = None) -> PlacedSet:
        saved = sum(OBJECTS[i][1] for i in chosen)
        time = 1 + (ratio - 1) * (1 - saved)
        return PlacedSet(
            fast_bytes=fast, bytes=sum(OBJECTS[i][2] for i in chosen), objects=chosen, saved_share=saved,
            estimated_share=0.99 * saved, ratio=time if known else None, low=0.95 * time if known else None,
            high=1.04 * time if known else None,
        )  # fmt: skip

    sets = (placed(()), placed((0,)), placed((0, 1)), placed((0,), GIB // 16), placed((0, 1), GIB))
    return PredictedPlacement(tier=tier, count=41, objects=tuple(objects), sets=sets)


def made_phases(*, known: bool = True) -> tuple[PredictedPhase, ...]:
    """Return two phases on each tier that has a place."""
    return tuple(
        PredictedPhase(
            phase=name, tier=tier, visits=visits, share=share, seconds=3 * share if known else None,
            ratio=ratio if known else None, low=0.9 * ratio if known else None, high=1.1 * ratio if known else None,
            latency_share=0.5, bandwidth_share=0.1,
        )
        for name, visits, share, ratio in PHASES
        for tier, *_ in TIERS
    )  # fmt: skip


def made_predicted(*, grid: bool = True, unknown: str = "") -> Predicted:
    """Return what is stored; with a third tier of a simulated machine, which states no latency."""
    latencies, bandwidths = axes([(over, width) for _, over, width in TIERS])
    cells = [
        PredictedCell(latency_over=x, bandwidth_over=y, ratio=slowdown(x, y)) for x in latencies for y in bandwidths
    ]
    tiers = [
        PredictedTier(
            tier=name, ratio=None if unknown else ratio, low=None if unknown else 0.93 * ratio,
            high=None if unknown else 1.08 * ratio, seconds=None if unknown else 3 * ratio, latency_share=0.45,
            bandwidth_share=0.2, large_pages_share=0.08, latency_over=over, bandwidth_over=width, unknown=unknown,
        )
        for name, over, width in (*TIERS, ("optane100", None, None))
        for ratio in [slowdown(over or 3.0, width or 0.3)]
    ]  # fmt: skip
    return Predicted(
        command=("./solve", "in.txt"), wall_s=3.0, noise_share=0.01, model_over_measured=1.04, memory_s=140e-9,
        bandwidth_bytes_per_s=30e9, tiers=tuple(tiers), cells=tuple(cells) if grid and not unknown else (),
        notes=("the core was not probed",), phases=made_phases(known=not unknown),
        placed=(
            *(made_placement(one.tier, one.ratio or 2.0, known=not unknown) for one in tiers[:2]),
            PredictedPlacement(tier="optane100", unknown="the program stated no allocation"),
        ),
    )  # fmt: skip


def prediction_run(directory: Path, found: Predicted | None = None) -> Run:
    """Return a stored prediction."""
    machine, software = made_machine(), Software(tierscope="0.1.0", core="", compiler="", python="3.11")
    manifest = Manifest(
        schema=SCHEMA, argv=("tierscope", "predict"), suite=SUITE, options={}, plan="", software=software,
        machine=machine, findings=(), started=STARTED,
    )  # fmt: skip
    result = Result(
        schema=SCHEMA, suite=SUITE, options={}, origin="simulated", software=software, machine=machine, findings=(),
        started=STARTED, complete=True, predicted=found or made_predicted(),
    )  # fmt: skip
    directory.mkdir(exist_ok=True)
    save_manifest(directory, manifest)
    save_result(directory, result)
    return load(directory)
