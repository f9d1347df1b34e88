"""Every table has all parts that a report needs in addition to rows; a new table is checked without a new line."""

import pytest

from tierscope.draw import figures
from tierscope.draw.forms import forms
from tierscope.tables import tables
from tierscope.tables.methods import methods

SERIES = "series"  # blocks over time: rows of the page alone, which no record names


@pytest.mark.parametrize("name", sorted(tables))
def test_every_table_states_its_method(name: str) -> None:
    assert name in methods, (
        f"add a Method of {name} to method.py in the folder of its suite; no texts if another has them"
    )


@pytest.mark.parametrize("name", sorted(methods))
def test_every_method_is_that_of_a_table_and_states_what_it_is_blind_to(name: str) -> None:
    assert name in tables or name == SERIES
    assert not (texts := methods[name].texts) or any("Limits: " in text for text in texts.values())


@pytest.mark.parametrize("name", sorted(forms))
def test_every_form_is_that_of_a_table(name: str) -> None:
    assert name in tables


@pytest.mark.parametrize("name", sorted(figures))
def test_every_figure_is_that_of_a_table(name: str) -> None:
    assert figures[name].table in {*tables, SERIES}
