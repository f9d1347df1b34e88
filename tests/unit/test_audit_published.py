"""The audit of published tables: document 003's, with the reasons; numbers as printed."""

import pytest

from tierscope import reference
from tierscope.audit import Audit, examine
from tierscope.audit.published import statements as published
from tierscope.audit.slips import OF_BYTES, OF_COUNTS, OF_TIMES, OF_TIMES_AND_COUNTS, slip, slips_of
from tierscope.errors import UsageError
from tierscope.printed import printed
from tierscope.reproduce import reproduce


def rows(found: Audit, identity: str) -> set[int]:
    return {int(one.label.split()[1].rstrip(",")) for one in found.failures if one.identity == identity}


def claimed(says: str) -> set[int]:
    (claim,) = (one for one in reproduce["003"].claims() if one.says.startswith(says))
    return {int(f.label.split()[1].rstrip(",")) for f in claim.figures if f.fault}


def test_document_003_has_one_line_in_flight_in_all_cells() -> None:
    found = examine(published(reference.load("document003_loaded_latency")))
    (one,) = (one for one in found.failures if one.identity == "no_load")
    assert one.label == "all 152 rows"
    assert one.said == "latency x bandwidth is 63.99 to 64.01 bytes"


def test_the_storage_of_document_003_fails_where_its_figures_do_for_the_same_reasons() -> None:
    found = examine(published(reference.load("document003_storage")))
    assert rows(found, "littles_law") == claimed("latency is queue depth")
    assert rows(found, "operation_bytes") == claimed("bandwidth is IOPS")
    assert rows(found, "same_quantity") == claimed("bandwidth average")
    why = {(one.identity, one.label.partition(",")[0]): one.why for one in found.failures}
    assert why["operation_bytes", "row 1"].startswith("a digit was lost")
    assert why["littles_law", "row 1"].startswith("a digit was lost")
    assert why["littles_law", "row 7"] == "impossible: 39x that"
    assert why["same_quantity", "row 8"].startswith("unit slip: it is in MiB/s in a column of KiB/s")


# --- small parts ---


@pytest.mark.parametrize(
    ("word", "value", "step"), [("35.2k", 35_200, 100), ("3520", 3520, 1), ("1.50e3", 1500, 10), ("2M", 2e6, 1e6)]
)
def test_a_printed_number_has_a_value_and_a_step(word: str, value: float, step: float) -> None:
    assert printed(word) == (pytest.approx(value), pytest.approx(step))


@pytest.mark.parametrize("word", ["", "x", "1,5", "1.2.3", "nan", "1e999"])
def test_text_that_is_not_a_number_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="not a number"):
        printed(word)


def test_a_slip_has_a_name_in_both_directions() -> None:
    for slips in (OF_BYTES, OF_TIMES, OF_COUNTS, OF_TIMES_AND_COUNTS):
        assert slip(10.02, slips) == slip(1 / 10.02, slips) == "a digit was lost"
        assert slip(3.3, slips) == slip(0.0, slips) == ""


@pytest.mark.parametrize("name", ["latency_s", "seconds", "rate_per_s", "operations"])
@pytest.mark.parametrize("factor", [1.024, 1.024**2, 1.024**3, 8.0, 64.0, 1024.0**2])
def test_only_bytes_slip_by_binary_prefixes_bits_and_lines(name: str, factor: float) -> None:
    assert slip(factor, slips_of("bandwidth_bytes_per_s"), 1e-6) != ""
    assert slip(factor, slips_of("footprint_bytes"), 1e-6) != ""
    assert slip(factor, slips_of(name), 1e-6) == ""


def test_a_prefix_is_named_by_those_that_the_unit_has() -> None:
    assert slip(1000.0, slips_of("latency_s")) == "a prefix was lost: ms for us, or us for ns"
    assert slip(1000.0, slips_of("rate_per_s")) == "a prefix was lost: k for one, M for k"


# --- every table, and what is known of the documents ---

FAULTS: dict[str, set[str]] = {
    "document000_ratio": {"ratio"},  # a quotient that is titled a difference
    "document001_latency": {"quantum", "unit_given"},  # the step of a clock, and no unit
    "document001_stream": {"peak_formula"},  # 51 GB/s for four channels of DDR4-2133
    "document001_throughput": {"random_no_faster"},  # the first touch is in the sequential writes
    "document002_neighbors": {"copied"},  # the run alone of the third experiment is that of the second
    "document003_loaded_latency": {"no_load", "delay_slows"},
    "document003_storage": {"littles_law", "operation_bytes", "same_quantity"},
    "document004_map_get": {"proportional", "stated_error"},  # row 50,000, and both mean errors
}
GENERAL = {"in_range", "unit_given", "digits"}  # they speak of nearly everything


