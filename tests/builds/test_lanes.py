"""The lanes build. `tests/core/test_builds.py` then finds them built, and has the machine to itself."""

import pytest

import lanes


@pytest.mark.slow
@pytest.mark.parametrize("preset", lanes.LANES)
def test_the_lane_builds(preset: str) -> None:
    assert (lanes.lane(preset) / "tierscope-core").is_file()
