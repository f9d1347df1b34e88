"""Results of older schemas, as plain data: each step makes of one schema the next, and changes nothing it is given.

A step names the keys of both schemas itself, since the types are always those of the newest. A step does not change
what it does not know: the types then report what is wrong with it.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

Document = dict[str, Any]

EVERY = ("kernel", "footprint_bytes", "isa", "pace_cycles", "burst_bytes", "per_block", "seed")
"""Keys of a workload in both schemas, whatever its task."""

OF_TASK: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "line": {
            "streams": "streams",
            "unroll": "unroll",
            "prefetch_bytes": "prefetch_bytes",
            "prefetchw_bytes": "prefetchw_bytes",
            "interleave_bytes": "interleave_bytes",
        },
        "hop": {"element_bytes": "element_bytes", "locality_bytes": "locality_bytes", "order": "order"},
        "block": {
            "element_bytes": "element_bytes",
            "access_bytes": "access_bytes",
            "locality_bytes": "locality_bytes",
            "fence": "fence",
            "order": "order",
        },
        "call": {},
        "handover": {},
        "task": {"size": "size", "command": "command", "limit_s": "limit_s"},
        "key": {
            "operation": "operation",
            "keys": "keys",
            "sharing": "sharing",
            "count": "count",
            "value_bytes": "value_bytes",
        },
        "job": {"block_bytes": "element_bytes", "order": "order", "arguments": "command"},
    }
)
"""By task: keys of its work in schema 2, and what the workload of schema 1 called them."""

JOBS = ("fio",)  # kernels of schema 1 that were programs of their own; their facts state "call"


def upgraded(document: Document) -> Document:
    """Return a manifest or a result in the newest schema; itself where it is of that, or of none that is known."""
    schema = document.get("schema")
    while type(schema) is int and schema in STEPS:
        document = STEPS[schema](document)
        schema = document["schema"]
    return document


def _second(document: Document) -> Document:
    """Return schema 2: a workload contains what every group takes, and the work of its kernel's task.

    The task is that of the facts, which the core stated. Keys of other tasks are dropped: the kernel ignored them.
    """
    records = document.get("records")
    made = {"records": [_record(one) for one in records]} if isinstance(records, list) else {}
    return {**document, "schema": 2, **made}


def _record(record: Any) -> Any:
    if not isinstance(record, dict) or not isinstance(experiment := record.get("experiment"), dict):
        return record
    groups, facts = experiment.get("groups"), record.get("groups")
    if not isinstance(facts, list) or not isinstance(groups, list) or len(facts) != len(groups) or not facts:
        return record
    tasks = [one.get("operation") if isinstance(one, dict) else None for one in facts]
    moved = [_held(group, task) for group, task in zip(groups, tasks, strict=True)]
    newest = {**record, "experiment": {**experiment, "groups": moved}}
    if isinstance(trials := record.get("calibration"), list):
        newest["calibration"] = [_held(one, tasks[-1]) for one in trials]
    return newest


def _held(holder: Any, task: Any) -> Any:
    """Return a group or a trial with its workload in the new form."""
    if not isinstance(holder, dict) or not isinstance(old := holder.get("workload"), dict):
        return holder
    task = "job" if old.get("kernel") in JOBS else task
    if not isinstance(task, str) or task not in OF_TASK:
        return holder
    own = {new: old[before] for new, before in OF_TASK[task].items() if before in old}
    every = {key: old[key] for key in EVERY if key in old}
    return {**holder, "workload": {**every, "work": {"task": task, **own}}}


STEPS: Mapping[int, Callable[[Document], Document]] = MappingProxyType({1: _second})
"""By the schema that a step starts from."""
