"""Other tools' outputs become readings: real ones, samples after documented formats, and what is broken.

Real outputs, made on a test machine: stream.txt, likwid-bench.txt, multichase*.txt, fio*.json, perf.*. Written by us
after published outputs and documents, since the program is not free or not installable: mlc*.txt, pmembench.csv.
"""

import json
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from own import own
from said import refused
from tierscope.audit import examine
from tierscope.audit.readings import statements
from tierscope.errors import Exit, UsageError
from tierscope.imports import Imported, importers, read
from tierscope.record.reading import Reading

DATA = Path(__file__).parents[1] / "data/imports"
FILES = sorted(path.name for path in DATA.iterdir())
PLAIN = "multichase-plain.txt"  # a number alone: nobody can know what it is


def imported(name: str) -> Imported:
    return read(DATA / name, "multichase" if name == PLAIN else "")[1]


def values(reading: Reading) -> dict[str, float]:
    return {name: value.value for name, value in reading.values.items()}


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tierscope.report.formats.html.bundle", lambda: "")


def test_every_format_has_a_file() -> None:
    found = {read(DATA / name, "multichase" if name == PLAIN else "")[0] for name in FILES}
    assert found == {name for name in importers if not own(importers[name], "EXAMPLE")}


def test_a_format_reads_the_example_in_its_own_file(tmp_path: Path) -> None:
    for name in importers:
        if example := own(importers[name], "EXAMPLE"):
            (tmp_path / name).write_text(example)
            found, content = read(tmp_path / name)
            assert found == name
            assert examine(statements(content.readings)).failures == ()
            with pytest.raises(UsageError):  # an output that is cut off is refused
                importers[name].read(example[: len(example) // 2])


@pytest.mark.parametrize("name", FILES)
def test_the_real_output_of_a_tool_breaks_no_identity(name: str) -> None:
    found = examine(statements(imported(name).readings))
    assert found.failures == ()
    assert sum(found.checked.values()) > 0


def test_stream() -> None:
    found = imported("stream.txt")
    assert found.tool == "STREAM 5.10"
    assert [one.test for one in found.readings] == ["copy", "scale", "add", "triad"]
    copy = found.readings[0]
    assert copy.labels == {"threads": 2, "array_bytes": 32_000_000, "footprint_bytes": 96_000_000}
    assert values(copy)["bandwidth_bytes_per_s"] == 9271.1e6
    assert values(copy)["total_bytes"] == 64e6
    assert copy.values["bandwidth_bytes_per_s"].step == pytest.approx(0.1e6)
    assert values(copy)["clock_step_s"] == 1e-6


def test_likwid_bench() -> None:
    (triad,) = imported("likwid-bench.txt").readings
    assert triad.test == "triad"
    assert triad.labels == {"threads": 2, "footprint_bytes": 64_000_000}
    assert values(triad)["bandwidth_bytes_per_s"] == pytest.approx(9857.95e6)
    assert values(triad)["seconds"] == pytest.approx(3.324019)


def test_multichase() -> None:
    (verbose,) = imported("multichase.txt").readings
    assert verbose.labels == {"threads": 1, "footprint_bytes": 16 << 20, "stride": 256, "locality": 256 << 10}
    (plain,) = imported(PLAIN).readings
    assert values(plain) == {"latency_s": pytest.approx(85.848e-9)}


def test_fio_keeps_its_own_numbers() -> None:
    told = json.loads((DATA / "fio.json").read_text())["jobs"][0]
    reads, writes, both = imported("fio.json").readings
    assert (reads.test, writes.test, both.test) == ("read", "write", "read+write")
    assert values(reads)["rate_per_s"] == told["read"]["iops"]
    assert values(writes)["bandwidth_bytes_per_s"] == told["write"]["bw_bytes"]
    assert values(reads)["latency_p99_s"] == pytest.approx(told["read"]["clat_ns"]["percentile"]["99.000000"] * 1e-9)
    assert values(both)["rate_per_s"] == told["read"]["iops"] + told["write"]["iops"]
    assert "in_flight" in both.values
    assert "in_flight" not in reads.values
    assert reads.labels["operation_bytes"] == 4096


def test_fio_json_plus_is_read_like_json() -> None:
    (reads,) = imported("fio-plus.json").readings
    assert (reads.labels["operation_bytes"], values(reads)["in_flight"]) == (32768, 8)
    assert examine(statements([reads])).checked["littles_law"] == 1


def test_perf_states_what_it_could_not_count() -> None:
    found = imported("perf.txt")
    assert [warn.code for warn in found.warnings] == ["not_counted"]
    assert "cycles, instructions" in found.warnings[0].message
    program = found.readings[0]
    assert values(program) == {
        "elapsed_s": pytest.approx(0.004356560), "busy_s": pytest.approx(0.39e-3),
        "user_s": pytest.approx(0.000858), "system_s": 0,
    }  # fmt: skip
    for name in ("perf.csv", "perf.json"):
        assert {one.test for one in imported(name).readings} >= {"program", "task-clock", "page-faults"}


def test_mlc_has_all_its_sections() -> None:
    readings = imported("mlc.txt").readings
    tests = [one.test for one in readings]
    assert {test: tests.count(test) for test in tests} == {
        "idle latency": 4, "bandwidth": 5, "bandwidth between nodes": 4, "loaded latency": 6, "cache to cache": 4,
    }  # fmt: skip
    assert values(readings[1]) == {"latency_s": pytest.approx(141.2e-9)}
    assert readings[1].labels == {"from": "node 0", "to": "node 1"}
    last = next(one for one in readings if one.labels.get("delay_cycles") == 20000)
    assert values(last) == {"latency_s": pytest.approx(82.13e-9), "bandwidth_bytes_per_s": pytest.approx(1902.3e6)}
    assert values(imported("mlc-idle.txt").readings[0]) == {"latency_s": pytest.approx(86.2e-9)}


def test_mlc_of_older_versions_heads_its_matrices_otherwise(tmp_path: Path) -> None:
    """v3.1 and before: "Memory node" over the columns, "Socket" before them."""
    text = (DATA / "mlc.txt").read_text().replace("v3.9", "v3.1").replace("\t\tNuma node", "\tMemory node")
    text = text.replace("Numa node\t", " Socket\t").replace("Reader Numa Node", "Reader Socket")
    path = tmp_path / "mlc.txt"
    path.write_text(text.replace("Writer Numa Node     0\t", "Writer Socket\t     0\t"))
    assert "Numa" not in path.read_text()
    assert read(path)[1].readings == imported("mlc.txt").readings


def test_pmembench_takes_units_from_its_heads() -> None:
    insert, copy = imported("pmembench.csv").readings
    assert (insert.test, copy.test) == ("map_insert", "pmem_memcpy")
    assert values(insert)["latency_p99_s"] == pytest.approx(15291e-9)
    assert values(copy)["bandwidth_bytes_per_s"] == pytest.approx(1.024e9)
    assert insert.labels["type"] == "hashmap_atomic"
    assert "seed" not in insert.labels


# --- what the audit finds in them ---


def test_a_table_of_mlc_without_a_load_is_found(tmp_path: Path) -> None:
    rows = "\n".join(f" {d:05d}\t{80 + i:.2f}\t{64e3 / (80 + i):.1f}" for i, d in enumerate((0, 2, 8, 50, 200)))
    text = (DATA / "mlc.txt").read_text().partition(" 00000")[0] + rows + "\n"
    path = tmp_path / "mlc.txt"
    path.write_text(text)
    (failure,) = examine(statements(read(path)[1].readings)).failures
    assert (failure.identity, failure.label) == ("no_load", "all 5 rows")


def test_an_edited_rate_of_stream_is_found(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text((DATA / "stream.txt").read_text().replace("9271.1", "92711.1"))
    (failure,) = examine(statements(read(path)[1].readings)).failures
    assert failure.identity == "time_taken"
    assert failure.why.startswith("a digit was lost")


# --- broken files ---


def replaced(name: str, old: str, new: str) -> str:
    text = (DATA / name).read_text()
    assert old in text
    return text.replace(old, new, 1)


BROKEN = {
    "stream cut off": (lambda: (DATA / "stream.txt").read_text().partition("Add:")[0], "cut off"),
    "stream, decimal comma": (lambda: replaced("stream.txt", "9271.1", "9271,1"), "LC_ALL=C"),
    "stream, another unit of the clock": (lambda: replaced("stream.txt", "be 1 microseconds", "be 1 jiffies"), "unit"),
    "likwid cut off": (lambda: (DATA / "likwid-bench.txt").read_text().partition("MByte/s")[0], "cut off"),
    "likwid, another unit": (lambda: replaced("likwid-bench.txt", "e+00 sec", "e+00 min"), "'min'"),
    "fio cut off": (lambda: (DATA / "fio.json").read_text()[:3000], "cut off or damaged"),
    "fio of the future": (lambda: replaced("fio.json", "fio-3.33", "fio-4.0"), "newer tierscope"),
    "fio without a job": (lambda: '{\n"fio version": "fio-3.33", "jobs": []}', "no result"),
    "fio without IOPS": (lambda: replaced("fio.json", '"iops" :', '"eye" :'), "not as fio 3 writes it"),
    "fio, no JSON": (lambda: 'x "fio version" x', "no JSON"),
    "perf cut off": (lambda: (DATA / "perf.txt").read_text().partition("0.004356560")[0], "cut off"),
    "perf, decimal comma": (lambda: replaced("perf.txt", "0.39 ", "0,39 "), "LC_ALL=C"),
    "perf, JSON cut off": (lambda: (DATA / "perf.json").read_text()[:60] + "\n", "cut off"),
    "mlc cut off": (lambda: (DATA / "mlc.txt").read_text().partition(" 00000")[0], "cut off"),
    "mlc, half a row": (lambda: replaced("mlc.txt", "81.5	 141.2", "81.5"), "cut off"),
    "mlc, another section": (lambda: replaced("mlc.txt", "Measuring Loaded Lat", "Measuring Rest"), "unknown section"),
    "mlc, decimal comma": (lambda: replaced("mlc.txt", "229.34", "229,34"), "LC_ALL=C"),
    "pmembench cut off": (lambda: (DATA / "pmembench.csv").read_text()[:-30], "cut off"),
    "pmembench, another unit": (lambda: replaced("pmembench.csv", "latency-avg[nsec]", "latency-avg[ticks]"), "unit"),
    "pmembench, an unknown column": (lambda: replaced("pmembench.csv", "latency-avg[", "wisdom[", ), "unknown column"),
    "stream, a rate below zero": (lambda: replaced("stream.txt", "9271.1", "-9271.1"), "is impossible"),
    "mlc, a latency below zero": (lambda: replaced("mlc.txt", "229.34", "-229.34"), "is impossible"),
    "nothing": (lambda: "", "no known format"),
    "two formats": (lambda: (DATA / "mlc.txt").read_text() + (DATA / "stream.txt").read_text(), "could be any of"),
}  # fmt: skip


@pytest.mark.parametrize("what", BROKEN)
def test_a_broken_file_is_refused_in_one_line_and_leaves_nothing(
    what: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    make, why = BROKEN[what]
    path = tmp_path / "file"
    path.write_text(make())
    status, line = refused(capfd, "import", str(path))
    assert status == Exit.USAGE
    assert why in line
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file"]


@pytest.mark.parametrize("content", [b"\xff\xfe\x00 STREAM version", b"\x00" * 10])
def test_bytes_that_are_not_text_are_refused(content: bytes, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "f").write_bytes(content)
    assert refused(capfd, "import", "f")[0] == Exit.USAGE


def test_absent_files_directories_and_unknown_formats_are_refused(capfd: pytest.CaptureFixture[str]) -> None:
    assert "No such file" in refused(capfd, "import", "absent")[1]
    assert "is a directory" in refused(capfd, "import", ".")[1]
    assert "did you mean fio?" in refused(capfd, "import", "absent", "--as", "fioo")[1]


def test_warnings_before_the_json_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "fio.json"
    path.write_text("fio: this is no good {sic}\n" + (DATA / "fio.json").read_text() + "\nfio: done\n")
    _, found = read(path)
    assert [warn.code for warn in found.warnings] == ["preamble"]
    assert "no good" in found.warnings[0].message


def test_stream_that_failed_its_own_check_is_doubted(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_text(replaced("stream.txt", "Solution Validates", "Failed Validation"))
    assert [warn.code for warn in read(path)[1].warnings] == ["unchecked"]


def test_line_ends_of_other_systems_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.txt"
    path.write_bytes(b"\xef\xbb\xbf" + (DATA / "stream.txt").read_bytes().replace(b"\n", b"\r\n"))
    assert read(path)[1] == imported("stream.txt")


# --- fuzzed: a reading is finite and audited, or the file is refused; nothing else is raised ---


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    name=st.sampled_from(FILES),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.text(max_size=8)), max_size=4),
    whole=st.floats(0, 1),
)
def test_any_damage_is_refused_or_still_gives_numbers(
    name: str, cuts: list[tuple[float, int, str]], whole: float, tmp_path: Path
) -> None:
    text = (DATA / name).read_text()
    for place, length, new in cuts:
        start = int(place * len(text))
        text = text[:start] + new + text[start + length :]
    path = tmp_path / "damaged"
    path.write_bytes(text[: max(1, int(len(text) * (1 - whole / 4)))].encode("utf-8", "replace"))
    try:
        _, found = read(path, "multichase" if name == PLAIN else "")
    except UsageError:
        return
    assert all(isfinite(value.value) and value.value >= 0 for one in found.readings for value in one.values.values())
    examine(statements(found.readings))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(name=st.sampled_from(sorted(importers)), text=st.text(max_size=200))
def test_any_text_is_read_or_refused(name: str, text: str) -> None:
    try:
        importers[name].read(text)
    except UsageError:
        return
    importers[name].knows(text)
