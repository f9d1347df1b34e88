"""This machine and each tier as simulated machines: each has the same cores, whose range gives the bounds."""

from pathlib import Path

import pytest

from made import Maker, add_latency, add_stream
from tierscope.predict.program.machines import PREFETCHERS, Here, places
from tierscope.predict.program.machines import SMALL_PAGE as PAGE


@pytest.fixture
def here(tmp_path: Path) -> Here:
    maker = Maker(tmp_path / "run")
    add_latency(maker)
    add_stream(maker, ("read",))
    folder = tmp_path / "machines"
    folder.mkdir()
    return places([maker.save("latency")], ["read=350ns", "flat"], folder, PAGE)


def test_each_tier_has_the_cores_of_this_machine(here: Here) -> None:
    assert [one.name for one in here.tiers] == ["read=350ns", "flat"]
    for place in (here.own, *here.tiers):
        path = place.word.split(",")[0]
        assert place.word.endswith(PREFETCHERS[0])
        assert [word.removeprefix(path) for word in place.others] == [
            place.word.removeprefix(path).removesuffix(PREFETCHERS[0]) + other for other in PREFETCHERS[1:]
        ]


def test_the_core_is_that_of_the_nearest_cache(here: Here) -> None:
    cycles = {word for place in (here.own, *here.tiers) for word in place.word.split(",") if "cycle=" in word}
    assert len(cycles) == 1
