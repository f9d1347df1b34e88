"""Subcluster of ClusterCockpit as JSON: processor, topology, and the measured memory bandwidth of a node.

The entry goes into the list `subClusters` of the file cluster.json. ClusterCockpit needs two floating-point rates that
Tierscope does not measure: they are left out, and the entry is refused until you add them. `nodes` is this host alone.
Its schema calls the bandwidth a theoretical peak; this one is measured, so a job can reach it.
Source: ClusterCockpit, cc-lib, schema/schemas/cluster.schema.json, 2026.
"""

from collections.abc import Callable, Sequence
from typing import Any

from tierscope.printable import json_text
from tierscope.record.machine import Cpu, Machine
from tierscope.record.result import Run
from tierscope.report.formats import Export, Format, formats
from tierscope.report.roofs import NO_COMPUTE, Roofs, highest, roofs
from tierscope.sound import reads

GBPS = 1e9


@reads("the subcluster")
def document(runs: Sequence[Run]) -> bytes:
    """Return {"subCluster": the entry, "measured": with what, "left_out": name -> why}."""
    found = roofs(runs)
    entry, left_out = _entry(found.machine), dict.fromkeys(("flopRateScalar", "flopRateSimd"), NO_COMPUTE)
    measured: dict[str, Any] = {}
    if roof := highest(found):
        entry["memoryBandwidth"] = {
            "unit": {"prefix": "G", "base": "B/s"},
            "value": round(roof.bandwidth.middle / GBPS, 3),
        }
        measured = {"kernel": roof.kernel, "threads": roof.threads, "target": roof.target, "started": found.started,
                    "low": roof.bandwidth.low / GBPS, "high": roof.bandwidth.high / GBPS}  # fmt: skip
        if sum(node.memory_bytes > 0 and bool(node.cpus) for node in found.machine.identity.nodes) > 1:
            left_out["memoryBandwidth of all nodes"] = f"the run measured {roof.target} alone; add the others"
    else:
        left_out["memoryBandwidth"] = _none(found)
    known = {"subCluster": entry, "memoryBandwidth measured with": measured, "left_out": left_out}
    return json_text(known).encode() + b"\n"


def _none(found: Roofs) -> str:
    return "; ".join(f"{name}: {why}" for name, why in found.left_out.items()) or "no target is a node's memory"


def _entry(machine: Machine) -> dict[str, Any]:
    cpus = machine.identity.cpus
    packages, cores = _lists(cpus, lambda cpu: cpu.package), _lists(cpus, lambda cpu: (cpu.package, cpu.core))
    return {
        "name": machine.hostname,
        "nodes": machine.hostname,
        "processorType": machine.identity.model,
        "socketsPerNode": len(packages),
        "coresPerSocket": len(cores) // max(len(packages), 1),
        "threadsPerCore": max(map(len, cores), default=1),
        "topology": {
            "node": sorted(cpu.number for cpu in cpus),
            "socket": packages,
            "memoryDomain": _lists(cpus, lambda cpu: cpu.node),
            "core": cores,
        },
    }


def _lists(cpus: Sequence[Cpu], key: Callable[[Cpu], Any]) -> list[list[int]]:
    """Return the CPUs of each key, in the order of the keys."""
    found: dict[Any, list[int]] = {}
    for cpu in sorted(cpus, key=lambda one: one.number):
        found.setdefault(key(cpu), []).append(cpu.number)
    return [found[name] for name in sorted(found)]


formats.add(
    Format(
        "clustercockpit",
        export=Export(
            "Subcluster of ClusterCockpit as JSON: topology, and the memory bandwidth that `run stream` measured.",
            document,
            needs="stream",
        ),
    )
)
