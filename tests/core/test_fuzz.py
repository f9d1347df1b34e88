"""Plans, simulated machines, traces, files and pools made at random do no harm: a bounded search, under the sanitizers.

libFuzzer, guided by coverage, where there is Clang; else the same entry with blind mutations. An input that was found
on the way is in `tests/core/corpus` and `corpus_*`, one file per kind, and is run every time. benchmarks/fuzz.py
searches longer.
"""

from pathlib import Path

import pytest

import lanes

SECONDS = 20  # some ten thousand plans on one CPU; new coverage is rare after ten seconds
LONGEST = {"plan": 2048, "config": 2048, "files": 4096, "pool": 64}  # bytes: 3x the longest seed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("subject", "corpus"),
    [("plan", "corpus"), ("config", "corpus_config"), ("files", "corpus_files"), ("pool", "corpus_pool")],
)
def test_random_documents_do_no_harm(tmp_path: Path, subject: str, corpus: str) -> None:
    program = lanes.sanitized("asan-ubsan") / f"tests/core/fuzz_{subject}"
    if not program.is_file():
        pytest.skip(f"no {program.name}: sudo apt-get install -y libpmemobj-dev")
    bounds = [f"-max_total_time={SECONDS}", f"-max_len={LONGEST[subject]}", "-seed=1", "-timeout=20"]
    lanes.run(
        [program, *bounds, f"-artifact_prefix={tmp_path}/", tmp_path, lanes.ROOT / "tests/core" / corpus],
        **lanes.HALT,
        PMEM_IS_PMEM_FORCE="1",
    )
