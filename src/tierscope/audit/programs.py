"""The numbers of a program that measured in place of the core: all repeats of one job.

    rate = operations / seconds, of all repeats; operations in flight at a repeat's begin or end may count in either
    latency = mean over all operations, from submission to completion

Never more operations than the depth are in flight. Not fewer, except for one, are in flight if one process keeps an
asynchronous queue past the page cache. Threads that do one operation each may wait for a CPU between two of them.
Blind to one repeat that is wrong among many.
"""

from tierscope.audit.statement import Quantity, Statement
from tierscope.audit.under_way import ENDS, Span, under_way
from tierscope.record.program import Moved, Program
from tierscope.record.result import Record


def statements(record: Record) -> list[Statement]:
    """Return one statement of all repeats; none if the core measured."""
    program, depth = record.program, record.experiment.labels.get("depth")
    if program is None or not isinstance(depth, int):
        return []
    moved = [one for repeat in program.repeats for one in repeat.moved]
    seconds = sum(max((one.seconds for one in repeat.moved), default=0.0) for repeat in program.repeats)
    operations = sum(one.operations for one in moved)
    if not operations or seconds <= 0:
        return []
    edges = depth * len(program.repeats) / seconds
    quantities = {
        "rate_per_s": Quantity(operations / seconds, step=2 * edges),
        "latency_s": Quantity(_mean_latency(moved)),
        "bandwidth_bytes_per_s": Quantity(sum(one.bytes for one in moved) / seconds),
        "operation_bytes": Quantity(float(record.groups[0].element_bytes)),
    }
    if spans := _spans(program):
        name = "most_in_flight" if spans[0].drains is None else "in_flight"
        quantities[name] = under_way(depth, spans)
    labels = ", ".join(f"{key} {value}" for key, value in record.experiment.labels.items() if value is not None)
    name = f"experiment {record.number} ({labels}), all repeats of {program.name}"
    return [Statement(name, quantities, {}, record.experiment.table, name, conclusive=True)]


def _spans(program: Program) -> list[Span]:
    """Return each repeat that moved anything.

    With time_based fio keeps its queue full when it begins the file again.
    """
    queued = program.direct and program.threads == 1
    return [
        Span(
            operations=float(sum(one.operations for one in repeat.moved)),
            seconds=max(one.seconds for one in repeat.moved),
            most_s=max(one.latency_most_s for one in repeat.moved),
            drains=ENDS if queued else None,
        )
        for repeat in program.repeats
        if repeat.moved
    ]


def _mean_latency(moved: list[Moved]) -> float:
    return sum(one.operations * one.latency_mean_s for one in moved) / sum(one.operations for one in moved)
