"""Faults planted in the outputs of other tools are found, each by the identity that is meant for it."""

from pathlib import Path

import pytest

from tierscope.audit import examine
from tierscope.audit.readings import statements
from tierscope.imports import importers

DATA = Path(__file__).parents[1] / "data/imports"
COPY = "9271.1     0.010318     0.006903     0.012466"
SCALE = "5166.7     0.012452     0.012387     0.012572"
LONG = (" 0.39 ", " 390.00 "), ("0.090 CPUs", "89.521 CPUs"), ("0.000858000", "0.039000000")

PLANTED = {
    "a copied row of STREAM": ("stream_c", "stream.txt", ((SCALE, COPY),), "copied"),
    "bytes of STREAM's arrays": ("stream_c", "stream.txt", (("30.5 MiB", "305 MiB"),), "told_again"),
    "a mean of STREAM": ("stream_c", "stream.txt", (("0.010318", "0.011918"),), "moments"),
    "loaded below idle": ("mlc", "mlc.txt", ((" 88.41", " 8.841"), (" 82.13", " 8.213")), "idle_is_least"),
    "a lost digit of local bandwidth": ("mlc", "mlc.txt", (("112811.2", "12811.2"),), "local_is_best"),
    "local latency": ("mlc", "mlc.txt", (("  81.5", " 815"),), "local_is_best"),
    "loaded above peak injection": ("mlc", "mlc.txt", ((" 225012.1", "2250121"),), "whole_machine"),
    "reads of a mixture": ("mlc", "mlc.txt", (("208310.5", "508310.5"),), "whole_machine"),
    "a lost digit of a loaded latency": ("mlc", "mlc.txt", (("205.77", "2057.7"),), "load_waits"),
    "cache to cache in us": ("mlc", "mlc.txt", (("HIT  latency\t48.5", "HIT  latency\t0.0485"),), "core_limit"),
    "cache to cache, near and far": ("mlc", "mlc.txt", (("HITM latency\t48.3", "HITM latency\t483"),), "local_is_best"),
    "likwid's cycles": ("likwid_bench", "likwid-bench.txt", (("6647991656", "664799165"),), "told_again"),
    "likwid's rounds": (
        "likwid_bench",
        "likwid-bench.txt",
        (("per thread:	512", "per thread:	521"),),
        "told_again",
    ),
    "pmembench's operations": ("pmembench", "pmembench.csv", ((";200000;", ";20000;"),), "time_taken"),
    "pmembench's threads": ("pmembench", "pmembench.csv", (("11020;", "110200;"),), "threads_hold"),
    "pmembench's deviation": ("pmembench", "pmembench.csv", ((";0.040000;", ";0.400000;"),), "moments"),
    "pmembench's longest": ("pmembench", "pmembench.csv", ((";495000000;", ";4950000000;"),), "within_run"),
    "user + system": ("perf_stat", "perf.txt", LONG, "cpu_time"),
    "perf's own metric": ("perf_stat", "perf.txt", (("                50 ", "                500 "),), "told_again"),
    "the time of an event": ("perf_stat", "perf.csv", (("0.31,msec", "3.1,msec"),), "told_again"),
    "fio's KiB": ("fio", "fio.json", (('"io_kbytes" : 117352', '"io_kbytes" : 11735'),), "told_again"),
    "fio's parts of a latency": ("fio", "fio.json", (("3028.799782", "302.8799782"),), "told_again"),
    "fio's deviation": ("fio", "fio.json", (("334898.411095", "33489841.1095"),), "moments"),
    "multichase's samples": ("multichase", "multichase.txt", (("\n 102.6\n", "\n 10.26\n"),), "spread"),
    "multichase's memory": ("multichase", "multichase.txt", (("(16.0 MiB)", "(160 MiB)"),), "told_again"),
}


@pytest.mark.parametrize("what", PLANTED)
def test_a_fault_in_the_output_of_a_tool_is_found(what: str) -> None:
    name, file, changes, identity = PLANTED[what]
    text = (DATA / file).read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    found = {one.identity for one in examine(statements(importers[name].read(text).readings)).failures}
    assert identity in found
