"""Memory attributes of hwloc: a shell script that adds the results of `run numa` to the XML of `lstopo`.

hwloc takes bandwidth in MiB/s and latency in ns, whole numbers, for a NUMA node as seen from a set of CPUs. The script
puts them into the XML file that it is given, which `lstopo topology.xml` writes:

    sh attributes.sh topology.xml

Blind to anything but latency and read bandwidth of idle nodes; the last run wins where several measured one pair.
Source: B. Goglin, "hwloc", manual, "Heterogeneous Memory", 2.4, 2020; hwloc-annotate(1).
"""

import string
from collections.abc import Sequence

from tierscope.errors import UsageError
from tierscope.record.experiment import Label, real
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.report.formats import Export, Format, formats
from tierscope.tables import Row, tables
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
ATTRIBUTES = {"Latency": ("latency_s", 1e9), "Bandwidth": ("bandwidth_bytes_per_s", 1.0 / MiB)}


def script(runs: Sequence[Run]) -> bytes:
    """Return the script: one line for each pair of nodes and attribute."""
    found: dict[tuple[str, str, str], int] = {}
    for run in runs:
        for row in tables["numa"].rows(run):
            found |= _values(run.result.machine, row)
    if not found:
        raise UsageError("these runs contain no latency or bandwidth between nodes; measure with: tierscope run numa")
    lines = [f"put {node} {attribute} {cpus} {value}" for (node, attribute, cpus), value in found.items()]
    return (HEAD + "\n".join(lines) + "\n").encode()


def _values(machine: Machine, row: Row) -> dict[tuple[str, str, str], int]:
    cpus, node = _mask(machine, row["initiator"]), _digits(row["target"])
    known = {name: real(row.get(key)) for name, (key, _) in ATTRIBUTES.items()}
    return {
        (node, name, cpus): round(value * ATTRIBUTES[name][1])
        for name, value in known.items()
        if value is not None and cpus
    }


def _digits(word: Label) -> str:
    return "".join(letter for letter in str(word) if letter in string.digits)


def _mask(machine: Machine, initiator: Label) -> str:
    """CPUs of a node as hwloc writes sets: 32 bits a word, the highest first; "" for a node without any."""
    cpus = next((node.cpus for node in machine.identity.nodes if str(node.number) == _digits(initiator)), ())
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
        ),
    )
)
