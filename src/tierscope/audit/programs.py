"""What a program that measured in place of the core states of one job: all its repeats together, in its own numbers.

    rate = operations / seconds, of all repeats; what is under way when a repeat begins or ends may count in either
    latency = mean over all operations, from submission to completion

Depth counts as what was under way only past the page cache, and from FILLED on: below, the time that the program itself
takes between two operations shows.
Blind to one repeat that is wrong among many.
"""

from tierscope.audit.statement import Quantity, Statement
from tierscope.program import Moved
from tierscope.result import Record

FILLED = 8  # operations: at depth 1 fio kept 0.989 under way on a busy guest, at 8 0.997


def statements(record: Record) -> list[Statement]:
    """One, of all repeats; none where the core measured."""
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
    if program.direct and depth >= FILLED:
        quantities["in_flight"] = Quantity(float(depth))
    labels = ", ".join(f"{key} {value}" for key, value in record.experiment.labels.items() if value is not None)
    name = f"experiment {record.number} ({labels}), all repeats of {program.name}"
    return [Statement(name, quantities, {}, record.experiment.table, name)]


def _mean_latency(moved: list[Moved]) -> float:
    return sum(one.operations * one.latency_mean_s for one in moved) / sum(one.operations for one in moved)
