"""Our models on document 000: splits of threads over two memories, and threads up to the hyper-threads."""

from collections.abc import Iterator, Sequence

import numpy as np

from tierscope.arrays import Floats
from tierscope.models.scaling import Scaling
from tierscope.models.sharing import Sharing, Split
from tierscope.reference import load
from tierscope.reproduce.score import Point, Score, scatter

CORES = 16
KERNELS = ("copy", "scale", "add", "triad")
MODES = {"nvm_nvm": "table 3, NVM to NVM", "nvm_dram": "table 4, NVM to DRAM", "dram_nvm": "table 5, DRAM to NVM"}
QUARTERS = (CORES // 4, CORES - CORES // 4)  # a rule, not a choice by the tables
KNEE = (1, CORES // 4, CORES)
MB = 1e6


def scores() -> list[Score]:
    """Return those of tables 1 to 5."""
    found = [split_score(mode, QUARTERS) for mode in MODES]
    found += [split_score(mode, (CORES // 2,)) for mode in MODES]
    found.append(split_score("nvm_nvm", ()))
    return [*found, scaling_score("dram"), scaling_score("nvdimm")]


def alone(memory: str, kernel: str = "copy") -> tuple[Floats, Floats]:
    """Return threads and bytes/s of table 1 or 2."""
    columns = load(f"document000_stream_{memory}").columns
    return columns["threads"].astype(np.float64), columns[f"{kernel}_mb_s"].astype(np.float64) * MB


def noise(memory: str, kernel: str = "copy") -> float:
    """Return the scatter of rows of one thread to one for each core, of what one thread reaches."""
    n, b = alone(memory, kernel)
    return scatter((b / n)[:CORES])


def split_score(mode: str, given: Sequence[int]) -> Score:
    """Return the score of the model of sharing.

    given: NVDIMM threads of the splits that the model knows; none: it knows all threads on the NVDIMMs.
    """
    columns = load(f"document000_contention_{mode}").columns
    rows = list(zip(*(columns[key].tolist() for key in ("nvdimm_threads", "dram_mb_s", "nvdimm_mb_s")), strict=True))
    splits = [Split(k, dram * MB, nvdimm * MB) for k, dram, nvdimm in rows if k in given]
    n, b = alone("dram")
    second = 0.0 if given else float(alone("nvdimm")[1][CORES - 1])
    model = Sharing.fit(
        n[:CORES], b[:CORES], splits=splits, second=second, noise=(noise("dram"), noise("nvdimm"))
    )  # fmt: skip
    points = tuple(point for row in rows if row[0] not in given for point in _both(model, *row))
    known = f"splits {' and '.join(map(str, given))}" if given else "16 threads on the NVDIMMs alone"
    return Score(f"sharing, {MODES[mode]}", f"table 1; {known}", points)


def _both(model: Sharing, k: int, dram: float, nvdimm: float) -> Iterator[Point]:
    for tier, one, measured in zip(("DRAM", "NVDIMM"), model.predict(k), (dram, nvdimm), strict=True):
        yield Point(f"{k}, {tier}", one.value, measured * MB, one.low, one.high)


def scaling_score(memory: str) -> Score:
    """Return the score of all kernels and threads, from three numbers of threads of each kernel."""
    points: list[Point] = []
    for kernel in KERNELS:
        n, b = alone(memory, kernel)
        seen = np.isin(n, KNEE)
        model = Scaling.fit(n[seen], b[seen], cores=CORES, noise=noise(memory, kernel))
        for threads, measured in zip(n[~seen], b[~seen], strict=True):
            one = model.predict(threads)
            points.append(Point(f"{kernel}, {threads:g}", one.value, measured, one.low, one.high))
    table = "table 1, DRAM" if memory == "dram" else "table 2, NVDIMM"
    return Score(f"scaling, {table}", f"threads {', '.join(map(str, KNEE))} of each kernel", tuple(points))
