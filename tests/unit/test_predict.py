"""Predictions on the command line: memories in words, presets, and runs that are moved and scored."""

import json
import re
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from made import Maker, add_latency, add_stream
from made_machine import made_machine, with_lines
from made_maps import add_point
from said import refused, say
from tierscope import reference
from tierscope.errors import Exit, UsageError
from tierscope.models import models
from tierscope.models.device import Device
from tierscope.models.model import Prediction, Span
from tierscope.models.structure_model import StructureModel
from tierscope.predict.memory import memory
from tierscope.predict.rows import MODEL_ERROR
from tierscope.record.result import Run
from tierscope.record.work.key import KeyedWork

NEAR, FAR = "read=100ns,cache=1MiB:5ns", "read=300ns,cache=1MiB:5ns"


def rows_of(capfd: pytest.CaptureFixture[str], *words: str) -> list[dict[str, object]]:
    status, out, err = say(capfd, "predict", *words, "--json")
    assert (status, err) == (Exit.GOOD, "")
    found: list[dict[str, object]] = json.loads(out)
    return found


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Gets of a structure that a model knows, 100 ns each."""
    maker = Maker(tmp_path)
    add_point(maker, "quick_map", "get", 1)
    made = maker.save("maps")
    return renamed(made, "robin_map")


def renamed(run: Run, kernel: str) -> Run:
    path = run.path / "result.json"
    path.write_text(path.read_text().replace("quick_map", kernel))
    return run


def test_given_memories_match_their_arguments() -> None:
    one = memory("read=305ns,write=90ns,bandwidth=7GB/s,parallelism=4,cache=32KiB:1.5ns,cache=1MiB:5ns").device
    assert (one.read_latency_s, one.write_latency_s, one.bandwidth_bytes_per_s) == pytest.approx((305e-9, 90e-9, 7e9))
    assert one.parallelism == 4
    assert [(cache.name, cache.capacity_bytes) for cache in one.caches] == [("L1", 32 << 10), ("L2", 1 << 20)]
    assert [cache.latency_s for cache in one.caches] == pytest.approx([1.5e-9, 5e-9])


def test_values_that_are_left_open_follow_from_the_latency_of_a_read() -> None:
    found = memory("read=100ns")
    assert found.writes_as_reads
    assert found.device.write_latency_s == pytest.approx(100e-9)
    assert found.device.bandwidth_bytes_per_s == pytest.approx(64 / 100e-9)
    assert not memory("document 004,read=100ns").writes_as_reads


def test_a_line_is_64_bytes_unless_words_or_a_run_state_another(tmp_path: Path) -> None:
    assert memory("read=100ns").device.line_bytes == 64
    one = memory("read=100ns,line=128B").device
    assert one.line_bytes == 128
    assert one.bandwidth_bytes_per_s == pytest.approx(128 / 100e-9)
    maker = Maker(tmp_path)
    add_latency(maker)
    long = with_lines(made_machine(), 128)
    assert memory(str(maker.save("long", long).path)).device.line_bytes == 128


def test_runs_give_caches_latency_and_lines_in_flight(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker)
    add_stream(maker, ("read",))
    found = memory(f"{maker.save('both').path},write=90ns")
    one = found.device
    assert one.read_latency_s > one.caches[-1].latency_s > one.caches[0].latency_s
    assert [cache.name for cache in one.caches[:2]] == ["L1", "L2"]
    assert one.parallelism * 64 / one.read_latency_s <= one.bandwidth_bytes_per_s * (1 + 1e-9)
    assert one.write_latency_s == pytest.approx(90e-9)
    assert found.notes == ()


def test_without_a_stream_one_line_is_in_flight_with_a_note(tmp_path: Path) -> None:
    maker = Maker(tmp_path)
    add_latency(maker)
    found = memory(str(maker.save("latency").path))
    assert found.device.parallelism == 1
    assert "one is assumed" in found.notes[0]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("cache=1MiB:5ns", "has no latency"),
        ("read=305", "such as 305ns"),
        ("read=100ns,speed=3", "'speed=3' is neither"),
        ("read=100ns,cache=1MiB", "such as cache=1MiB:5ns"),
        ("read=100ns,parallelism=many", "such as parallelism=10"),
        ("read=100ns,parallelism=0.5", "parallelism at least 1"),
        ("read=100ns,cache=1MiB:5ns,cache=32KiB:2ns", "must grow"),
        ("read=100ns,line=96B", "lines have 64, 128, 256 bytes"),
        ("document 005", "document 004"),
        ("document 004,document 004 counters", "name one device"),
        (",", "is neither"),
    ],
)
def test_words_that_name_no_memory_are_refused(word: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        memory(word)


def test_a_preset_states_what_was_published(capfd: pytest.CaptureFixture[str]) -> None:
    published = reference.load("document004_map_get").columns
    at = list(published["operations"]).index(1_000_000)
    for model, device, stated in (
        ("structure_model", "document 004", "structure_model_s"),
        ("counter_model", "document 004 counters", "counter_model_s"),
    ):
        words = ("--model", model, "--count", "1000000", "--value", "1B", "--on", device)
        (row,) = rows_of(capfd, "document 004", *words)
        assert round(float(str(row["seconds"])), 3) == published[stated][at]


def test_a_run_that_is_moved_to_where_it_ran_takes_as_long(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    (row,) = rows_of(capfd, str(run.path), "--from", NEAR, "--on", NEAR, "--beside", str(run.path))
    assert row["latency_s"] == pytest.approx(row["before_s"])
    assert row["measured_s"] == row["before_s"]
    assert row["error_share"] == pytest.approx(0, abs=1e-12)
    assert row["inside"] is True


def test_a_slower_memory_adds_what_its_lines_take_longer(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    near, far = "read=10ns", "read=300ns"
    (row,) = rows_of(capfd, str(run.path), "--from", near, "--on", far)
    work = run.result.records[0].experiment.groups[0].workload.of(KeyedWork)
    model = StructureModel.preset("robin_map get")
    before = float(str(row["before_s"]))
    longer = model.lines(work.count) * 290e-9
    assert row["latency_s"] == pytest.approx(before + longer, rel=1e-6)
    assert row["latency_low_s"] <= before + longer * (1 - MODEL_ERROR)  # type: ignore[operator]
    assert row["latency_high_s"] >= before * 30  # as if all of the time were memory's # type: ignore[operator]


def test_where_the_model_takes_longer_than_was_measured_times_are_scaled(
    run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    (row,) = rows_of(capfd, str(run.path), "--from", "read=1us", "--on", "read=2us")
    assert row["latency_s"] == pytest.approx(2 * float(str(row["before_s"])))


def test_the_terminal_scores_points_left_out_of_the_fit(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = say(capfd, "predict", str(run.path), "--from", NEAR, "--on", FAR, "--beside", str(run.path))
    assert status == Exit.GOOD
    assert "1 points that the model has not seen" in out
    assert "robin_map get" in out


def test_the_title_stays_on_one_line_where_its_table_is_narrow(capfd: pytest.CaptureFixture[str]) -> None:
    word = "read=300ns,cache=32KiB:1ns,cache=1MiB:5ns"
    _, out, _ = say(capfd, "predict", "hashmap_tx get", "--count", "10000", "--on", word)
    assert f"One operation on {word}" in [line.strip() for line in out.splitlines()]


def test_words_without_an_effect_and_runs_without_a_use_are_refused(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = str(run.path)
    for words, said in (
        ((path, "--on", FAR), "name where it ran"),
        ((path, "--from", NEAR, "--on", FAR, "--count", "5"), "keeps its own"),
        (("btree get", "--on", FAR, "--from", NEAR), "leave them out"),
        (("btree get", "--on", FAR, "--count", "many"), "numbers are needed"),
        (("btree get", "--on", FAR, "--count", "0"), "above 0"),
        (("btree got", "--on", FAR), "did you mean btree get"),
        (("btree get", "--on", FAR, "--model", "saturation"), "unknown model of run time"),
        ((path, "--on", FAR, "--model", "counter_model"), "no count of"),
    ):
        status, line = refused(capfd, "predict", *words)
        assert status == Exit.USAGE
        assert said in line, line


def test_points_that_the_model_does_not_know_are_left_out_and_counted(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    maker = Maker(tmp_path)
    add_point(maker, "quick_map", "get", 1)
    add_point(maker, "quick_map", "get", 2)
    run = renamed(maker.save("maps"), "robin_map")
    status, out, _ = say(capfd, "predict", str(run.path), "--from", NEAR, "--on", FAR)
    assert status == Exit.GOOD
    assert "1 of 2 points are left out" in " ".join(out.split())
    assert msgspec.json.decode(run.path.joinpath("result.json").read_bytes())["records"]


class Flat:
    """A third model of run time: a line of the memory for each operation, and nothing else."""

    name: ClassVar[str] = "flat"
    checked: ClassVar[bool] = True
    writes: ClassVar[bool] = False
    without_effect: ClassVar[dict[str, str]] = {"write": "it only reads"}
    valid = Span("operations", 1, 1e9)

    @classmethod
    def preset(cls, name: str) -> "Flat":
        assert name == "any program"
        return cls()

    def predict(self, operations: float, device: Device, value_bytes: float = 0.0) -> Prediction:
        seconds = operations * device.read_latency_s + value_bytes
        return Prediction(seconds, seconds, seconds, "s")


@pytest.fixture
def flat(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "structure_model" in models  # all are loaded
    monkeypatch.setitem(models._entries, "flat", Flat)


@pytest.mark.usefixtures("flat")
def test_another_model_answers_with_its_own_presets_and_its_own_reasons(
    run: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    (row,) = rows_of(capfd, "any program", "--model", "flat", "--on", FAR)
    assert row["latency_s"] == pytest.approx(300e-9)
    for words, said in (
        (("any program", "--on", f"{FAR},write=5us", "--model", "flat"), "it only reads"),
        (("any program", "--on", f"{FAR},parallelism=4", "--model", "flat"), "leave it out"),
        ((str(run.path), "--on", FAR, "--model", "flat"), "flat knows presets alone"),
    ):
        status, line = refused(capfd, "predict", *words)
        assert status == Exit.USAGE
        assert said in " ".join(line.split()), line


# --- what has an effect, and what is not known ---


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("hashmap_tx get", "--on", f"{FAR},write=5us"), "write= .* has no effect on hashmap_tx get"),
        (("hashmap_tx get", "--on", f"{FAR},parallelism=10"), "parallelism= .* depends on the one before"),
        (
            ("document 004", "--model", "counter_model", "--on", "document 004 counters,bandwidth=5GB/s"),
            "bandwidth= .* moves only the bytes of --value",
        ),
    ],
)
def test_a_key_of_a_memory_without_effect_is_refused(
    words: tuple[str, ...], why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    status, err = refused(capfd, "predict", *words)
    assert status == Exit.USAGE
    assert re.search(why, " ".join(err.split()))


def test_a_key_without_effect_is_refused_where_the_run_ran_as_well(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    for words in (("--from", f"{NEAR},write=5us", "--on", FAR), ("--from", NEAR, "--on", f"{FAR},write=5us")):
        status, err = refused(capfd, "predict", str(run.path), *words)
        assert status == Exit.USAGE
        assert "has no effect" in " ".join(err.split())


@pytest.mark.parametrize(
    "words",
    [
        ("hashmap_tx get", "--on", f"{FAR},bandwidth=10MB/s"),
        ("skiplist insert", "--on", f"{FAR},parallelism=10"),
        ("document 004", "--model", "counter_model", "--on", "document 004 counters,write=90ns"),
        (
            "document 004",
            "--model",
            "counter_model",
            "--value",
            "1KiB",
            "--on",
            "document 004 counters,bandwidth=5GB/s",
        ),
    ],
)
def test_a_key_with_an_effect_is_taken(words: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    rows_of(capfd, *words)


def test_a_line_from_the_memory_takes_no_less_than_its_bandwidth_allows(capfd: pytest.CaptureFixture[str]) -> None:
    times = {
        rate: rows_of(capfd, "hashmap_tx get", "--count", "1000000", "--on", f"read=300ns,bandwidth={rate}")[0]
        for rate in ("10MB/s", "1GB/s", "100GB/s")
    }
    slow, plain, fast = (float(str(times[rate]["latency_s"])) for rate in times)
    assert slow / plain == pytest.approx(64 / 10e6 / 300e-9)
    assert plain == fast


@pytest.mark.parametrize("count", ["1000", "1000000", "10000000", "100000000"])
def test_a_preset_without_a_known_error_has_no_bounds(count: str, capfd: pytest.CaptureFixture[str]) -> None:
    (row,) = rows_of(capfd, "robin_map get", "--count", count, "--on", FAR)
    assert (row["latency_low_s"], row["latency_high_s"]) == (None, None)
    assert any("bounds are unknown" in word for word in row["warnings"])  # type: ignore[attr-defined]
    assert "not known" in say(capfd, "predict", "robin_map get", "--count", count, "--on", FAR)[1]


@pytest.mark.parametrize(("count", "known"), [("1000000", True), ("7000000", True), ("70000000", False)])
def test_bounds_end_where_the_model_was_checked(count: str, known: bool, capfd: pytest.CaptureFixture[str]) -> None:
    words = ("document 004", "--model", "counter_model", "--count", count, "--on", "document 004 counters")
    (row,) = rows_of(capfd, *words)
    assert (row["latency_low_s"] is not None) is known
    if known:
        assert float(str(row["latency_high_s"])) / float(str(row["latency_low_s"])) > 1.1


def test_a_run_beyond_what_was_checked_is_moved_without_bounds(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    maker = Maker(tmp_path)
    add_point(maker, "quick_map", "get", 1)
    run = renamed(maker.save("maps"), "robin_map")
    path = run.path / "result.json"
    path.write_text(re.sub(r'"count": [0-9]{3,}', '"count": 10000000', path.read_text()))
    (row,) = rows_of(capfd, str(run.path), "--from", NEAR, "--on", FAR)
    assert (row["latency_low_s"], row["inside"]) == (None, None)
    assert row["latency_s"]
