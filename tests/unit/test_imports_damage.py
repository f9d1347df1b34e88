"""Damage that still looks like a result: half a row, another head, a version of the future."""

from pathlib import Path

import pytest

from tierscope.errors import UsageError
from tierscope.imports import importers, read

DATA = Path(__file__).parents[1] / "data/imports"


def whole(name: str) -> str:
    return (DATA / name).read_text()


def replaced(name: str, old: str, new: str) -> str:
    text = whole(name)
    assert old in text
    return text.replace(old, new, 1)


BROKEN = {
    "mlc, a load without its rate": (replaced("mlc.txt", "228.10	 224871.0", "228.10"), "not a whole row"),
    "mlc, a load without all": (replaced("mlc.txt", "228.10	 224871.0", ""), "not a whole row"),
    "mlc, half a row of caches": (replaced("mlc.txt", "1	 114.5	     -", "1  1"), "under 2 nodes"),
    "mlc, no row of caches": (whole("mlc.txt").rpartition("            0	")[0], "no row follows"),
    "mlc, a cache without its time": (replaced("mlc.txt", "HITM latency	48.3", "HITM latency"), "not a whole row"),
    "mlc, half a ratio": (replaced("mlc.txt", "3:1 Reads-Writes :	208310.5", "3:1 Re"), "not a whole row"),
    "mlc, a rate cut off": (replaced("mlc.txt", "ALL Reads        :	225623.3", "ALL Reads :"), "not a whole row"),
    "likwid_bench, a count below zero": (replaced("likwid-bench.txt", "6647991656", "-6647991656"), "is impossible"),
    "perf_stat, a count below zero": (replaced("perf.txt", "  50      page", " -50      page"), "not a line of a"),
    "mlc of the future": (replaced("mlc.txt", "v3.9", "v4.0"), "newer tierscope"),
    "stream in GB/s": (replaced("stream.txt", "Best Rate MB/s", "Best Rate GB/s"), "'GB/s'"),
    "stream, other columns": (replaced("stream.txt", "Avg time", "RMS time"), "no head"),
    "stream of the future": (replaced("stream.txt", "5.10", "6.10"), "newer tierscope"),
    "stream twice": (whole("stream.txt") * 2, "more than once"),
    "stream, a version of many digits": (replaced("stream.txt", "5.10", "9" * 5000), "newer tierscope"),
    "stream, countless threads": (replaced("stream.txt", "counted = 2", "counted = " + "9" * 5000), "not a whole"),
    "pmembench, threads": (replaced("pmembench.csv", ";1;200000;", ";" + "9" * 5000 + ";200000;"), "not a whole"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_damage_that_looks_like_a_result_is_refused(what: str) -> None:
    text, why = BROKEN[what]
    with pytest.raises(UsageError, match=why):
        importers[what.partition(" ")[0].strip(",").replace("stream", "stream_c")].read(text)


def test_a_size_that_a_result_cannot_contain_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "stream.txt"
    path.write_text(replaced("stream.txt", "Array size = 4000000", "Array size = " + "9" * 18))
    with pytest.raises(UsageError, match="footprint_bytes of 'copy' cannot be|array_bytes of 'copy' cannot be"):
        read(path)
