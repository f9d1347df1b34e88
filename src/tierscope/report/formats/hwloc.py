"""Memory attributes of hwloc: a shell script that adds the results of `run numa` to the XML of `lstopo`.

hwloc takes bandwidth in MiB/s and latency in ns, whole numbers, for a NUMA node as seen from a set of CPUs. The script
puts them into the XML file that it is given, which `lstopo topology.xml` writes:

    sh attributes.sh topology.xml

Blind to anything but latency and read bandwidth of idle nodes; the last run wins where several measured one pair.
Source: B. Goglin, "hwloc", manual, "Heterogeneous Memory", 2.4, 2020; hwloc-annotate(1).
"""

from collections.abc import Sequence

from tierscope.errors import UsageError
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.report.formats import Export, Format, formats
from tierscope.suites.numa.row import NumaRow
from tierscope.tables import tables
from tierscope.units import MiB

HEAD = """#!/bin/sh
# usage: sh FILE topology.xml
set -e
xml="${1:?name the XML file of lstopo}"
put() { # node as Linux numbers it, attribute, CPUs, value
  logical=$(hwloc-calc -i "$xml" --physical-input --logical-output -I numanode "numanode:$1")
  hwloc-annotate "$xml" "$xml" -- "numanode:$logical" -- memattr "$2" "$3" "$4"
}
"""
MOST_CPUS = 1 << 16  # eight times what Linux can be built for (NR_CPUS); a foreign run may name any number


def script(runs: Sequence[Run]) -> bytes:
    """Return the script: one line for each pair of nodes and attribute."""
    found: dict[tuple[int, str, str], int] = {}
    for run in runs:
        for row in tables["numa"].rows(run):
            found |= _values(run.result.machine, row)
    if not found:
        raise UsageError("these runs contain no latency or bandwidth between nodes; measure with: tierscope run numa")
    lines = [f"put {node} {attribute} {cpus} {value}" for (node, attribute, cpus), value in found.items()]
    return (HEAD + "\n".join(lines) + "\n").encode()


def _values(machine: Machine, row: NumaRow) -> dict[tuple[int, str, str], int]:
    cpus = _mask(machine, row.initiator)
    known = {"Latency": (row.latency, 1e9), "Bandwidth": (row.bandwidth, 1.0 / MiB)}
    return {
        (row.target, name, cpus): round(found.middle * scale)
        for name, (found, scale) in known.items()
        if found and cpus
    }


def _mask(machine: Machine, initiator: int) -> str:
    """Return CPUs of a node as hwloc writes sets: 32 bits a word, the highest first; "" for a node without any."""
    cpus = next((node.cpus for node in machine.identity.nodes if node.number == initiator), ())
    bits = sum(1 << cpu for cpu in set(cpus) if 0 <= cpu < MOST_CPUS)
    words = []
    while bits:
        words.append(f"0x{bits & 0xFFFFFFFF:08x}")
        bits >>= 32
    return ",".join(reversed(words))


formats.add(
    Format(
        "hwloc",
        export=Export(
            "Memory attributes of hwloc: a shell script that adds the results of `run numa` to the XML of `lstopo`.",
            script,
            needs="numa",
        ),
    )
)
