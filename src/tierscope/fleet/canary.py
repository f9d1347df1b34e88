"""The canary: a plan of 22 rows that a host repeats each day, in at most 20 seconds.

Eight idle latencies, in caches and in memory, with the smallest and with huge pages. Bandwidths of six kernels, of one
CPU and of all. Each point is visited three times on new mappings, in three tours, so that its interval contains what
changes from mapping to mapping. The words in @ become numbers of the host there (`payload/host.sh`):
footprints follow the caches that its system reports, and `each-node` repeats a line for each node with CPUs.
Blind to what a batch of 0.1 s does not meet: thermal limits, rare stalls, memory of nodes without CPUs.
"""

from collections.abc import Iterator

from tierscope.fleet.plan import BASE, FleetPlan

NAME = "canary"
VISITS = 3
SECONDS = 0.1  # of a batch: 66 batches are 7 s, and mapping takes as long again
SMALL = BASE
LATENCIES = (
    ("l1", "16KiB", SMALL),
    ("l2", "256KiB", SMALL),
    ("4MiB", "4MiB", SMALL),
    ("4MiB", "4MiB", "thp"),
    ("32MiB", "32MiB", SMALL),
    ("32MiB", "32MiB", "thp"),
    ("memory", "@far@", SMALL),
    ("memory", "@far@", "thp"),
)
"""Name, footprint, pages."""
KERNELS = ("read", "copy", "triad", "write", "write_nt", "copy_nt")
SMALL_PAGES = ("read", "copy")  # measured with the smallest pages too, all CPUs
ALL, ONE = "each-node group", "group"


def canary() -> FleetPlan:
    """Return the plan."""
    return FleetPlan(NAME, "\n".join(line for _ in range(VISITS) for line in _tour()) + "\n")


def _tour() -> Iterator[str]:
    for name, footprint, pages in LATENCIES:
        yield from _point(ONE, "chase", pages, "@cpu@", footprint, f"latency.{name}.{pages}")
    for kernel in KERNELS:
        yield from _point(ONE, kernel, "thp", "@cpu@", "@far@", f"bandwidth.{kernel}.one")
        yield from _point(ALL, kernel, "thp", "@cpus@", "@large@", f"bandwidth.{kernel}.all")
    for kernel in SMALL_PAGES:
        yield from _point(ALL, kernel, SMALL, "@cpus@", "@large@", f"bandwidth.{kernel}.all.{SMALL}")


def _point(groups: str, kernel: str, pages: str, cpus: str, footprint: str, metric: str) -> Iterator[str]:
    yield f"{groups} kernel={kernel} target=node:@node@ pages={pages} cpus={cpus} footprint={footprint}"
    yield "prepare"
    yield f"measure seconds={SECONDS} block=1ms # {metric}"
    yield "check"
    yield "drop"
