"""A made memory that moves whole units, and a run of the suite `stride` on it."""

from collections.abc import Sequence

import numpy as np

from made import Maker, Teamwork, made_facts
from tierscope.record.experiment import Group, Label, Target, Team, Workload
from tierscope.record.work.block import BlockWork
from tierscope.units import GiB, KiB

STRIDES = tuple(64 << octave for octave in range(11))
ACCESSES = (64, 256, 1 * KiB, 4 * KiB)
FOOTPRINT = 2 * GiB
UNIT_S = 36e-9  # of one unit of the medium
CORE_S = 2e-9  # of one line in the processors, at least


def access_s(stride: int, access: int, unit: int) -> float:
    """Whole units, shared by the accesses that are in them."""
    units = -(-access // unit) if stride >= unit else stride / unit
    return max(units * UNIT_S * unit / 256, CORE_S * access / 64)


def times(unit: int, noise: float, seed: int, late: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(strides, times of an access of a line, relative errors); late: from that stride on it becomes slower."""
    rng = np.random.default_rng(seed)
    strides = np.array(STRIDES, dtype=float)
    seconds = np.array([access_s(int(s), 64, unit) for s in strides])
    slower = 1 + 0.2 * np.maximum(0, np.log2(strides / late)) if late else 1.0
    return strides, seconds * slower * np.exp(rng.normal(0, noise, strides.size)), np.full(strides.size, noise)


def add_stride(
    maker: Maker, unit: int = 256, op: str = "read", store: str = "", accesses: Sequence[int] = ACCESSES,
    cached_from: int = 1 << 40, threads: int = 4, order: str = "sequential",
) -> None:  # fmt: skip
    """Every stride from the access size on. cached_from: strides whose lines may be cached, which are then fast."""
    for access in accesses:
        for stride in (one for one in STRIDES if one >= access):
            cached = stride >= cached_from
            work = Workload(
                kernel=f"flush_{store}" if store else "read_blocks", footprint_bytes=FOOTPRINT,
                work=BlockWork(element_bytes=stride, access_bytes=access, order=order),
            )  # fmt: skip
            group = Group(workload=work, target=Target(), team=Team(cpus=tuple(range(threads))), role=op)
            labels: dict[str, Label] = {
                "op": op, "store": store or None, "order": order, "threads": threads, "stride_bytes": stride,
                "access_bytes": access, "touched_bytes": FOOTPRINT // stride * access, "cached": cached,
            }  # fmt: skip
            each = 1 / (CORE_S if cached else access_s(stride, access, unit)) / threads
            facts = made_facts(
                group, operation="block", element_bytes=stride, program_bytes_per_operation=float(access)
            )
            maker.add("stride", labels, (group,), (Teamwork((each,) * threads, noise=0.005),), 60, (facts,), 0.0)
