"""An audit of counters finds the laws that were put in, and decides nothing where counts do not."""

from pathlib import Path

import pytest

from made_audited import Law, audit_run, known_of
from made_machine import made_machine
from tierscope.plans import suites
from tierscope.run.counters import EVERY, Counters
from tierscope.run.expected import imagine
from tierscope.suites.counters_audit.judge import judge
from tierscope.suites.counters_audit.known import READ, WRITTEN, Known, known
from tierscope.suites.counters_audit.row import EventVerdictRow
from tierscope.tables import tables

LAWS: dict[str, Law] = {
    "uncore_imc_0/cas_count_read/": lambda known: known.read,
    "uncore_imc_0/cas_count_write/": lambda known: 2 * known.written,
    "LLC-load-misses": lambda known: known.moved,
    "cache-misses": lambda known: 0.3 * known.loaded + 0.6 * known.plain + 0.05,
    "L1-dcache-loads": lambda known: 8 * known.loaded,
    "task-clock": lambda known: known.time,
    "ref-cycles": lambda known: 2.1e9 * known.time,
    "page-faults": lambda known: -1e-9,  # with the count of an empty block: nothing
}


def verdicts(folder: Path, laws: dict[str, Law] = LAWS, **more: object) -> dict[str, EventVerdictRow]:
    return {row.event: row for row in tables["event_verdict"].rows(audit_run(folder, laws, **more))}  # type: ignore[arg-type]


def test_each_event_gets_the_verdict_of_its_law(tmp_path: Path) -> None:
    found = verdicts(tmp_path, lacking={"LLC-loads": "no PMU counts it here"})
    told = {event: (row.verdict, row.follows) for event, row in found.items()}
    assert told == {
        "uncore_imc_0/cas_count_read/": ("counts", "lines read from memory"),
        "uncore_imc_0/cas_count_write/": ("factor", "lines written to memory"),
        "LLC-load-misses": ("other", "lines moved"),
        "cache-misses": ("unrelated", None),
        "L1-dcache-loads": ("follows", "lines loaded by the program"),
        "task-clock": ("counts", "time"),
        "ref-cycles": ("follows", "time"),
        "page-faults": ("nothing", None),
        "LLC-loads": ("not known", None),
    }
    write = found["uncore_imc_0/cas_count_write/"].factor
    assert write
    assert write.low < 2 < write.high
    assert write.high / write.low < 1.05
    loads = found["L1-dcache-loads"].factor
    assert loads
    assert loads.middle == pytest.approx(8, rel=0.01)
    assert found["LLC-loads"].reason == "no PMU counts it here"
    assert "its factor to lines read from memory is 0.3" in str(found["cache-misses"].reason)


def test_memory_moves_64_bytes_at_a_time_and_caches_their_lines(tmp_path: Path) -> None:
    run = audit_run(tmp_path, {})
    by = {str(record.experiment.labels["kernel"]): record for record in run.result.records}
    wide = {kernel: known(record, record.counted[0], 0, 128) for kernel, record in by.items()}
    assert all(wide.values())
    found = {kernel: (*one[:4], one.owned) for kernel, one in wide.items() if one}
    assert found["read"] == (0.5, 1, 0, 0, 0)  # loaded, read, written, plain, owned
    assert found["write"] == (0, 1, 1, 0.5, 0.5)
    assert found["copy"] == (0.5, 2, 1, 0.5, 0.5)
    assert found["chase"] == (1, 2, 0, 0, 0)
    for kernel, record in by.items():
        assert known(record, record.counted[0], 0) == known_of(kernel)


def test_an_event_of_a_controller_promises_what_its_file_states_whatever_its_name_is(tmp_path: Path) -> None:
    laws: dict[str, Law] = {
        "amd_umc_0/umc_cas_cmd.rd": lambda known: known.read / 4,  # one channel of four
        "memory-lines": lambda known: known.moved,
        "memory-writes": lambda known: known.read,
    }
    moves = {"amd_umc_0/umc_cas_cmd.rd": "read", "memory-lines": "both", "memory-writes": "written"}
    found = verdicts(tmp_path, laws, moves=moves)
    assert {event: (row.verdict, row.follows) for event, row in found.items()} == {
        "amd_umc_0/umc_cas_cmd.rd": ("factor", "lines read from memory"),
        "memory-lines": ("counts", "lines moved"),
        "memory-writes": ("other", "lines read from memory"),
    }
    channel = found["amd_umc_0/umc_cas_cmd.rd"].factor
    assert channel
    assert channel.low < 1 / 4 < channel.high


