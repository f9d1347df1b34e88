"""A run of ours as statements: every row of every table, and what the samples of every experiment show.

Rows keep the names of their keys. `X_low` and `X_high` become the bounds of X. The columns before the first number with
bounds are the label. An experiment states how long was timed, by which clock, what was stolen, and where the bytes
were.
"""

import functools

import numpy as np

from tierscope.audit import programs, readings
from tierscope.audit.limits import limited, of_options
from tierscope.audit.statement import SAID, Quantity, Statement
from tierscope.record.experiment import Group, real
from tierscope.record.result import SIZING, STOLEN, Blocks, GroupFacts, Record, Run
from tierscope.sound import reads
from tierscope.tables import Column, Flat, Insight, tables
from tierscope.tables.kept import recall
from tierscope.tables.measured import CLOSING, judged_once, span_of
from tierscope.units import show_bytes, show_seconds

VARYING = ("footprint_bytes", "threads", "delay_cycles")
"""Labels that vary within a series; any other label that differs makes another series."""

BIN_SHARE = 1 / 64  # of its value: the width of a bin of fio, whose middle represents all values in it

LABELS = ("isa", "reasons", *(column.name for column in CLOSING))  # labels that do not name a series


@reads("the audit")
def statements(
    run: Run, rows: dict[str, list[Flat]] | None = None, said: dict[str, list[Insight]] | None = None
) -> list[Statement]:
    """Return all statements of a run; ResultError if samples are damaged.

    rows, `said`: rows and insights by table, if they are known already.
    """
    known = {name: tables[name].flat(run) for name in tables} if rows is None else rows
    insights = {name: tables[name].insights(run, tables[name].rows(run)) for name in known} if said is None else said
    of_rows = [_row(run, name, row) for name in known if name != "imported" for row in known[name]]
    return (
        of_rows
        + [one for name in insights for insight in insights[name] for one in _said(name, insight)]
        + limited(readings.statements(run.result.readings), of_options(run.result.options))
        + experiments(run)
    )


def experiments(run: Run) -> list[Statement]:
    """Return what the samples of every experiment show, stored or judged now; ResultError if samples are damaged."""
    return recall(run, "experiments", (Statement, Quantity), _experiments)


def _experiments(run: Run) -> list[Statement]:
    records = (*run.result.records, *run.result.visits)
    return [one for record in records for one in _record(run, record)]


def _said(table: str, insight: Insight) -> list[Statement]:
    """Return a statement for each number of a sentence."""
    found = []
    for one in insight.numbers:
        bounds = (one.value if one.low is None else one.low, one.value if one.high is None else one.high)
        whole = {} if one.whole is None else {"whole": Quantity(one.whole)}
        quantities = {SAID: Quantity(one.value, bounds=bounds), **whole}
        label, words = f'the sentence "{insight.text}"', {"kind": one.kind}
        found.append(Statement(label, quantities, words, table, conclusive=insight.conclusive))
    return found


def _row(run: Run, table: str, row: Flat) -> Statement:
    columns = tables[table].columns
    labels = _labels(columns)
    quantities = {column.name: found for column in columns if (found := _quantity(row, column))}
    words = {column.name: str(row.get(column.name)) for column in columns if not column.unit}
    quantities.pop("in_flight", None)  # in our rows this is a product; `programs` has the depth that was requested
    audited = tables[table].audited
    binned = {name: quantities[name].value for name in audited.binned if name in quantities}
    quantities |= {name: Quantity(value, step=value * BIN_SHARE) for name, value in binned.items()}
    if audited.memory:
        quantities |= _limits(run)
    if audited.dependent:
        words["access"] = "dependent"
    numbers = [c.name for c in labels if c.unit and c.name not in VARYING]
    names = [c.name for c in columns if not c.unit and c.name not in LABELS] + numbers
    series = ", ".join(f"{name} {row.get(name)}" for name in names)
    sure = row.get("conclusive") is True  # a row that nobody judged is not
    return Statement(_label(row, labels), quantities, words, table, series, audited.parts, conclusive=sure)