@pytest.mark.parametrize("name", reference.names())
def test_every_table_is_checked_and_only_known_faults_are_found(name: str) -> None:
    found = examine(published(reference.load(name)))
    assert {one.identity for one in found.failures} == FAULTS.get(name, set())
    special = {identity for identity, count in found.checked.items() if count} - GENERAL
    assert special or name in ("optane100_write_amplification", "cxl_latency")  # numbers that nothing bounds


def reasons(name: str) -> dict[str, str]:
    return {one.identity: one.text for one in examine(published(reference.load(name))).failures}


def test_the_faults_of_documents_000_to_004_have_their_reasons() -> None:
    assert "the head states difference, but the numbers are the quotient" in reasons("document000_ratio")["ratio"]
    clock = reasons("document001_latency")["quantum"]
    assert "7 of 12 are whole multiples of 0.005731" in clock
    assert "4 channels x 2133 MT/s x 8 bytes make 68.26 GB/s" in reasons("document001_stream")["peak_formula"]
    assert "the first touch" in reasons("document001_throughput")["random_no_faster"]
    alone = examine(published(reference.load("document002_neighbors"))).failures
    assert [one.label for one in alone] == ["dram, tasks 1, writers 0, test", "dram, tasks 1, writers 0, train"]
    assert reasons("document004_map_get")["proportional"].startswith("operations 50000: proportional 0.036 s")
    errors = [one.text for one in examine(published(reference.load("document004_map_get"))).failures]
    assert any("10.8 %, but the rows make 13.46 %" in text and "over the prediction" in text for text in errors)
    assert any("7.5 %, but the rows make 8.07 %" in text for text in errors)


def edited(name: str, old: str, new: str) -> Audit:
    text = (reference.FOLDER / f"{name}.csv").read_text()
    assert text.count(old) == 1
    return examine(published(reference.parse(name, text.replace(old, new))))


@pytest.mark.parametrize(
    ("name", "old", "new", "identity"),
    [
        ("document000_contention_dram_nvm", "56598.08", "56589.08", "sum_of_parts"),
        ("document000_ratio", "22995.1,11970.2,52.1", "22995.1,11970.2,51.2", "ratio"),
        ("document000_ratio", "22995.1", "22959.1", "told_again"),
        ("document000_stream_dram", "65509.8", "655098", "peak_share"),
        ("document000_stream_nvdimm", "37491.8", "3749.18", "threads_add"),
        ("document001_stream", "6098.8", "6089.8", "time_taken"),
        ("document001_stream", "0.0282,", "0.0306,", "moments"),
        ("document002_flush", "8.985184", "89.85184", "flush_order"),
        ("document002_neighbors", "564.545805", "56.4545805", "idle_is_least"),
        ("document004_map_get", "2.33,", "0.233,", "work_grows"),
        ("optane100_tail_latency", "256,320,5.274e+04,5.68e+04", "256,320,5.74e+04,5.28e+04", "spread"),
        ("optane100_idle_latency", "random_read,optane,305", "random_read,optane,0.305", "core_limit"),
    ],
)
def test_a_fault_planted_in_a_table_is_found(name: str, old: str, new: str, identity: str) -> None:
    known = {(one.identity, one.label) for one in examine(published(reference.load(name))).failures}
    found = {(one.identity, one.label) for one in edited(name, old, new).failures} - known
    assert identity in {broken for broken, _ in found}


@pytest.mark.parametrize(
    "line",
    [
        "# quantity: nothing = latency_s",
        "# bounds: latency_ns = low",
        "# known: peak_bytes_per_s = much",
        "# word: order = {pattern}",
        "# same: latency_ns = nowhere",
        "# error: latency_ns = 7 %",
        "# share: kind = 0.7",
    ],
)
def test_a_head_line_that_shows_nothing_is_refused(line: str) -> None:
    text = (reference.FOLDER / "optane100_idle_latency.csv").read_text()
    with pytest.raises(ValueError, match="is needed, columns: "):
        reference.parse("optane100_idle_latency", f"{line}\n{text}")
