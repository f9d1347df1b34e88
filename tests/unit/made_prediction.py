"""A made prediction: a program whose time follows a stated law over latency and bandwidth."""

from pathlib import Path

from made_machine import made_machine
from tierscope.predict.program.grid import axes
from tierscope.record.predicted import SUITE, Predicted, PredictedCell, PredictedTier
from tierscope.record.result import SCHEMA, Manifest, Result, Run, Software, load, save_manifest, save_result

TIERS = (("cxl", 2.5, 0.5), ("read=200ns,bandwidth=4GB/s", 1.4, 0.12))
STARTED = "2026-01-02T03:04:05Z"


def slowdown(latency: float, bandwidth: float) -> float:
    """Return the time over that here: 60 % grows with latency, and bandwidth limits it from 0.4 down."""
    return 0.4 + 0.6 * latency + max(0.0, 0.4 / bandwidth - 1)


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
        notes=("the core was not probed",),
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
