"""fio's documents as data: a real one, with text around it, and documents of other programs."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tierscope.errors import ResultError
from tierscope.fio.answer import parse

TEXT = (Path(__file__).parents[1] / "data/fio/randrw-3.33.json").read_text()
RAW: dict[str, Any] = json.loads(TEXT)
NOTE = "fio: this platform does not support process shared mutexes, forcing use of threads.\n"


def changed(**job: object) -> str:
    return json.dumps({**RAW, "jobs": [{**RAW["jobs"][0], **job}]}, indent=2)


def test_a_document_is_read_in_base_units() -> None:
    document = parse(TEXT)
    (job,) = document.jobs
    raw = RAW["jobs"][0]
    assert document.version == "3.33"
    assert document.said == ""
    assert list(job.sides) == ["read", "write"]
    assert job.options["rwmixread"] == "70"
    assert job.cpu_user == pytest.approx(raw["usr_cpu"] / 100)
    assert job.cpu_system == pytest.approx(raw["sys_cpu"] / 100)
    assert job.switches == raw["ctx"]
    assert job.error == 0
    for name, side in job.sides.items():
        assert side.operations == raw[name]["total_ios"]
        assert side.bytes == raw[name]["io_bytes"]
        assert side.seconds == raw[name]["runtime"] / 1000
        assert side.bytes_per_s == raw[name]["bw_bytes"]
        assert side.iops == raw[name]["iops"]
        total = side.latency["total"]
        assert total.mean_s == pytest.approx(raw[name]["lat_ns"]["mean"] / 1e9)
        assert sum(total.bins.values()) == raw[name]["lat_ns"]["N"]
        assert total.percentiles[99.0] == raw[name]["lat_ns"]["percentile"]["99.000000"] / 1e9
    assert job.iops == raw["read"]["iops"] + raw["write"]["iops"]


def test_warnings_around_the_document_are_reported_and_do_no_harm() -> None:
    document = parse(f"{NOTE}note: {{ not a document }}\n{TEXT}\nfio: latency of the file is odd\n")
    assert document.jobs == parse(TEXT).jobs
    assert NOTE.strip() in document.said
    assert "latency of the file is odd" in document.said


def test_the_last_of_several_documents_counts() -> None:
    later = changed(jobname="later")
    assert parse(f"{TEXT}\n{later}\n").jobs[0].name == "later"
    assert parse(f"{later}{NOTE}{TEXT}").jobs[0].name == "job"


def test_a_document_on_one_line_is_read() -> None:
    assert parse(json.dumps(RAW)).jobs == parse(TEXT).jobs


def test_plain_json_has_no_bins() -> None:
    plain = {key: value for key, value in RAW["jobs"][0]["read"]["lat_ns"].items() if key != "bins"}
    read = {**RAW["jobs"][0]["read"], "lat_ns": plain}
    assert parse(changed(read=read)).jobs[0].sides["read"].latency["total"].bins == {}


def test_a_side_that_did_nothing_is_absent() -> None:
    nothing = {**RAW["jobs"][0]["write"], "total_ios": 0}
    assert list(parse(changed(write=nothing)).jobs[0].sides) == ["read"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "begins with 'nothing at all'"),
        (NOTE, "no JSON document of fio: it begins with 'fio: this platform"),
        (TEXT[:3000], "no JSON document of fio that ends too early"),
        ('{"a": 1}', "not of fio"),
        (json.dumps({**RAW, "fio version": "fio-2.21"}), "written by fio 2.21, whose latencies have other units"),
        (changed(read={"total_ios": 3}), "lacks or garbles 'io_bytes'"),
        (changed(usr_cpu="12,5"), "lacks or garbles the number '12,5'"),
        (changed(usr_cpu=float("nan")), "lacks or garbles the number 'nan'"),
        (json.dumps({**RAW, "jobs": [3]}), "lacks or garbles"),
        (changed(ctx=float("inf")), "lacks or garbles"),
        (changed(usr_cpu=10**400), "lacks or garbles"),
    ],
    ids=["empty", "words", "cut", "another", "old", "missing", "decimal comma", "nan", "no job", "no end", "too large"],
)
def test_text_that_is_not_a_document_has_a_reason(text: str, why: str) -> None:
    with pytest.raises(ResultError) as caught:
        parse(text)
    assert why in str(caught.value)


@given(st.integers(0, len(TEXT)), st.integers(0, len(TEXT)), st.text(max_size=20))
def test_damage_ends_as_an_error_or_a_document(start: int, stop: int, put: str) -> None:
    damaged = TEXT[:start] + put + TEXT[max(start, min(stop, start + 40)) :]
    try:
        document = parse(damaged)
    except ResultError as error:
        assert str(error)
    else:
        assert document.version
