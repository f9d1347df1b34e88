"""The exports of a fleet for other programs: gauges and their Grafana board, subclusters, tables of SQLite."""

import json
import re
import shutil
import sqlite3
import subprocess
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from test_export_openmetrics import LABEL
from test_grafana import MATCHER, SELECTOR, Series, asked
from tierscope.fleet.confirm_plan import write_plan
from tierscope.fleet.imagine import imagine
from tierscope.fleet.imagine_files import write_fleet, write_sessions
from tierscope.fleet.imagine_options import ImagineOptions
from tierscope.fleet.outliers import outliers
from tierscope.fleet.outliers_result import Size
from tierscope.fleet.page import Fleet, clustercockpit, exports
from tierscope.fleet.page.clustercockpit import Node
from tierscope.fleet.page.load import read_fleet, read_nodes
from tierscope.fleet.trend_result import FactChange, HostChange

BOARD = Path(__file__).resolve().parents[2] / "packaging/grafana/fleet.json"
OPTIONS = ImagineOptions(machines=60, days=3, faults="slow:2", seed=7)
CHANGE = HostChange(
    host="host01", machine="m", metric="all", day="2026-01-01", seen="2026-01-02", slower=Size(0.05, 0.04, 0.06),
    state="confirmed", facts=(FactChange("bios", "1.1", "1.2", "2026-01-01"),),
)  # fmt: skip


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fleet")
    made = imagine(OPTIONS)
    write_fleet(folder, made)
    plan = outliers(folder).plan
    assert plan
    write_plan(folder, plan)
    write_sessions(folder, made, dict.fromkeys([*plan.suspects, *plan.controls], 3), OPTIONS.days - 1)
    return folder


@pytest.fixture(scope="module")
def fleet(directory: Path) -> Fleet:
    import msgspec

    found = read_fleet(directory)
    return found._replace(trend=msgspec.structs.replace(found.trend, changes=(CHANGE,)))


@pytest.fixture(scope="module")
def text(fleet: Fleet, tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("export") / "fleet.prom"
    exports.openmetrics(fleet, path)
    return path.read_text()


@pytest.fixture(scope="module")
def series(text: str) -> Series:
    """Return the labels of each series, `__name__` included."""
    found: Series = []
    for line in text.splitlines():
        if not line.startswith("#"):
            name, labels = re.split(r"[{ ]", line)[0], re.findall(LABEL, line)
            found.append({"__name__": name} | {k: json.loads(v) for k, _, v in (one.partition("=") for one in labels)})
    return found


@pytest.fixture(scope="module")
def board() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(BOARD.read_text())
    return found


def test_prometheus_accepts_the_gauges(text: str) -> None:
    if not (promtool := shutil.which("promtool")):
        pytest.skip("no promtool: sudo apt-get install -y --no-install-recommends prometheus")
    plain = "\n".join(line for line in text.splitlines() if not line.startswith(("# UNIT", "# EOF"))) + "\n"
    said = subprocess.run([promtool, "check", "metrics"], input=plain, capture_output=True, text=True, check=False)
    assert said.returncode == 0, said.stderr


def test_a_series_comes_once_even_if_two_machines_have_one_name(fleet: Fleet, tmp_path: Path) -> None:
    first, second, *rest = fleet.machines
    exports.openmetrics(fleet._replace(machines=[first, second._replace(host=first.host), *rest]), tmp_path / "x")
    lines = [line.rpartition(" ")[0] for line in (tmp_path / "x").read_text().splitlines() if line[0] != "#"]
    assert [one for one, count in Counter(lines).items() if count > 1] == []
    assert (tmp_path / "x").read_text().endswith("# EOF\n")


def test_every_query_of_the_board_finds_series_with_its_labels(board: dict[str, Any], series: Series) -> None:
    queries = [target for panel in board["panels"] for target in panel["targets"]]
    assert len(queries) > 12
    for target in queries:
        expr = target["expr"]
        selected = asked(expr, series)
        assert selected, expr
        if 'verdict=~"odd|' not in expr:  # the confirmed fleet may have none
            assert all(selected), expr
        used = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
        used |= {key for _, matchers, _ in SELECTOR.findall(expr) for key, _, _ in MATCHER.findall(matchers)}
        used |= {name for names in re.findall(r"by \(([^)]*)\)", expr) for name in names.split(", ")}
        assert used <= {key for one in series if one["__name__"] in expr for key in one}, expr


def test_the_variables_of_the_board_exist_and_its_panels_do_not_overlap(board: dict[str, Any], series: Series) -> None:
    variables = {one["name"]: one for one in board["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(board["panels"]))) == set(variables)
    for one in variables.values():
        if one["type"] == "query":
            match = re.fullmatch(r"label_values\((\w+), (\w+)\)", one["definition"])
            assert match
            assert any(match[2] in labels for labels in series if labels["__name__"] == match[1])
    for one, other in combinations([panel["gridPos"] for panel in board["panels"]], 2):
        assert any(one[at] + one[size] <= other[at] or other[at] + other[size] <= one[at]
                   for at, size in (("x", "w"), ("y", "h")))  # fmt: skip


def test_a_subcluster_has_the_hosts_of_a_group_and_their_median_bandwidth(directory: Path, tmp_path: Path) -> None:
    fleet = read_fleet(directory)
    nodes = read_nodes(directory, fleet.outliers.day, fleet.outliers.plan)
    assert clustercockpit.write(nodes, tmp_path / "groups.json") == 1
    found = json.loads((tmp_path / "groups.json").read_text())
    (entry,) = found["subClusters"]
    assert entry["nodes"].split(",") == [f"host{number:02d}" for number in range(60)]
    (told,) = found["measured"].values()
    assert told["hosts"] == 60
    assert told["low"] < entry["memoryBandwidth"]["value"] < told["high"]
    (missing,) = found["left_out"].values()
    assert {"flopRateScalar", "flopRateSimd", "topology", "socketsPerNode"} <= set(missing)


def test_facts_that_differ_within_a_group_and_roofs_of_others_are_left_out(tmp_path: Path) -> None:
    nodes = [Node(f"n{n}", "g", {"sku": "x", "packages": str(n)}, {"cache.read": 9e12}) for n in (10, 9)]
    clustercockpit.write(nodes, tmp_path / "groups.json")
    found = json.loads((tmp_path / "groups.json").read_text())
    assert found["subClusters"] == [{"name": "group1", "nodes": "n9,n10", "processorType": "x"}]
    assert "memoryBandwidth" in found["left_out"]["group1"]


def test_sqlite_has_the_tables_that_are_stated(fleet: Fleet, tmp_path: Path) -> None:
    exports.sqlite(fleet, tmp_path / "fleet.db")
    exports.sqlite(fleet, tmp_path / "fleet.db")  # it replaces the first
    with sqlite3.connect(tmp_path / "fleet.db") as database:
        names = {name for (name,) in database.execute("select name from sqlite_master")}
        slower = database.execute("select host from machines where verdict = 'slower' and slower_low > 0").fetchall()
        changes = database.execute("select host, facts from changes").fetchall()
        metrics = database.execute("select count(*) from metrics where confirmed").fetchone()[0]
    database.close()
    assert names == set(exports.TABLES)
    assert len(slower) >= 2
    assert changes == [("host01", "bios: 1.1 to 1.2")]
    assert metrics > 2