@functools.cache
def _labels(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    """Return the labels before the first number that has bounds, and page sizes in any column."""
    names = [column.name for column in columns]
    first = next((i for i, name in enumerate(names) if f"{_stem(name)}_low" in names), 3)
    pages = tuple(column for column in columns[first:] if column.name in ("page_bytes", "element_bytes", "target"))
    return columns[:first] + pages


def _label(row: Flat, labels: tuple[Column, ...]) -> str:
    """Return a row as text: 'triad, threads 2, node:0, footprint 1 GiB'."""
    told = [(column, value) for column in labels if (value := row.get(column.name)) not in (None, "")]
    return ", ".join(
        str(value) if not column.unit else f"{column.title} {_shown(value, column)}" for column, value in told
    )


def _shown(value: object, column: Column) -> str:
    number = real(value)
    shows = {"B": show_bytes, "s": show_seconds}
    return str(value) if number is None else shows.get(column.unit, "{:g}".format)(number)


def _stem(name: str) -> str:
    for ending in ("_bytes_per_s", "_per_s", "_s"):
        if name.endswith(ending):
            return name.removesuffix(ending)
    return name


def _quantity(row: Flat, column: Column) -> Quantity | None:
    value = real(row.get(column.name))
    if not column.unit or value is None or column.name.endswith(("_low", "_high")):
        return None
    return Quantity(value, bounds=span_of(row, _stem(column.name)))


def _limits(run: Run) -> dict[str, Quantity]:
    """Return the peak if it is known, the size of all last-level caches together, and the bytes of a line."""
    machine = run.result.machine
    peak = {} if machine.peak_bytes_per_s is None else {"peak_bytes_per_s": Quantity(machine.peak_bytes_per_s)}
    caches = machine.last_level_cache_bytes() * machine.last_level_caches(machine.cpus())
    return peak | {"cache_bytes": Quantity(float(caches)), "line_bytes": Quantity(float(machine.line_bytes()))}


def _record(run: Run, record: Record) -> list[Statement]:
    """Return a statement of the experiment and one of each of its groups."""
    labels = ", ".join(f"{key} {value}" for key, value in record.experiment.labels.items() if value is not None)
    name = _numbered(record) + (f" ({labels})" if labels else "")
    origin = {"origin": next((facts.origin for facts in record.groups if facts.origin != "real"), "real")}
    table = record.experiment.table
    groups = [
        _group(f"{name}, {group.role or facts.kernel}", table, group, facts, origin)
        for group, facts in zip(record.experiment.groups, record.groups, strict=True)
    ]
    if origin["origin"] != "real" or record.clock.source == "simulated":
        return groups
    return [_experiment(name, run, record, run.blocks(record)), *groups, *programs.statements(record)]


def _numbered(record: Record) -> str:
    """Return 'experiment 3' or 'experiment 3, visit 2'; the visits of an experiment are counted from 1."""
    return f"experiment {record.number}" + (f", visit {record.visit + 1}" if record.visit else "")


def _experiment(name: str, run: Run, record: Record, blocks: Blocks) -> Statement:
    """Return the statement of an experiment.

    Blocks of single operations are as short as those operations on any clock: the clock's step is left out.
    """
    found = judged_once(run, record)
    quantities = {"clock_hz": Quantity(record.clock.hz), "wall_s": Quantity(record.seconds)}
    timed = blocks[(blocks["flags"] & SIZING) == 0]
    if timed.size:
        ticks = (timed["stop_ticks"] - timed["start_ticks"]).astype(np.float64)
        stolen = float(ticks[(timed["flags"] & STOLEN) != 0].sum() / max(ticks.sum(), 1.0))
        span = float(timed["stop_ticks"].max() - timed["start_ticks"].min()) / record.clock.hz
        quantities["span_s"] = Quantity(span)
        if not record.experiment.against:
            left_out = max(point.together.left_out_share for point in found.points)
            quantities |= {"stolen_share": Quantity(stolen), "left_out_share": Quantity(left_out)}
        if not any(group.workload.per_block for group in record.experiment.groups):
            quantities["timed_s"] = Quantity(float(np.median(ticks)) / record.clock.hz)
            quantities["clock_step_s"] = Quantity(record.clock.resolution_s)
            quantities["clock_cost_s"] = Quantity(record.clock.read_cost_s)
    return Statement(name, quantities, {}, record.experiment.table, _numbered(record), conclusive=found.conclusive)


def _group(name: str, table: str, group: Group, facts: GroupFacts, words: dict[str, str]) -> Statement:
    """Return where the bytes of a group were, by node and by page size."""
    targets = group.targets
    homes = {target.where for target in targets}
    quantities = {"footprint_bytes": Quantity(float(facts.footprint_bytes))}
    elsewhere = sorted(node for node in facts.nodes if node not in homes)
    if facts.nodes and all(target.name == "node" for target in targets):
        quantities["placed_bytes"] = Quantity(float(sum(facts.nodes[node] for node in facts.nodes if node in homes)))
        quantities["astray_bytes"] = Quantity(float(sum(facts.nodes[node] for node in elsewhere)))
    told = words | {"asked": ", ".join(sorted(homes)), "elsewhere": ", ".join(elsewhere), "target": facts.target}
    return Statement(name, quantities, told, table, name, conclusive=True)
