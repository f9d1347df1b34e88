"""Rows of `loaded_latency` with the family of loads: what it was given, what it predicts, and how that is shown."""

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from made import Maker
from made_family import add_loads
from tierscope.draw import figures
from tierscope.models.loaded_family import MOST
from tierscope.record.result import Run
from tierscope.report.terminal import show
from tierscope.suites.loaded_latency.row import LoadedLatencyRow
from tierscope.tables import Insight, tables

SEED = 11
PARTS = np.array([0.1, 0.3, 0.6, 0.8, 0.9, 1.0])


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("loads"))
    add_loads(maker, SEED, PARTS)
    return maker.save("loaded-latency")


@pytest.fixture(scope="module")
def rows(run: Run) -> list[LoadedLatencyRow]:
    return tables["loaded_latency"].rows(run)


def models(run: Run, rows: list[LoadedLatencyRow]) -> list[Insight]:
    return [one for one in tables["loaded_latency"].insights(run, rows) if one.name.startswith("model")]


def test_each_kind_of_stores_has_a_family_of_twelve_loads(rows: list[LoadedLatencyRow]) -> None:
    """Loads without stores are given to both: the cost of a plain store on the bus is not known."""
    given = [row for row in rows if row.conclusive and row.model is None]
    for store, shares in (("nt", {0.0, 0.5, 1.0}), ("plain", {0.0, 0.5, 1.0})):
        mine = [row for row in given if row.store in (store, "none")]
        assert len(mine) == MOST
        assert {row.read_share for row in mine} == shares


def test_loads_that_were_not_given_are_predicted_with_bounds(rows: list[LoadedLatencyRow]) -> None:
    for row in rows:
        if row.model and row.store != "plain":
            assert row.latency
            assert row.model.middle == pytest.approx(row.latency.middle, rel=0.1)
            assert row.model.low <= row.latency.middle <= row.model.high


def test_a_sentence_states_the_error_and_how_many_the_bounds_contain(run: Run, rows: list[LoadedLatencyRow]) -> None:
    found = {one.name: one for one in models(run, rows)}
    assert set(found) == {"model nt stores", "model plain stores"}
    mine = [row for row in rows if row.model and row.latency and row.conclusive and row.store != "plain"]
    off = [abs(row.model.middle / row.latency.middle - 1) for row in mine if row.model and row.latency]
    text = found["model nt stores"].text
    assert found["model nt stores"].value == pytest.approx(np.mean(off))
    assert text.startswith("From 12 loads (nt stores), the model `loaded_family` is off by ")
    assert f"{100 * np.mean(off):.1f} % on average at the {len(mine)} others" in text
    assert f"its bounds contain {len(mine)} of them" in text


def test_the_figure_has_a_cross_for_each_prediction(run: Run, rows: list[LoadedLatencyRow]) -> None:
    spec = figures["loaded_latency"].draw(run, rows, [])
    assert spec
    points = spec["data"]["values"]
    assert sum("model" in point for point in points) == sum(row.model is not None for row in rows)
    layers = [layer for layer in spec["layer"] if isinstance(layer["mark"], dict)]
    cross = next(layer for layer in layers if layer["mark"].get("shape") == "cross")
    assert cross["transform"] == [{"filter": "isValid(datum.model)"}]
    assert any(layer["encoding"].get("y2") == {"field": "model_high"} for layer in layers)


def test_the_terminal_shows_the_model_with_its_bounds(run: Run) -> None:
    said = io.StringIO()
    show(run, Console(file=said, width=160))
    assert "model, ns" in said.getvalue()


def test_few_loads_give_a_reason(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_loads(maker, SEED, PARTS[-2:])
    run = maker.save("loaded-latency")
    rows = tables["loaded_latency"].rows(run)
    assert not any(row.model for row in rows)
    for found, stores in zip(models(run, rows), ("nt stores", "plain stores"), strict=True):
        assert not found.conclusive
        assert found.value is None
        why = "is not known, because no mix has 3 loads"
        assert found.text.startswith(f"The error of the model `loaded_family` ({stores}) {why}")


def test_loads_that_were_all_given_leave_none_to_predict(run: Run, rows: list[LoadedLatencyRow]) -> None:
    given = [row for row in rows if row.model is None]
    for found in models(run, given):
        assert "not known, because it predicts no conclusive load except the 12 that it was given" in found.text


def test_three_loads_or_less_ask_nothing(run: Run, rows: list[LoadedLatencyRow]) -> None:
    assert not models(run, [row for row in rows if row.store == "none"][:3])
