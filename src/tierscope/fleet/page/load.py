"""What the pages of a fleet show, from its directory."""

from pathlib import Path

import msgspec

from tierscope.errors import ResultError
from tierscope.fleet.outliers import outliers
from tierscope.fleet.page import Fleet, Machine
from tierscope.fleet.page.clustercockpit import Node
from tierscope.fleet.session import load as load_session
from tierscope.fleet.session import sessions
from tierscope.fleet.store import Store, literal
from tierscope.fleet.trend import stored_trend


def read_fleet(directory: Path) -> Fleet:
    """Return outliers, changes, machines and histories of suspects; ResultError without reports."""
    found = outliers(directory).result
    wanted = {one.machine for one in found.suspects}
    past: dict[str, list[tuple[str, float]]] = {machine: [] for machine in wanted}
    machines: list[Machine] = []
    with Store(directory) as store:
        for day, record in store.days().items():
            files = record.files.get("scores", ())
            if not files:
                continue
            rows = store.query("SELECT host, machine, grp, score FROM {files} WHERE session = 0 ORDER BY host", files)
            for host, machine, group, score in zip(
                *(rows[name].tolist() for name in ("host", "machine", "grp", "score")), strict=True
            ):
                if day == found.day:
                    machines.append(Machine(host, machine, group))
                if machine in past and score is not None and score == score:  # noqa: PLR0124 (NaN)
                    past[machine].append((day, score))
    return Fleet(directory.name, found, stored_trend(directory), machines, _failed(directory), past)


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


def _failed(directory: Path) -> dict[str, str]:
    """Return the hosts of the last session that did not answer, with the reason; none where nothing was run."""
    try:
        last = load_session(sessions(directory)[-1])
    except ResultError:
        return {}
    return {host: last.failed.get(host, "not measured") for host in last.missing}
