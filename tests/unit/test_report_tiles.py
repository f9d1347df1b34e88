"""Tiles that come from insights: the highest of each kind, with its bounds and unit."""

from tierscope.report.tiles import _told
from tierscope.tables import Insight


def insight(name: str, value: float | None, unit: str = "1") -> Insight:
    ends = (None, None) if value is None else (value * 0.9, value * 1.1)
    return Insight(name=name, text="", value=value, low=ends[0], high=ends[1], unit=unit)


def test_the_highest_of_a_kind_is_told_with_whom_it_concerns() -> None:
    found = _told([insight("slowdown chase", 1.02), insight("slowdown flow", 1.5), insight("slowdown triad", 1.1)])
    assert [(tile.name, tile.value, tile.unit, tile.under) for tile in found] == [
        ("largest slowdown", "1.500", "times", "flow, 1.350 to 1.650 times")
    ]


def test_rates_and_times_have_their_own_units() -> None:
    found = _told([insight("handover same core", 98e-9, "s"), insight("most_throughput", 44e9, "B/s")])
    assert [(tile.value, tile.unit) for tile in found] == [("44.00", "GB/s"), ("98", "ns")]


def test_what_has_no_number_or_no_place_is_no_tile() -> None:
    assert _told([insight("most_in_total nvm-nvm", None, "B/s"), insight("coverage", 0.98)]) == []
