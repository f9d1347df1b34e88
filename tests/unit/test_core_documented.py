"""A measured buffer next to what the vendor documents of a whole core."""

import pytest

from tierscope.simulated.core import settings
from tierscope.stats.median import Interval
from tierscope.suites.core.documented import CORES, beside, documented
from tierscope.suites.core.findings import sentences
from tierscope.suites.core.parameter import AT_LEAST, KNOWN, Made


@pytest.mark.parametrize(
    ("family", "width", "reorder"),
    [
        ("GenuineIntel:6:207:2", 6, 512), ("GenuineIntel:6:85:7", 4, 224), ("AuthenticAMD:25:1:1", 6, 256),
        ("AuthenticAMD:25:17:1", 6, 320), ("AuthenticAMD:26:2:1", 8, 448),
    ],
)  # fmt: skip
def test_a_processor_is_found_by_family_and_model(family: str, width: int, reorder: int) -> None:
    found = documented(family)
    assert found
    assert found.number("reorder buffer") == reorder
    assert found.number("width") == width
    assert found.number("branch miss") is None


@pytest.mark.parametrize(
    "family", ["GenuineIntel:6:151:2", "Made:6:173:1", "sim:ddr5", "", "AuthenticAMD:21:1:1", "GenuineIntel:6"]
)
def test_nothing_is_documented_of_others(family: str) -> None:
    """Among them a processor with two kinds of core."""
    assert documented(family) is None


def test_no_processor_is_listed_twice() -> None:
    models = [(one.family, model) for one in CORES for model in one.models]
    assert len(models) == len(set(models))


@pytest.mark.parametrize(
    ("measured", "said"),
    [
        (505.0, "a core has 512, as documented"),
        (242.0, "a core has 512, as documented, and half of them while its other hardware thread works"),
        (350.0, "512 are documented for a core"),
        (160.0, "512 are documented for a core"),
    ],
)
def test_half_of_a_core_is_called_so_and_nothing_else_is(measured: float, said: str) -> None:
    assert beside(measured, 512, "reorder buffer") == said


def test_a_width_is_not_called_half_of_a_core() -> None:
    """Threads share the front end in other ways."""
    assert beside(3.0, 6, "width") == "6 are documented for a core, and its other hardware thread may use the rest"
    assert beside(6.0, 6, "width") == "a core has 6, as documented"


@pytest.mark.parametrize("middle", [4.3, 6.0])
def test_a_width_that_contains_half_of_a_core_is_a_lower_bound(middle: float) -> None:
    """The other thread worked in some visits."""
    made = Made("node:0", "real", documented("GenuineIntel:6:207:2"))
    row = made.known("width", "", Interval(3, middle, 9, 9), "1")
    assert row.answer == AT_LEAST
    assert row.value == Interval(3, middle, 6, 9)
    (setting,) = settings([row])
    assert (setting.value, setting.weakest, setting.strongest) == ("6", "3", "6")
    assert setting.documented
    assert not sentences([row])[0].conclusive


@pytest.mark.parametrize("family", ["AuthenticAMD:26:80:0", "AuthenticAMD:26:144:0", "AuthenticAMD:26:48:0"])
def test_a_later_core_of_a_family_is_not_documented_here(family: str) -> None:
    assert documented(family) is None


def test_parts_of_instructions_are_not_a_width() -> None:
    found = documented("AuthenticAMD:23:49:0")
    assert found
    assert (found.number("width"), found.number("reorder buffer")) == (None, 224)


def test_a_lower_bound_is_not_called_half_of_a_core() -> None:
    made = Made("node:0", "real", documented("GenuineIntel:6:207:2"))
    bound = Interval(56, 56, 56, 9)
    (found,) = sentences([made.at_least("store buffer", "", bound, "stores", "the reorder buffer may fill first")])
    assert found.text.endswith("; 112 are documented for a core")
    assert not found.conclusive


def test_rows_state_what_is_documented() -> None:
    made = Made("node:0", "real", documented("GenuineIntel:6:207:2"))
    row = made.known("reorder buffer", "", Interval(505, 506, 507, 9), "instructions")
    assert (row.answer, row.documented) == (KNOWN, 512)
    assert made.known("branch miss", "", Interval(3, 3, 3, 9), "cycles").documented is None
    assert sentences([row])[0].text.endswith("; a core has 512, as documented")


def test_half_of_a_core_is_a_lower_bound_up_to_the_whole_one() -> None:
    """Another guest may use the other hardware thread now, and leave it to this one later."""
    made = Made("node:0", "real", documented("GenuineIntel:6:207:2"))
    row = made.known("reorder buffer", "", Interval(241, 242, 243, 9), "instructions")
    assert row.answer == AT_LEAST
    (found,) = sentences([row])
    assert found.text.endswith("because a core has 512, as documented, and half of them while its other hardware "
                               "thread works")  # fmt: skip
    (setting,) = settings([row])
    assert (setting.value, setting.weakest, setting.strongest) == ("512", "241", "512")


def test_a_number_that_is_not_known_is_the_documented_one() -> None:
    made = Made("node:0", "real", documented("GenuineIntel:6:207:2"))
    (setting,) = settings([made.unknown("width", "", "1", "its time changes")])
    assert (setting.value, setting.weakest, setting.strongest) == ("6", "", "6")
    assert setting.note == "documented; not known: its time changes"


def test_more_than_is_documented_is_what_was_found() -> None:
    """A hypervisor may name another processor."""
    made = Made("node:0", "real", documented("GenuineIntel:6:85:7"))
    rows = [
        made.known("reorder buffer", "", Interval(505, 506, 507, 9), "instructions"),
        made.at_least("store buffer", "", Interval(100, 100, 100, 9), "stores", "the reorder buffer fills first"),
    ]
    found = {one.key: one for one in settings(rows)}
    assert (found["reorder"].value, found["reorder"].strongest) == ("507", "507")
    assert (found["store_buffer"].value, found["store_buffer"].strongest) == ("100", "")
    assert not any(one.documented for one in found.values())


def test_nothing_is_assumed_of_a_core_that_is_not_documented() -> None:
    made = Made("node:0", "real")
    assert settings([made.unknown("width", "", "1", "its time changes")]) == []
    (setting,) = settings(
        [made.at_least("reorder buffer", "", Interval(241, 242, 243, 9), "instructions", "registers")]
    )
    assert (setting.value, setting.strongest) == ("243", "")
