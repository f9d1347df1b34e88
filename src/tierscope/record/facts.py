"""The facts of what ran: the groups as the core verified them, the clock, and the trials of a calibration."""

from typing import Annotated

import msgspec
from msgspec import Meta

from tierscope.record.experiment import Workload
from tierscope.record.work.base import Bytes

WAITED = {"flush_msync": "file", "command": "processes", "sleep": "time"}
"""The wait of threads, by kernel, in results of cores that did not report it; some reported `none` for sleep."""


class Clock(msgspec.Struct, frozen=True, kw_only=True):
    """The source of the ticks."""

    source: Annotated[
        str,
        Meta(
            description="`tsc`, `monotonic_raw`, `simulated`, or `fio`, whose nanoseconds are exact to the millisecond"
        ),
    ]
    hz: Annotated[float, msgspec.Meta(gt=0), Meta(description="ticks per second")]
    resolution_s: Annotated[float, Meta(description="smallest step seen")]
    read_cost_s: Annotated[float, Meta(description="one pair of reads around an empty block")]


class GroupFacts(msgspec.Struct, frozen=True, kw_only=True):
    """A group as it really ran, verified by the core."""

    kernel: Annotated[str, Meta(description="its name in the catalogue")]
    isa: Annotated[str, Meta(description="instructions used")]
    store: Annotated[str, Meta(description="`none`, `plain`, `nt`, `string`, `libc`, `direct`")]
    streams: Annotated[int, Meta(description="loop variant: parts side by side")]
    unroll: Annotated[int, Meta(description="loop variant: lines of each stream in one step")]
    prefetch_bytes: Annotated[int, Meta(description="loop variant: distance of the prefetch for loads; 0: none")]
    prefetchw_bytes: Annotated[int, Meta(description="loop variant: the same for stores")]
    interleave_bytes: Annotated[int, Meta(description="loop variant: distance of the streams; 0: far apart")]
    target: Annotated[str, Meta(description="such as `node:0`")]
    origin: Annotated[str, Meta(description="`real`, `emulated`, `simulated`")]
    cpus: Annotated[tuple[int, ...], Meta(description="one thread was pinned to each")]
    footprint_bytes: Annotated[Bytes, Meta(description="bytes visited, rounded down to what the loop variant allows")]
    pages: Annotated[
        dict[str, int], Meta(description="page size in bytes -> bytes mapped with it, as found in `/proc/self/smaps`")
    ]
    nodes: Annotated[
        dict[str, int], Meta(description="NUMA node -> bytes found there; empty if the target has no nodes")
    ]
    placement: Annotated[str, Meta(description="how it was verified, such as `move_pages: 4096 of 65536 pages`")]
    program_bytes_per_operation: Annotated[float, Meta(description="what the program asks for")]
    bus_bytes_per_operation: Annotated[
        float | None,
        Meta(description="with the read that a plain store costs; null if only a counter could measure it"),
    ]
    operation: Annotated[
        str, Meta(description="`line`, `hop`, `call`, `block`, `chain`, `handover`, `transfer`, `task`, `key`")
    ]
    source: Annotated[
        str, Meta(description='target of the operands that are only read, or of b of a chain; "": the same target')
    ] = ""
    source_bytes_per_operation: Annotated[
        float | None, Meta(description="the part of the program bytes that is on the source; null: not stated")
    ] = None
    element_bytes: Annotated[
        int, Meta(description="of one operation of kernels on blocks, between two places of a chase; else 0")
    ] = 0
    access_bytes: Annotated[int, Meta(description="bytes used of each element; 0 for kernels without `access`")] = 0
    row_bytes: Annotated[int, Meta(description="of a row of a grid or a matrix; 0 for kernels that know neither")] = 0
    flops_per_operation: Annotated[int, Meta(description="floating-point operations; 0: none, or unknown")] = 0
    origin_by: Annotated[str, Meta(description='what emulates or simulates it; "": it is real')] = ""
    latency_floor_s: Annotated[
        float, Meta(description="that an emulated target puts under each dependent access; 0: none")
    ] = 0.0
    ceiling_bytes_per_s: Annotated[
        float, Meta(description="that it puts over the program bytes of all threads; 0: none")
    ] = 0.0
    persistence: Annotated[
        str,
        Meta(
            description="what it takes until bytes survive the loss of power: `none` (they never do), `adr`, "
            "`eadr`, `msync`"
        ),
    ] = ""
    persistence_how: Annotated[str, Meta(description="how that is known")] = ""
    detail: Annotated[
        str,
        Meta(description="the work of a victim as it reports it, such as `3001 nodes, 911854 arcs, optimum 20534528`"),
    ] = ""
    waits: Annotated[
        str,
        Meta(
            description="what its thread waits for by nature, so that a context switch is not a fault of the "
            "machine: `none`, "
            "`time`, `file`, `processes`; empty: not stated"
        ),
    ] = ""

    @property
    def waits_for(self) -> str:
        """Return what its thread waits for by nature: "none", "time", "file", "processes"."""
        stated = "" if (self.kernel, self.waits) == ("sleep", "none") else self.waits
        return stated or WAITED.get(self.kernel, "none")


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One candidate of a calibration, and the median, over its batches, of their median rates.

    The rate is None where no batch of the trial had a clean moment. Runs of older versions contain 0.0.
    """

    workload: Annotated[Workload, Meta(description="the [`Workload`](#workload) that was tried")]
    operations_per_s: Annotated[
        float | None,
        Meta(description="the median rate that it showed; null where it had no clean moment (0.0 in files of before)"),
    ]

    @property
    def rate(self) -> float | None:
        """Return operations/s; None where they are not known, in runs of before as well."""
        return self.operations_per_s or None
