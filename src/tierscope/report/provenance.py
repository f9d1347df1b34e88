"""Where the numbers come from: machine, software, warnings, and what really ran in each experiment."""

from datetime import UTC, datetime

from tierscope.record.machine import Machine
from tierscope.record.origin import named
from tierscope.record.result import GroupFacts, Record, Result, Run, Warn
from tierscope.report.doubtful import same_but_numbers
from tierscope.report.persistent import lines
from tierscope.tables import Column, Flat
from tierscope.units import show_bytes

EXPERIMENT = (
    Column("experiment", "experiment", "1"),
    Column("table", "table", ""),
    Column("what", "labels", ""),
    Column("kernel", "kernel", ""),
    Column("isa", "isa", ""),
    Column("variant", "variant that ran", ""),
    Column("target", "target", ""),
    Column("cpus", "CPUs", ""),
    Column("footprint_bytes", "footprint", "B"),
    Column("pages", "pages found", ""),
    Column("nodes", "nodes found", ""),
    Column("placement", "verified by", ""),
    Column("blocks", "blocks", "1"),
    Column("seconds", "wall time, s", "1"),
    Column("error", "error against scalar code", "1"),
    Column("origin", "origin", ""),
    Column("warnings", "warnings", ""),
)


NOT_KNOWN = "not known"


def host(result: Result) -> str:
    """Return the machine's name; "machine not known" for an imported run."""
    return "machine not known" if result.origin == "imported" else result.machine.hostname


def model(result: Result) -> str:
    """Return the name of the processor; "not known" for an imported run."""
    return NOT_KNOWN if result.origin == "imported" else result.machine.identity.model


def where(result: Result) -> str:
    """Return machine, processor, suite and start, where they are known."""
    if result.origin == "imported":
        return " · ".join([host(result), f"{result.origin_by}, imported", began(result.started)])
    reached = f" over {result.machine.reached}" if result.machine.reached else ""
    return " · ".join(
        [f"{host(result)}{reached}", result.machine.identity.model, f"{result.suite} run", began(result.started)]
    )


def began(started: str) -> str:
    """Return '2026-11-22 22:53 UTC' of a time in ISO 8601; other words, and times without a zone, unchanged."""
    try:
        moment = datetime.fromisoformat(started)
    except ValueError:
        return started
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC" if moment.tzinfo else started


def machine_facts(machine: Machine, *, known: bool = True) -> list[tuple[str, str]]:
    """Return (name, fact) of the machine.

    known: False of a run whose file states nothing about its machine.
    """
    facts = _machine_facts(machine)
    return facts if known else [(name, NOT_KNOWN) for name, _ in facts if name != "Identity"]


def _machine_facts(machine: Machine) -> list[tuple[str, str]]:
    who = machine.identity
    caches = {(c.level, c.kind): c for c in reversed(who.caches)}
    told = [f"L{level} {kind} {show_bytes(c.size_bytes)}, {c.ways} ways" for (level, kind), c in sorted(caches.items())]
    cores = {(cpu.package, cpu.core) for cpu in who.cpus}
    nodes = [f"node {n.number}: {show_bytes(n.memory_bytes)}, {len(n.cpus)} CPUs" for n in who.nodes]
    code = "" if machine.simulated else f", microcode {who.microcode or 'unknown'}"
    own = [("Hypervisor", who.hypervisor or "none found"), ("Kernel", who.kernel)]
    return [
        ("Host", machine.hostname),
        *([("Measured over", machine.reached)] if machine.reached else []),
        ("CPU", f"{who.model} ({who.family}{code})"),
        ("Architecture", f"{who.architecture}: {', '.join(who.features) or 'no listed features'}"),
        ("CPUs", f"{len(who.cpus)} logical, {len(cores)} cores, {sum(c.allowed for c in who.cpus)} allowed"),
        ("Caches as reported", "; ".join(told) or "none reported"),
        ("NUMA nodes", "; ".join(nodes) or "unknown"),
        ("Memory", who.memory or "unknown"),
        ("Theoretical peak", machine.peak_source),
        *([] if machine.simulated else own),
        ("Identity", who.digest()),
        *(("Persistent memory, CXL", "; ".join(found)) for found in [list(lines(machine))] if found),
    ]


