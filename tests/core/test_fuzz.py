"""Plans made at random do no harm: a bounded search by `fuzz_plan`, under the sanitizers of addresses and behaviour.

libFuzzer, guided by coverage, where there is Clang; else the same entry with blind mutations. What was found on the
way lies in `tests/core/corpus`, one file per kind of plan, and is run every time.
"""

from pathlib import Path

import pytest

import lanes

SECONDS = 20  # some ten thousand plans on one CPU; new coverage is rare after ten seconds
LONGEST = 2048  # bytes of a plan: three times the longest seed


@pytest.mark.slow
def test_plans_made_at_random_do_no_harm(tmp_path: Path) -> None:
    program = lanes.sanitized("asan-ubsan") / "tests/core/fuzz_plan"
    bounds = [f"-max_total_time={SECONDS}", f"-max_len={LONGEST}", "-seed=1", "-timeout=20"]
    lanes.run(
        [program, *bounds, f"-artifact_prefix={tmp_path}/", tmp_path, lanes.ROOT / "tests/core/corpus"], **lanes.HALT
    )
