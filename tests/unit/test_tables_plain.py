"""Rows and insights contain Python's own numbers: JSON and the terminal know no others."""

from typing import Annotated

import msgspec
import numpy as np
import pytest

from made_probed import probed_run
from made_quick import made_run
from made_storage import storage_run
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.formats.json import document
from tierscope.stats.median import Interval
from tierscope.tables import Insight, Row, Tables
from tierscope.tables.rows import Col, Count, Ratio, Time

LABELS = (str, int, float, bool, type(None))


@pytest.fixture(scope="module", params=[made_run, probed_run, storage_run])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Run:
    made: Run = request.param(tmp_path_factory.mktemp("plain"))
    return made


def test_every_value_has_a_type_that_json_knows(run: Run) -> None:
    content = gather(run)
    rows = [
        (name, key, value) for name, one in content.sections.items() for row in one.rows for key, value in row.items()
    ]
    said = [(one.name, key, getattr(one, key)) for one in content.insights for key in ("value", "low", "high")]
    assert rows
    assert [(*place, type(value)) for *place, value in rows + said if type(value) not in LABELS] == []
    assert msgspec.json.encode(document(run))


class CarelessRow(Row, frozen=True, kw_only=True):
    """One of each type."""

    share: Annotated[Ratio, Col("share")]
    count: Annotated[Count, Col("count")]
    sure: Annotated[bool, Col("sure")]
    word: Annotated[str, Col("word")]
    time: Annotated[Time | None, Col("time")]


class Careless:
    """A table that hands on what numpy returned."""

    name, title = "careless", "Careless"
    row = CarelessRow
    keys, main = ("share",), ()

    def rows(self, run: Run) -> list[CarelessRow]:
        del run
        low, high = np.float64(1.0), np.float64(2.0)
        time = Interval(low, np.float64(1.5), high, 3)
        share, count, sure, word = np.float64(0.5), np.int64(3), np.True_, np.str_("x")
        return [CarelessRow(share=share, count=count, sure=sure, word=word, time=time)]  # type: ignore[arg-type]

    def insights(self, run: Run, rows: list[CarelessRow]) -> list[Insight]:
        del run, rows
        return [Insight(name="share", text="half", value=np.float64(0.5), low=np.float64(0.25))]


def test_a_careless_table_is_fixed_where_it_is_registered(run: Run) -> None:
    tables = Tables("table", "tierscope.tables")
    tables.add(Careless())
    table = tables._entries["careless"]
    ((*values,),) = (row.values() for row in table.flat(run))
    assert [type(value) for value in values] == [float, int, bool, str, float, float, float]
    (said,) = table.insights(run, [])
    assert (type(said.value), type(said.low), said.high) == (float, float, None)
