"""A real, short run with paced aggressors: each step ran and has its numbers. No number is asserted.

On a guest with two CPUs the lever is usually refused. Then the range of latency is in the message.
"""

import os
from pathlib import Path

import pytest

from tierscope.cli.main import main
from tierscope.errors import Exit
from tierscope.record.result import load
from tierscope.tables import tables

pytestmark = [pytest.mark.machine, pytest.mark.slow]

WORDS = ("array=64MiB", "delays=1000,0", "budget=0.2s", "visits=1", "levers=load", "--quiet")


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="one CPU: no other can load the memory")
def test_a_program_is_timed_at_each_step_of_a_load(tmp_path: Path) -> None:
    line = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo $i"
    status = main(["run", "response", f"victim=cmd {line}", *WORDS, "--out", str(tmp_path / "run")])
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE)
    run = load(tmp_path / "run")
    steps = tables["response"].flat(run)
    assert [row["number"] for row in steps] == [0, 1, 2]
    for row in steps:
        assert row["rounds"] >= 8
        assert all(row[name] > 0 for name in ("latency_s", "bandwidth_bytes_per_s", "seconds", "over", "slowdown"))
        assert (row["load_bytes_per_s"] or 0) > 0 or row["number"] == 0
    (fit,) = tables["response_fit"].flat(run)
    assert fit["reach"] is not None
    assert fit["answer"] == "known" or "the range of latency is" in fit["why"]
    tiers = tables["response_tiers"].flat(run)
    assert len(tiers) == 3
    assert all(row["answer"] == fit["answer"] or row["why"] for row in tiers)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("./missing", "not found"),
        ("exit 3", "ended with status 3"),
        ("test -t 0 || { echo a terminal is needed >&2; exit 1; }", "a terminal is needed"),
        ("true", "printed nothing"),
        ("echo hi", "at least 100 ms are needed"),
        ("sleep 5; echo hi", "ran longer than its limit"),
    ],
)
def test_a_program_that_cannot_be_timed_is_refused_before_anything_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, why: str
) -> None:
    out = str(tmp_path / "run")
    assert main(["run", "response", f"victim=cmd {line}", "timeout=0.5s", *WORDS, "--out", out]) != Exit.GOOD
    assert why in capsys.readouterr().err
