"""A number whose interval is as wide as itself is in the tables, as "not known", and in no curve."""

import io
import math
from types import SimpleNamespace

import msgspec
import pytest
from rich.console import Console

from stored import stored
from tierscope.draw.forms import in_gb, in_ns
from tierscope.stats.median import Interval
from tierscope.suites.latency.figure import Staircase
from tierscope.suites.loaded_latency.terminal import MODEL_WIDTH, _loaded
from tierscope.tables import tables

WIDE, NARROW = Interval(1e-9, 1e-7, 2.1e-7, 9), Interval(0.9e-7, 1e-7, 1.1e-7, 9)


def test_a_curve_has_no_point_with_an_interval_wider_than_its_number() -> None:
    assert (in_ns(NARROW), in_ns(WIDE), in_ns(None)) == (pytest.approx(100), None, None)
    assert in_gb(Interval(0.0, 20e9, 40e9, 9)) is None
    assert in_ns(Interval(math.nan, 1e-7, math.nan, 1)) == pytest.approx(100)  # a number without an interval


def test_the_staircase_leaves_such_a_point_out_and_notes_it() -> None:
    run = stored("latency")
    rows = tables["latency"].rows(run)
    every, fewer = (
        Staircase().draw(run, list(shown), [])
        for shown in (rows, (msgspec.structs.replace(rows[0], latency=WIDE), *rows[1:]))
    )
    assert every is not None
    assert fewer is not None
    assert f"1 of {len(rows)} points has no number" in str(fewer)
    assert "no number" not in str(every)


@pytest.mark.parametrize(("width", "modelled"), [(MODEL_WIDTH - 1, False), (MODEL_WIDTH, True)])
def test_the_model_is_in_the_table_of_a_terminal_that_has_space_for_it(width: int, modelled: bool) -> None:
    run = stored("loaded-latency")
    rows = [msgspec.structs.replace(row, model=NARROW) for row in tables["loaded_latency"].rows(run)]
    console = Console(width=width, file=io.StringIO())
    with console.capture() as captured:
        console.print(*_loaded(SimpleNamespace(title="", rows=[], typed=rows, used=()), console))
    assert ("model" in captured.get()) == modelled
