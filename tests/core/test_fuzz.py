"""Plans, simulated machines and traces made at random do no harm: a bounded search, under the sanitizers.

libFuzzer, guided by coverage, where there is Clang; else the same entry with blind mutations. What was found on the
way lies in `tests/core/corpus` and `corpus_config`, one file per kind, and is run every time.
"""

from pathlib import Path

import pytest

import lanes

SECONDS = 20  # some ten thousand plans on one CPU; new coverage is rare after ten seconds
LONGEST = 2048  # bytes of a plan: three times the longest seed


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "corpus"), [("plan", "corpus"), ("config", "corpus_config")])
def test_what_is_made_at_random_does_no_harm(tmp_path: Path, subject: str, corpus: str) -> None:
    program = lanes.sanitized("asan-ubsan") / f"tests/core/fuzz_{subject}"
    bounds = [f"-max_total_time={SECONDS}", f"-max_len={LONGEST}", "-seed=1", "-timeout=20"]
    lanes.run(
        [program, *bounds, f"-artifact_prefix={tmp_path}/", tmp_path, lanes.ROOT / "tests/core" / corpus], **lanes.HALT
    )