@pytest.mark.parametrize(
    ("more", "why"),
    [({"noise": 0.4}, "vary between repeats"), ({"repeats": 2}, "fewer than 3"), ({"share": 0.2}, "20 % of the time")],
)
def test_counts_that_decide_nothing_get_no_verdict(tmp_path: Path, more: dict[str, float], why: str) -> None:
    row = verdicts(tmp_path, {"memory-reads": lambda known: known.read}, **more)["memory-reads"]
    assert (row.verdict, row.factor) == ("not known", None)
    assert why in str(row.reason)


def test_a_factor_at_the_edge_is_not_decided(tmp_path: Path) -> None:
    row = verdicts(tmp_path, {"memory-reads": lambda known: 1.1 * known.read})["memory-reads"]
    assert (row.verdict, row.follows) == ("not known", "lines read from memory")


def test_shared_counters_are_scaled_and_the_empty_block_is_subtracted(tmp_path: Path) -> None:
    row = verdicts(tmp_path, {"memory-reads": lambda known: known.read}, share=0.6)["memory-reads"]
    assert row.verdict == "counts"
    rows = tables["event_counts"].rows(audit_run(tmp_path / "b", {"memory-writes": lambda known: known.written}))
    by = {row.kernel: row for row in rows}
    assert by["triad"].per_operation == pytest.approx(1, rel=0.01)
    assert by["read"].per_operation == 0
    assert by["read"].factor is None
    assert (by["triad"].lines_read, by["write"].lines_read, by["update"].lines_read) == (3, 1, 1)
    assert (by["chase"].lines_read, by["chase"].lines_loaded, by["copy"].lines_loaded) == (1, 1, 1)


def test_no_noise_makes_a_false_verdict(tmp_path: Path) -> None:
    """An event that misses a fifth of the lines of one kernel counts none of the quantities."""
    law = {"memory-reads": lambda known: known.read * (0.75 if known.read == 3 else 1.0)}
    assert verdicts(tmp_path, law)["memory-reads"].verdict == "unrelated"


def test_kernels_repeat_in_tours_and_are_counted_with_every_event() -> None:
    suite = suites["counters-audit"]
    found = imagine(suite.plan(made_machine(), suite.read({"array": "64MiB", "repeats": "3"})))
    assert [one.labels["repeat"] for one in found] == [repeat for repeat in range(3) for _ in range(8)]
    assert len({one.labels["kernel"] for one in found[:8]}) == 8
    assert not any(one.calibrate for one in found)


def test_every_asks_for_what_the_machine_counts() -> None:
    counters = Counters(EVERY, "GenuineIntel:6:106:0", available=("cycles", "task-clock"))
    words = counters._words
    assert words.startswith("cycles,task-clock,cpu/event=")
    assert "{" not in words


def test_a_sentence_names_the_events_of_each_verdict(tmp_path: Path) -> None:
    run = audit_run(tmp_path, LAWS)
    said = {one.name: one for one in tables["event_verdict"].insights(run, tables["event_verdict"].rows(run))}
    assert said["events counts"].text == (
        "2 of 8 events count what their names state: uncore_imc_0/cas_count_read/, task-clock"
    )
    assert said["events counts"].value == 2


def test_an_event_that_was_0_has_no_verdict_if_no_kernel_does_what_it_counts() -> None:
    known = {"read": Known(1, 1, 0, 0, 8e-9), "chase": Known(1, 1, 0, 0, 90e-9)}
    counts = {kernel: [0.0] * 5 for kernel in known}
    assert judge(counts, known, WRITTEN, 1.0).verdict == "not known"
    assert judge(counts, known, None, 1.0).verdict == "not known"
    assert judge(counts, known, READ, 1.0).verdict == "nothing"
    stored = known | {"write_nt": Known(0, 0, 1, 0, 8e-9)}
    assert judge(counts | {"write_nt": [0.0] * 5}, stored, WRITTEN, 1.0).verdict == "nothing"
    assert judge(counts | {"write_nt": [0.0] * 5}, stored, None, 1.0).verdict == "nothing"
