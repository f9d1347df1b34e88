"""The Grafana board asks for series that the OpenMetrics export of the stored runs has, by labels that they have."""

import json
import re
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from stored import RUNS, stored
from test_export_openmetrics import LABEL, read
from tierscope.errors import UsageError
from tierscope.report.formats import formats

BOARD = Path(__file__).resolve().parents[2] / "packaging/grafana/tierscope.json"
SELECTOR = re.compile(r"([a-z_]*)\{([^}]*)\}|\b(tierscope_[a-z_]+)")
MATCHER = re.compile(r'(\w+)(=~|=)"([^"]*)"')
Series = list[dict[str, str]]


@pytest.fixture(scope="module")
def board() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(BOARD.read_text())
    return found


@pytest.fixture(scope="module")
def exported() -> Series:
    """The labels of each series of all stored runs, `__name__` included."""
    found: Series = []
    for name in RUNS:
        try:
            document = formats.export("openmetrics").render([stored(name)]).decode()
        except UsageError:  # a run without a main number
            continue
        for metric, series in read(document).items():
            for labels in series:
                pairs = (label.partition("=") for label in re.findall(LABEL, labels))
                found.append({"__name__": metric} | {key: json.loads(value) for key, _, value in pairs})
    return found


def asked(query: str, exported: Series) -> list[Series]:
    """The series that each selector of a query finds; a variable stands for anything."""
    found = []
    for name, matchers, bare in SELECTOR.findall(query):
        wanted = {key: value if how == "=~" else re.escape(value) for key, how, value in MATCHER.findall(matchers)}
        wanted = {key: re.sub(r"\$\w+", ".*", value) for key, value in wanted.items()}
        if name or bare:
            wanted["__name__"] = re.escape(name or bare)
        found.append([one for one in exported if all(re.fullmatch(v, one.get(k, "")) for k, v in wanted.items())])
    return found


def targets(board: dict[str, Any]) -> list[dict[str, Any]]:
    return [target for panel in board["panels"] for target in panel["targets"]]


def test_every_query_finds_series(board: dict[str, Any], exported: Series) -> None:
    assert len(targets(board)) > 15
    for target in targets(board):
        selected = asked(target["expr"], exported)
        assert selected, target
        assert all(selected), target["expr"]


@pytest.mark.parametrize(
    "query", ["tierscope_streams{}", 'tierscope_flush_conclusive{hosts="here"}', "time() - tierscope_run_started"]
)
def test_a_query_that_finds_nothing_is_detected(query: str, exported: Series) -> None:
    assert not all(asked(query, exported))


def test_every_label_of_a_query_and_its_legend_is_one_of_the_series(board: dict[str, Any], exported: Series) -> None:
    for target in targets(board):
        expr = target["expr"]
        labels = set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
        labels |= {key for _, matchers, _ in SELECTOR.findall(expr) for key, _, _ in MATCHER.findall(matchers)}
        labels |= {name for names in re.findall(r"by \(([^)]*)\)", expr) for name in names.split(", ")}
        known = {key for selected in asked(expr, exported)[:1] for one in selected for key in one}
        assert labels <= known, (expr, labels - known)


def test_every_variable_is_declared_and_its_labels_exist(board: dict[str, Any], exported: Series) -> None:
    variables = {one["name"]: one for one in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", json.dumps(board["panels"]))) - {"__all"}
    assert used == set(variables)
    for one in variables.values():
        if one["type"] == "query":
            assert one["query"]["query"] == one["definition"]
            match = re.fullmatch(r"label_values\((\w+), (\w+)\)", one["definition"])
            assert match
            assert any(match[2] in series for series in exported if series["__name__"] == match[1])


def test_panels_have_their_own_numbers_and_places(board: dict[str, Any]) -> None:
    panels = board["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    for one, other in combinations([panel["gridPos"] for panel in panels], 2):
        apart = [one[way] + one[size] <= other[way] or other[way] + other[size] <= one[way]
                 for way, size in (("x", "w"), ("y", "h"))]  # fmt: skip
        assert any(apart), (one, other)
    assert all(panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24 for panel in panels)


def test_units_are_those_of_the_metrics(board: dict[str, Any]) -> None:
    units = {"Bps": "_bytes_per_second", "s": "_seconds", "percentunit": "_conclusive"}
    for panel in board["panels"]:
        ending = units[panel["fieldConfig"]["defaults"]["unit"]]
        assert all(ending in target["expr"] for target in panel["targets"]), panel["title"]
