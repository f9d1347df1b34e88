"""The trace of blocks: every block once, on its thread's track, at its time; as the Trace Event Format wants it."""

import json
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from made import Maker, add_stream
from stored import RUNS, stored
from tierscope.errors import UsageError
from tierscope.record.result import Result, Run
from tierscope.report.formats import formats
from tierscope.report.timeline import spans

FIELDS = {"X": {"name", "ts", "dur", "pid", "tid"}, "C": {"name", "ts", "pid", "args"}, "M": {"name", "pid", "args"},
          "i": {"name", "ts", "pid", "tid", "s"}}  # fmt: skip
"""Phase -> what an event of it must have (Google, "Trace Event Format", 2016)."""
SLIP_US = 0.002  # both ends are rounded to 1 ns


def events(*runs: Run) -> list[dict[str, Any]]:
    document = json.loads(formats.export("perfetto").render(runs))
    assert document["displayTimeUnit"] in ("ms", "ns")
    found: list[dict[str, Any]] = document["traceEvents"]
    return found


def faults(found: list[dict[str, Any]]) -> list[str]:
    """Faults that a reader would refuse or draw wrong: a missing field, a slice that overlaps its neighbour."""
    wrong = [f"{event} lacks {FIELDS[event['ph']] - set(event)}" for event in found if FIELDS[event["ph"]] - set(event)]
    tracks: dict[tuple[int, int], float] = {}
    whole = [event for event in found if event["ph"] == "X" and "dur" in event]
    for event in sorted(whole, key=lambda one: (one["ts"], -one["dur"])):
        track = event["pid"], event["tid"]
        if event["dur"] < 0 or event["ts"] < tracks.get(track, 0.0) - SLIP_US:
            wrong.append(f"{event} overlaps on {track}")
        tracks[track] = max(tracks.get(track, 0.0), event["ts"] + event["dur"])
    named = {(e["pid"], e["tid"]) for e in found if e["ph"] == "M" and e["name"] == "thread_name"}
    return wrong + [f"track {track} has no name" for track in tracks if track not in named]


@pytest.mark.parametrize("name", RUNS)
def test_every_block_of_a_stored_run_is_a_slice_that_a_reader_can_draw(name: str) -> None:
    run = stored(name)
    found = events(run)
    assert faults(found) == []
    records = (*run.result.records, *run.result.visits)
    slices = [event for event in found if event["ph"] == "X"]
    assert sum(event["cat"] != "point" for event in slices) == sum(record.blocks for record in records)
    assert sum(event["cat"] == "point" for event in slices) == len(records)


def test_the_check_of_the_format_finds_faults() -> None:
    name = {"ph": "M", "name": "thread_name", "pid": 1, "tid": 2, "args": {"name": "a"}}
    one = {"ph": "X", "name": "a", "ts": 0.0, "dur": 2.0, "pid": 1, "tid": 2}
    assert faults([name, one, {**one, "ts": 2.0}]) == []
    assert "overlaps" in faults([name, one, {**one, "ts": 1.0}])[0]
    assert "no name" in faults([one])[0]
    assert "lacks" in faults([name, {"ph": "X", "name": "a", "ts": 0.0, "pid": 1, "tid": 2}])[0]


def test_times_threads_and_marks_are_those_of_the_samples() -> None:
    run = stored("contention")
    record = run.result.records[0]
    blocks = run.blocks(record)
    first = int(blocks["start_ticks"].min())
    own = [event for event in events(run) if event["ph"] == "X" and event["cat"] != "point"][: len(blocks)]
    found = {(round(event["ts"], 3), round(event["dur"], 3)) for event in own}
    to_us = 1e6 / record.clock.hz
    for block in blocks[:: max(1, len(blocks) // 20)]:
        ts = (int(block["start_ticks"]) - first) * to_us
        dur = (int(block["stop_ticks"]) - int(block["start_ticks"])) * to_us
        assert any(abs(ts - a) < SLIP_US and abs(dur - b) < SLIP_US for a, b in found)
    marked = sum(event["cat"] == "disturbed" for event in own)
    assert marked == int(np.sum((blocks["flags"] & ~np.uint16(1)) != 0))
    assert all("(" in event["name"] for event in own if event["cat"] == "disturbed")


def test_one_running_clock_places_visits_to_the_microsecond() -> None:
    run = stored("loaded-latency")
    found = list(spans(run))
    assert all(span.exact for span in found)
    hz = found[0].record.clock.hz
    for span in found[1:]:
        gap = (span.first_ticks - found[0].first_ticks) / hz * 1e9
        assert abs((span.zero_ns - found[0].zero_ns) - gap) < 1e6  # the two records state the rate to about 1 ppm


def test_a_clock_that_began_again_is_not_believed() -> None:
    """As after a restart of the machine and `tierscope resume`: ticks begin again, the wall time continues."""
    run = stored("loaded-latency")
    late = [msgspec.structs.replace(r, started="2026-11-23T10:00:00+00:00") for r in run.result.records[-1:]]
    result: Result = msgspec.structs.replace(run.result, records=(*run.result.records[:-1], *late))
    *_, last = spans(Run(path=run.path, result=result))
    assert not last.exact
    assert last.zero_ns > 3600e9


def test_bandwidth_of_a_batch_is_its_bytes_over_its_time(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "run", 1995)
    add_stream(maker, ("triad",))
    run = maker.save()
    values = [e["args"]["value"] for e in events(run) if e["ph"] == "C" and e["name"] == "group 0: bandwidth (GB/s)"]
    wanted = []
    for record in run.result.records:
        blocks = run.blocks(record)
        kept = blocks[(blocks["flags"] & 1) == 0]
        seconds = (int(kept["stop_ticks"].max()) - int(kept["start_ticks"].min())) / record.clock.hz
        wanted += [int(kept["operations"].sum()) * 192 / seconds / 1e9, 0]  # three lines of 64 bytes; then the end
    assert values == pytest.approx(wanted, rel=1e-4)
    assert 1.7 < values[2] / values[0] < 2.1  # two threads were made with 1.9x the rate of one


def test_runs_are_processes_of_one_trace() -> None:
    found = events(stored("stream"), stored("contention"))
    assert {event["pid"] for event in found} == {1, 2}
    names = [event["args"]["name"] for event in found if event["name"] == "process_name"]
    assert names[0].startswith("stream on ")
    assert "(simulated)" in names[0]


def test_a_run_of_another_tool_has_no_blocks_to_show() -> None:
    run = stored("stream")
    bare = msgspec.structs.replace(run.result, records=(), visits=())
    with pytest.raises(UsageError, match="these runs contain no blocks"):
        formats.export("perfetto").render([Run(path=run.path, result=bare)])
