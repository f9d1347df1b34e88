"""The layers of a series share axes and hue, and one of them alone has the legend."""

from tierscope.draw import vega
from tierscope.draw.curves import Curves
from tierscope.draw.words import shortened, with_bounds
from tierscope.stats.median import Interval
from tierscope.tables.insight import Insight, Number

X, Y = vega.number("bytes", "size", "log"), vega.number("ns", "time, ns")
CURVES = Curves(X, Y, vega.hue("series", ["a", "b"]))
LAYERS = [CURVES.interval(), CURVES.interval(axis="x"), CURVES.band(), CURVES.line(), CURVES.dots(30, [])]
FOUND = Interval(1.0, 2.0, 4.0, 9)


def test_one_layer_alone_has_the_scale_of_the_hue_and_the_zoom() -> None:
    assert [("scale" in layer["encoding"]["color"], "params" in layer) for layer in LAYERS].count((True, True)) == 1
    assert {layer["encoding"]["color"]["field"] for layer in LAYERS} == {"series"}
    assert sum("params" in layer for layer in LAYERS) == 1


def test_every_layer_fades_when_another_series_is_picked() -> None:
    picks = {layer["encoding"]["opacity"]["condition"]["test"]["and"][0]["param"] for layer in LAYERS}
    assert picks == {"pick_series"}


def test_an_interval_is_along_one_axis_and_keeps_the_other() -> None:
    up, across = LAYERS[0]["encoding"], LAYERS[1]["encoding"]
    assert (up["x"], up["y"]["field"], up["y2"]["field"]) == (X, "low", "high")
    assert (across["y"], across["x"]["field"], across["x2"]["field"]) == (Y, "low", "high")


def test_channels_are_added_and_a_width_is_set() -> None:
    line = CURVES.line(1.5, detail={"field": "depth"})
    assert line["mark"]["strokeWidth"] == 1.5
    assert line["encoding"]["detail"] == {"field": "depth"}
    assert "strokeWidth" not in CURVES.line()["mark"]


def test_a_sentence_and_a_number_take_the_bounds_of_an_interval() -> None:
    said = Insight.of(FOUND, name="a", text="b", unit="s", brief="c")
    assert (said.value, said.low, said.high, said.brief) == (2.0, 1.0, 4.0, "c")
    assert said.numbers == (Number.of(FOUND),)
    assert Number.of(FOUND, "share").kind == "share"


def test_a_number_is_written_with_its_bounds() -> None:
    assert with_bounds(FOUND, "{:.1f} ns".format) == "2.0 ns (1.0 ns to 4.0 ns)"


def test_a_long_text_ends_with_dots() -> None:
    assert (shortened("abcdefgh", 8), shortened("abcdefghi", 8)) == ("abcdefgh", "abcde...")