def origin_facts(result: Result) -> list[tuple[str, str]]:
    """Return what the numbers are; nothing where they are real."""
    return [] if result.origin == "real" else [("Origin of the numbers", named(result.origin, result.origin_by))]


def state_facts(machine: Machine) -> list[tuple[str, str]]:
    """Return (name, text) by name; what the machine does not report is unknown."""
    return [(name.replace("_", " "), _state(name, value)) for name, value in sorted(machine.state.items())]


def _state(name: str, value: str | float | None) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, str):
        return value
    if name.endswith("_bytes"):
        return show_bytes(value)
    if "_hz" in name:
        return f"{value / 1e9:.3f} GHz"
    return f"{value:.4g}"


def software_facts(result: Result) -> list[tuple[str, str]]:
    """Return what measured and what reports; of an imported run the tool, and the Tierscope that read its output."""
    software, schema = result.software, ("result schema", str(result.schema))
    if result.origin == "imported":
        return [("measured by", result.origin_by), ("imported by tierscope", software.tierscope), schema]
    return [
        ("tierscope", software.tierscope),
        ("tierscope-core", software.core),
        ("compiler of the core", software.compiler),
        ("Python", software.python),
        schema,
    ]


def warnings(run: Run) -> list[tuple[str, str]]:
    """Return those of the run, then of its records; those that differ in numbers only once, with their experiments."""
    told = [(warn.message, warn.next_step) for warn in run.result.warnings]
    kinds: dict[tuple[str, str], list[tuple[Warn, str]]] = {}
    for record in (*run.result.records, *run.result.visits):
        for warn in record.warnings:
            kinds.setdefault((same_but_numbers(warn.message), warn.next_step), []).append((warn, f"#{record.number}"))
    for befell in kinds.values():
        first, numbers = befell[0][0], list(dict.fromkeys(number for _, number in befell))
        where = ", ".join(numbers[:8]) + (f" and {len(numbers) - 8} more" if len(numbers) > 8 else "")
        alike = len({warn.message for warn, _ in befell}) == 1
        told.append((f"{first.message} ({where if alike else f'at the first of {where}'})", first.next_step))
    return told


def experiments(run: Run) -> list[Flat]:
    return [_experiment(record, facts) for record in run.result.records for facts in record.groups]


def _experiment(record: Record, facts: GroupFacts) -> Flat:
    labels = ", ".join(f"{key} {value}" for key, value in record.experiment.labels.items())
    return {
        "experiment": record.number,
        "table": record.experiment.table,
        "what": labels,
        "kernel": facts.kernel,
        "isa": facts.isa,
        "variant": variant(facts),
        "target": facts.target,
        "cpus": ", ".join(map(str, facts.cpus)),
        "footprint_bytes": facts.footprint_bytes,
        "pages": _shares({show_bytes(int(size)): count for size, count in facts.pages.items()}),
        "nodes": _shares({f"node {node}": count for node, count in facts.nodes.items()}),
        "placement": facts.placement,
        "blocks": record.blocks,
        "seconds": round(record.seconds, 3),
        "error": record.largest_relative_error,
        "origin": named(facts.origin, facts.origin_by),
        "warnings": "; ".join(warn.code for warn in record.warnings),
    }


def variant(facts: GroupFacts) -> str:
    """Return 'nt stores, 4 streams, unroll 2, prefetch 512 B': only what differs from the plainest."""
    words = [] if facts.store == "none" else [f"{facts.store} stores"]
    words.append(f"{facts.streams} streams" if facts.streams > 1 else "1 stream")
    words.append(f"unroll {facts.unroll}")
    sizes = (
        ("prefetch", facts.prefetch_bytes),
        ("prefetchw", facts.prefetchw_bytes),
        ("interleave", facts.interleave_bytes),
    )
    return ", ".join(words + [f"{name} {show_bytes(size)}" for name, size in sizes if size])


def _shares(found: dict[str, int]) -> str:
    """Return '2 MiB 100 %'; where several, the largest first."""
    total = sum(found.values())
    if not total:
        return ""
    ranked_sizes = sorted(found.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {100 * count / total:.4g} %" for name, count in ranked_sizes)
