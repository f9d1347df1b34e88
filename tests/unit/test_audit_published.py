"""What the audit says of published tables: document 003's, with the reasons; numbers as they are printed."""

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


def test_document_003_has_one_line_under_way_in_all_cells() -> None:
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
    assert why["littles_law", "row 7"] == "impossible: 39 times that"
    assert why["same_quantity", "row 8"].startswith("unit slip: it is in MiB/s under a head that says KiB/s")


# --- small parts ---


@pytest.mark.parametrize(
    ("word", "value", "step"), [("35.2k", 35_200, 100), ("3520", 3520, 1), ("1.50e3", 1500, 10), ("2M", 2e6, 1e6)]
)
def test_a_printed_number_has_a_value_and_a_step(word: str, value: float, step: float) -> None:
    assert printed(word) == (pytest.approx(value), pytest.approx(step))


@pytest.mark.parametrize("word", ["", "x", "1,5", "1.2.3", "nan", "1e999"])
def test_what_is_no_number_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match="no number"):
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
