"""The content of a fleet's pages, from its directory."""

from pathlib import Path

import msgspec

from tierscope.fleet.outliers import outliers
from tierscope.fleet.page import Fleet, Machine
from tierscope.fleet.page.clustercockpit import Node
from tierscope.fleet.session import sessions
from tierscope.fleet.store import Store, literal
from tierscope.fleet.trend import stored_trend


def read_fleet(directory: Path, plan: str | None = None) -> Fleet:
    """Return outliers, changes, machines and histories of suspects; ResultError without reports.

    plan: as for `outliers`.
    """
    found = outliers(directory, plan=plan).result
    where = f"WHERE session = 0 AND plan = {literal(found.plan)}"
    wanted = {one.machine for one in found.suspects}
    past: dict[str, list[tuple[str, float]]] = {machine: [] for machine in wanted}
    machines: list[Machine] = []
    with Store(directory) as store:
        for day, record in store.days().items():
            files = record.files.get("scores", ())
            if not files:
                continue
            rows = store.query(f"SELECT host, machine, grp, score FROM {{files}} {where} ORDER BY host", files)
            for host, machine, group, score in zip(
                *(rows[name].tolist() for name in ("host", "machine", "grp", "score")), strict=True
            ):
                if day == found.day:
                    machines.append(Machine(host, machine, group))
                if machine in past and score is not None and score == score:  # noqa: PLR0124 (NaN)
                    past[machine].append((day, score))
    return Fleet(
        directory.name,
        found,
        stored_trend(directory, found.plan),
        machines,
        _failed(directory, found.day, found.plan),
        past,
        _later(directory, found.day),
    )


def _later(directory: Path, day: str) -> str:
    """Return a sentence about sessions after the last day with reports, "" without one."""
    last = [one for one in sessions(directory) if one.day > day]
    hosts = {host for one in last for host in one.hosts}
    return f"On {last[-1].day}, none of {len(hosts)} hosts answered." if last else ""


def read_nodes(directory: Path, day: str, plan: str) -> list[Node]:
    """Return the hosts of a day with their bandwidths, from first sessions of a plan."""
    with Store(directory) as store:
        files, where = store.days()[day].files, f"WHERE session = 0 AND plan = {literal(plan)}"
        known = store.query(f"SELECT host, machine, grp, facts FROM {{files}} {where} ORDER BY host", files["scores"])
        rates = store.query(f"SELECT machine, metric, value FROM {{files}} {where} AND unit = 'B/s'", files["rows"])
    found: dict[str, dict[str, float]] = {}
    for machine, metric, value in zip(*(rates[name].tolist() for name in ("machine", "metric", "value")), strict=True):
        found.setdefault(machine, {})[metric] = value
    rows = zip(*(known[name].tolist() for name in ("host", "machine", "grp", "facts")), strict=True)
    return [Node(host, group, msgspec.json.decode(facts, type=dict[str, str]), found.get(machine, {}))
            for host, machine, group, facts in rows]  # fmt: skip


def _failed(directory: Path, day: str, plan: str) -> dict[str, str]:
    """Return the hosts that did not answer in the first session of a day, with the reason; none without a session."""
    first = [one for one in sessions(directory, day) if (one.plan, one.session) == (plan, 0)]
    return {host: one.failed.get(host, "not measured") for one in first for host in one.missing}
