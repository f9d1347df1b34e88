"""OpenMetrics: what its standard asks, and series that stay the same from run to run."""

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families
from prometheus_client.samples import Sample

from made import STARTED, Maker, add_stream
from made_maps import add_point
from made_numa import add_nodes
from made_storage import storage_run
from reported import evil_run
from tierscope.errors import UsageError
from tierscope.record.result import Run
from tierscope.report.formats import formats
from tierscope.tables import tables
from tierscope.units import KiB, MiB

LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
SAMPLE = re.compile(rf"([a-zA-Z_:][a-zA-Z0-9_:]*)\{{((?:{LABEL}(?:,(?!\}}))?)*)\}} (-?[0-9.]+(?:e[+-]?[0-9]+)?)")
Read = dict[str, dict[str, float]]


def text(*runs: Run) -> str:
    return formats.export("openmetrics").render(runs).decode()


def read(document: str) -> Read:
    """Name of a metric -> labels -> value; an AssertionError for what the parser of Prometheus refuses.

    Metrics do not interleave; the description of one is before its samples, once; no sample comes twice; a unit ends
    the name; a label comes once in a sample; the end is marked. Source: "OpenMetrics", 1.0, sections 4 and 5.
    """
    *lines, end = document.removesuffix("\n").split("\n")
    assert end == "# EOF"
    found: Read = {}
    described: set[str] = set()
    for line in lines:
        if line.startswith("#"):
            _, kind, name, told = line.split(" ", 3)
            if kind == "TYPE":
                assert told == "gauge"
                assert name not in found, f"{name} comes twice"
                found[name], described = {}, set()
            assert name == list(found)[-1], f"{line} is not with its metric"
            assert not found[name], f"{line} comes after a sample"
            assert kind in {"TYPE", "UNIT", "HELP"} - described
            assert kind != "UNIT" or name.endswith(f"_{told}")
            assert kind != "HELP" or not re.search(r'\\(?![\\n"])', told)
            described.add(kind)
            continue
        sample = SAMPLE.fullmatch(line)
        assert sample, line
        name, labels, value = sample.groups()
        assert name == list(found)[-1], f"{line} is not with its metric"
        assert labels not in found[name], f"{line} comes twice"
        names = [label.partition("=")[0] for label in re.findall(LABEL, labels)]
        assert len(names) == len(set(names)), line
        found[name][labels] = float(value)
    return found


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("a"), 1995)
    add_stream(maker, ("read", "triad"))
    add_nodes(maker)
    return maker.save()


def later(run: Run, days: int, **changes: object) -> Run:
    """The same run on another day."""
    started = datetime.fromisoformat(STARTED) + timedelta(days=days)
    result = msgspec.structs.replace(run.result, started=started.isoformat(), **changes)
    return msgspec.structs.replace(run, result=result)


def test_it_is_as_its_standard_asks_and_has_the_main_numbers(run: Run) -> None:
    found = read(text(run))
    rows = tables["stream"].flat(run)
    values = found["tierscope_stream_bandwidth_bytes_per_second"]
    assert list(values.values()) == [row["bandwidth_bytes_per_s"] for row in rows]
    assert list(found["tierscope_stream_bandwidth_low_bytes_per_second"].values()) == [r["bandwidth_low"] for r in rows]
    assert [value == 1 for value in found["tierscope_stream_conclusive"].values()] == [r["conclusive"] for r in rows]
    assert 'kernel="triad",threads="2"' in list(values)[-1]
    assert "tierscope_numa_latency_seconds" in found
    assert not any("share" in name for name in found)


@pytest.mark.parametrize(
    "wrong",
    [
        '# TYPE a gauge\na{x="1"} 1\na{x="1"} 2\n# EOF\n',
        '# TYPE a gauge\na{x="1",x="2"} 1\n# EOF\n',
        "# TYPE a gauge\n# UNIT a bytes\n# EOF\n",
        '# TYPE a gauge\nb{x="1"} 1\n# EOF\n',
        '# TYPE a gauge\na{x="1""} 1\n# EOF\n',
        '# TYPE a gauge\na{x="1"} 1\n# HELP a b\n# EOF\n',
        '# TYPE a gauge\na{x="1"} 1\n',
    ],
)
def test_violations_of_the_standard_are_found(wrong: str) -> None:
    with pytest.raises((AssertionError, ValueError)):
        read(wrong)


def test_a_thousand_runs_have_the_series_of_one_and_the_numbers_of_the_newest(run: Run) -> None:
    one = read(text(run))
    many = read(text(*(later(run, day) for day in (*range(500, 1000), *range(500)))))
    assert {name: set(series) for name, series in many.items()} == {name: set(series) for name, series in one.items()}
    (at,) = many["tierscope_run_started_timestamp_seconds"].values()
    assert datetime.fromtimestamp(at, UTC) == datetime.fromisoformat(STARTED) + timedelta(days=999)


