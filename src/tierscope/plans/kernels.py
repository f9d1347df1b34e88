"""The kernels that the suites request by default, by their names in the core's catalogue.

The catalogue alone describes what a kernel does to memory; a suite with `kernels=True` finds it in its machine.
"""

from tierscope.errors import UnknownNameError
from tierscope.record.catalogue import Walk
from tierscope.record.machine import Machine
from tierscope.registry import unknown

STREAM = (
    "read", "write", "write_nt", "copy", "copy_nt", "scale", "scale_nt", "add", "add_nt", "triad", "triad_nt",
    "memcpy", "memset",
)  # fmt: skip
"""The kernels that `run stream` measures by default."""

LOADS = ("read", "mix_3r1w", "mix_2r1w", "mix_1r1w", "mix_1r2w", "write")
"""The kernels under which loaded latency is measured, from reads alone to writes alone."""

FENCES = ("chunk", "line", "never")
"""The positions of a fence that orders the flushes: after each chunk, after each line, or none."""


def walk_of(machine: Machine, kernel: str) -> Walk:
    """Return what a kernel on lines does to memory; UnknownNameError for another."""
    if kernel not in machine.kernels:
        raise UnknownNameError(unknown("kernel", kernel, list(machine.kernels)))
    return machine.kernels[kernel]


def arrays(machine: Machine, kernel: str) -> int:
    """Return how many arrays of equal length a kernel walks, as STREAM counts; 1 if it walks no lines."""
    return machine.kernels[kernel].arrays if kernel in machine.kernels else 1
