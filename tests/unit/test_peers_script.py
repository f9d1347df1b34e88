"""Verdicts of the comparison with peers, and the chases that ours is compared with. No time has a limit here."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tierscope.units import KiB, MiB

FOLDER = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture(scope="module")
def latency() -> Iterator[ModuleType]:
    sys.path.insert(0, str(FOLDER))
    try:
        from against import latency

        yield latency
    finally:
        sys.path.remove(str(FOLDER))


@pytest.fixture(scope="module")
def chases(latency: ModuleType) -> Any:
    del latency
    return sys.modules["against.chases"]


@pytest.mark.parametrize(
    ("ratios", "verdict"),
    [
        ([1.0] * 6, "a trial"),
        ([0.99] * 6 + [0.97], "reached"),
        ([1.2] * 6 + [0.969], "missed"),
        ([0.989] * 7, "missed"),
    ],
)
def test_a_kernel_reaches_its_aims_in_the_median_and_in_the_worst_round(
    latency: ModuleType, ratios: list[float], verdict: str
) -> None:
    del latency
    from against import compare

    assert compare.verdict(ratios) == verdict


def test_there_are_six_sizes_with_both_page_sizes(latency: ModuleType) -> None:
    cases = latency.cases()
    assert sum((size, "4k") in cases and (size, "thp") in cases for size in {size for size, _ in cases}) == 6
    assert (16 * KiB, "thp") not in cases


@pytest.mark.parametrize(
    ("ours", "rounds", "verdict"),
    [(100.5, 7, "within 1 %"), (100.5, 6, "not known"), (103.0, 7, "apart"), (97.0, 7, "apart")],
)
def test_ours_is_compared_with_the_median_of_the_others(
    latency: ModuleType, ours: float, rounds: int, verdict: str
) -> None:
    others = [{"a": 100e-9, "b": 100e-9 + number * 1e-12, "c": 500e-9} for number in range(rounds)]
    row = latency.row(MiB, "4k", [ours * 1e-9] * rounds, others)
    assert row.verdict == verdict
    assert row.others_s["c"] == pytest.approx(500e-9)


def test_rounds_that_scatter_are_not_known(latency: ModuleType) -> None:
    ours = [x * 1e-9 for x in (95, 104, 99, 106, 93, 101, 100)]
    assert latency.row(MiB, "4k", ours, [{"a": 100e-9}] * 7).verdict == "not known"


class Fixed:
    """A chase that returns what it is given, or fails."""

    def __init__(self, name: str, seconds: float | None, calls: list[str]) -> None:
        self.name, self._seconds, self._calls = name, seconds, calls

    def seconds(self, footprint: int, pages: str) -> float:
        from against.reading import PeerError

        self._calls.append(self.name)
        if self._seconds is None:
            raise PeerError("no huge pages")
        return self._seconds


def test_ours_is_first_in_one_round_and_last_in_the_next(latency: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def ours(footprint: int, pages: str) -> float:
        calls.append("ours")
        return 1e-9

    monkeypatch.setattr(latency, "_ours", ours)
    others = [Fixed(name, 1e-9, calls) for name in ("a", "b", "c")]
    (row,) = latency.compare(others, 2, [16 * KiB])
    assert calls == ["ours", "a", "b", "c", "c", "b", "a", "ours"]
    assert (row.pages, row.ratio.middle) == ("4k", 1.0)


def test_two_chases_are_not_enough(
    latency: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(latency, "_ours", lambda *_: 1e-9)
    others = [Fixed("a", 1e-9, []), Fixed("b", 1e-9, []), Fixed("c", None, [])]
    assert list(latency.compare(others, 1, [16 * KiB])) == []
    assert "16 KiB, 4k: 2 chases ran, and 3 are needed" in capsys.readouterr().err


@pytest.mark.parametrize("method", ["sattolo", "shuffle", "sorted"])
def test_each_method_visits_every_line_once(chases: Any, method: str, tmp_path: Path) -> None:
    """The program is built with a main of the test, which follows the cycle and counts its lines."""
    source = tmp_path / "counted.c"
    source.write_text(f"""
#define main chases
#include "{chases.SOURCE}"
#undef main
int main(void) {{
  enum {{ LINES = 4099 }};
  map(LINES * LINE, 0);
  {method}(LINES);
  void **place = at(0);
  int count = 0;
  do place = *place, ++count; while (place != at(0) && count <= LINES);
  return printf("%d\\n", count) < 0;
}}
""")
    built = tmp_path / "counted"
    subprocess.run(["cc", "-O1", "-Wno-unused-function", source, "-o", built], check=True)
    assert subprocess.run([built], check=True, capture_output=True, text=True).stdout == "4099\n"


def test_samples_are_printed_for_the_pages_that_were_asked_for(chases: Any) -> None:
    command = ["taskset", "-c", str(min(os.sched_getaffinity(0))), chases.program(), "sorted"]
    done = subprocess.run([*command, str(64 * KiB), "4k", "3", "0.001"], capture_output=True, text=True, check=True)
    assert len([float(line) for line in done.stdout.split()]) == 3
    assert chases.middle(done.stdout, "sorted") > 0
    assert subprocess.run([*command, "64"], capture_output=True, check=False).returncode == 1
