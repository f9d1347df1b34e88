"""The groups of a fleet as subclusters of ClusterCockpit: their nodes, and the memory bandwidth that they reach.

ClusterCockpit draws the roof of a job from `memoryBandwidth`. Here it is the median over the hosts of a group, of the
bandwidth metric that is highest, with the lowest and the highest host. Values that reports of a fleet do not contain
are left out, and the reason is stated: floating-point rates, and the lists of CPUs of `topology`.
Source: ClusterCockpit, cc-lib, schema/schemas/cluster.schema.json, 2026.
"""

import re
import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tierscope.files import write_atomically
from tierscope.printable import json_text

GBPS = 1e9
MEMORY = ("bandwidth.", "stream.")
"""How metrics of memory begin: those of the canary, and of the suite stream. A file of groups may measure caches."""
RATES = "Tierscope measures no floating-point rates"
LISTS = "reports of a fleet have no lists of CPUs: take it from `tierscope export --to clustercockpit` of one node"
NO_ROOF = "the plan has no metric whose name begins with bandwidth. or stream."


class Node(NamedTuple):
    """One host: its group, its facts, and its bandwidths by metric, bytes/s."""

    host: str
    group: str
    facts: Mapping[str, str]
    bandwidths: Mapping[str, float]


def write(nodes: Iterable[Node], path: Path) -> int:
    """Write {"subClusters": entries, "measured": by name, "left_out": by name}; return how many there are."""
    groups: dict[str, list[Node]] = defaultdict(list)
    for node in nodes:
        groups[node.group].append(node)
    entries, measured, left_out = [], {}, {}
    for number, name in enumerate(sorted(groups), 1):
        title = f"group{number}"
        entry, told, missing = _entry(title, groups[name])
        entries.append(entry)
        measured[title] = {"group": name or "hosts without enough peers", **told}
        left_out[title] = missing
    found = {"subClusters": entries, "measured": measured, "left_out": left_out}
    write_atomically(path, json_text(found).encode() + b"\n")
    return len(entries)


def _entry(title: str, nodes: list[Node]) -> tuple[dict[str, Any], dict[str, Any], dict[str, str]]:
    entry: dict[str, Any] = {"name": title, "nodes": ",".join(sorted((node.host for node in nodes), key=_natural))}
    left_out = dict.fromkeys(("flopRateScalar", "flopRateSimd"), RATES) | {"topology": LISTS}
    for key, fact in (("processorType", "sku"), ("socketsPerNode", "packages"), ("coresPerSocket", "package_cores"),
                      ("threadsPerCore", "core_cpus")):  # fmt: skip
        values = {node.facts.get(fact, "") for node in nodes}
        if len(values) == 1 and (value := values.pop()):
            entry[key] = int(value) if value.isdecimal() else value
        else:
            left_out[key] = f"the fact {fact} is unknown, or differs within the group"
    metric, values_of = _highest(nodes)
    if not metric:
        return entry, {}, left_out | {"memoryBandwidth": NO_ROOF}
    middle = statistics.median(values_of)
    entry["memoryBandwidth"] = {"unit": {"prefix": "G", "base": "B/s"}, "value": round(middle / GBPS, 3)}
    return entry, {"metric": metric, "hosts": len(values_of), "low": min(values_of) / GBPS,
                   "high": max(values_of) / GBPS}, left_out  # fmt: skip


def _highest(nodes: list[Node]) -> tuple[str, list[float]]:
    """Return the bandwidth metric with the highest median over the hosts, and its values; "" without one."""
    values: dict[str, list[float]] = defaultdict(list)
    for node in nodes:
        for metric, value in node.bandwidths.items():
            if metric.startswith(MEMORY):
                values[metric].append(value)
    metric = max(sorted(values), key=lambda one: statistics.median(values[one]), default="")
    return metric, values.get(metric, [])


def _natural(host: str) -> list[tuple[int, str]]:
    return [(int(word), "") if word.isdecimal() else (-1, word) for word in re.split(r"([0-9]+)", host) if word]