def test_the_parser_of_prometheus_reads_a_thousand_runs_as_one(run: Run) -> None:
    """Its own strict parser, of prometheus_client: as many families and series, with the numbers that are there."""
    document = text(*(later(run, day) for day in range(1000)))
    families = list(text_string_to_metric_families(document))
    found = {one.name: {_labels(sample): sample.value for sample in one.samples} for one in families}
    assert {name: list(series.values()) for name, series in found.items()} == {
        name: list(series.values()) for name, series in read(document).items()
    }
    assert {one.type for one in families} == {"gauge"}
    assert all(one.documentation for one in families)
    assert {one.unit for one in families} >= {"seconds", "bytes_per_second"}
    once = list(text_string_to_metric_families(text(run)))
    assert {name: set(series) for name, series in found.items()} == {
        one.name: {_labels(sample) for sample in one.samples} for one in once
    }


def test_that_parser_reads_the_names_of_a_hostile_run(tmp_path: Path) -> None:
    run = evil_run(tmp_path)
    series = [sample for one in text_string_to_metric_families(text(run)) for sample in one.samples]
    assert len(series) == sum(map(len, read(text(run)).values())) > 0


@pytest.mark.parametrize(
    "wrong", ["# TYPE a gauge\na 1\n", "# TYPE a gauge\nb 1\n# TYPE a gauge\n# EOF\n", "a{x=1} 1\n# EOF\n"]
)
def test_that_parser_refuses_what_is_wrong(wrong: str) -> None:
    with pytest.raises(ValueError, match="."):
        list(text_string_to_metric_families(wrong))


def _labels(sample: Sample) -> frozenset[tuple[str, str]]:
    return frozenset(sample.labels.items())


def test_labels_are_neither_the_name_nor_the_time_of_a_run(run: Run) -> None:
    named = run.path.name
    assert named not in text(run)
    assert run.result.started not in text(run)


def test_machines_suites_and_origins_are_series_of_their_own(run: Run) -> None:
    machine = msgspec.structs.replace(run.result.machine, hostname="other")
    runs = [run, later(run, 1, machine=machine), later(run, 2, suite="own"), later(run, 3, origin="emulated")]
    found = read(text(*runs))
    assert len(found["tierscope_run_started_timestamp_seconds"]) == len(runs)
    single = read(text(run))["tierscope_stream_bandwidth_bytes_per_second"]
    assert len(found["tierscope_stream_bandwidth_bytes_per_second"]) == len(runs) * len(single)


def test_an_update_of_the_kernel_continues_the_series(run: Run) -> None:
    identity = msgspec.structs.replace(run.result.machine.identity, kernel="99.9")
    machine = msgspec.structs.replace(run.result.machine, identity=identity)
    assert read(text(run)).keys() == read(text(run, later(run, 1, machine=machine))).keys()
    assert len(read(text(run, later(run, 1, machine=machine)))["tierscope_run_started_timestamp_seconds"]) == 1


def test_a_run_that_has_no_number_yet_leaves_the_last_one_in_place(run: Run) -> None:
    assert text(run, later(run, 1, records=(), complete=False)) == text(run)


def test_a_run_with_an_unreadable_time_keeps_its_numbers(run: Run) -> None:
    odd = msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, started="soon"))
    assert "tierscope_run_started_timestamp_seconds" not in read(text(odd))
    assert read(text(odd, run)) == read(text(run))
    with pytest.raises(UsageError):
        text(later(odd, 0, records=()))


def test_points_are_distinguished_by_their_labels(tmp_path: Path) -> None:
    maker = Maker(tmp_path / "maps")
    for count in (2000, 4000):
        add_point(maker, "quick_map", "get", count=count)
    jobs = storage_run(tmp_path / "storage", "size=64MiB", "preset=depths", repeats=3)
    for one, metric, table in (
        (maker.save("maps"), "tierscope_maps_seconds", "maps"),
        (jobs, "tierscope_storage_bandwidth_bytes_per_second", "storage"),
    ):
        assert len(read(text(one))[metric]) == len(tables[table].rows(one)) > 1


def test_words_of_a_foreign_run_are_escaped(run: Run) -> None:
    machine = msgspec.structs.replace(run.result.machine, hostname='<b>"x"\\\n')
    found = read(text(later(run, 0, machine=machine)))
    assert all(r'host="<b>\"x\"\\\\u000a"' in label for series in found.values() for label in series)


def test_sizes_are_labels_in_bytes(run: Run) -> None:
    series = read(text(run))["tierscope_stream_bandwidth_bytes_per_second"]
    assert all(f'page_bytes="{2 * MiB}"' in one or f'page_bytes="{4 * KiB}"' in one for one in series)
