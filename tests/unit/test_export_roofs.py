"""Roofs for other programs: the numbers of the table, nothing that was not measured, and a reason for each gap."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from made import Maker, add_stream
from stored import stored
from tierscope.errors import UsageError
from tierscope.record.result import Run
from tierscope.report.formats import formats
from tierscope.tables import tables

KERNELS = ("read", "copy", "triad")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("roofs") / "run", 1995)
    add_stream(maker, KERNELS)
    return maker.save()


def rendered(form: str, *runs: Run) -> str:
    return formats.export(form).render(runs).decode()


def document(form: str, *runs: Run) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(rendered(form, *runs))
    return found


def test_every_roof_has_the_interval_of_its_row(run: Run) -> None:
    roofs = document("roofline", run)["roofs"]
    rows = {(row["kernel"], row["threads"]): row for row in tables["stream"].flat(run)}
    assert {(roof["kernel"], roof["threads"]) for roof in roofs} == set(rows)
    for roof in roofs:
        row = rows[roof["kernel"], roof["threads"]]
        for key in ("bandwidth_bytes_per_s", "bandwidth_low", "bandwidth_high"):
            assert roof[key] == row[key]


def test_numbers_that_are_not_a_roof_are_named_with_the_reason() -> None:
    found = document("roofline", stored("stream"))  # on a simulated memory
    assert found["roofs"] == []
    assert {"the memory is simulated"} == {why for name, why in found["left_out"].items() if "threads" in name}
    assert "floating-point rate" in found["left_out"]


def test_a_subcluster_has_all_that_is_known_and_no_invented_rate(run: Run) -> None:
    found = document("clustercockpit", run)
    entry = found["subCluster"]
    wanted = {"name", "nodes", "topology", "processorType", "socketsPerNode", "coresPerSocket", "threadsPerCore",
              "flopRateScalar", "flopRateSimd", "memoryBandwidth"}  # fmt: skip
    assert wanted - set(entry) == set(found["left_out"]) == {"flopRateScalar", "flopRateSimd"}
    best = max((row for row in tables["stream"].rows(run) if row.threads == 2), key=lambda row: row.bandwidth.middle)
    assert entry["memoryBandwidth"] == {
        "unit": {"prefix": "G", "base": "B/s"},
        "value": round(best.bandwidth.middle / 1e9, 3),
    }
    assert found["memoryBandwidth measured with"]["kernel"] == best.kernel
    assert entry["topology"]["socket"] == [[0, 1]]
    assert entry["topology"]["core"] == [[0], [1]]


def test_a_machine_file_has_the_kernels_that_both_define_alike(run: Run) -> None:
    text = rendered("kerncraft", run)
    rows = {(row.kernel, row.threads): row.bandwidth.middle / 1e9 for row in tables["stream"].rows(run)}
    assert "cores: [1, 2]" in text
    assert f"load: [{rows['read', 1]:.2f} GB/s, {rows['read', 2]:.2f} GB/s]" in text
    assert f"copy: [{rows['copy', 1]:.2f} GB/s, {rows['copy', 2]:.2f} GB/s]" in text
    assert "\n          triad:" not in text
    assert "# - triad, threads 1, node:0: kerncraft does not define" in text


def test_a_machine_file_is_yaml_without_what_was_not_measured(run: Run) -> None:
    yaml = pytest.importorskip("yaml")
    found = yaml.safe_load(rendered("kerncraft", run))
    assert [level["level"] for level in found["memory hierarchy"]] == ["L1", "L2", "L3"]
    first = found["memory hierarchy"][0]["cache per group"]
    assert first["sets"] * first["ways"] * first["cl_size"] == 49152
    assert not {"clock", "FLOPs per cycle", "compiler"} & set(found)
    assert "upstream throughput" not in found["memory hierarchy"][1]
    assert yaml.safe_load(rendered("kerncraft", stored("stream")))["sockets"] == 1


def test_more_threads_than_cores_are_not_kerncrafts_measurement(run: Run) -> None:
    identity = run.result.machine.identity
    one_core = tuple(msgspec.structs.replace(cpu, core=0) for cpu in identity.cpus)
    machine = msgspec.structs.replace(run.result.machine, identity=msgspec.structs.replace(identity, cpus=one_core))
    text = rendered("kerncraft", Run(path=run.path, result=msgspec.structs.replace(run.result, machine=machine)))
    assert "cores: [1]" in text
    assert "# - copy, threads 2, node:0: more threads than cores" in text


@pytest.mark.parametrize("form", ["roofline", "kerncraft", "clustercockpit"])
def test_a_run_without_bandwidths_is_refused(form: str) -> None:
    with pytest.raises(UsageError, match="these runs contain no bandwidth of kernels.*tierscope run stream"):
        rendered(form, stored("tlb"))


def test_two_machines_have_no_common_roof(run: Run, tmp_path: Path) -> None:
    identity = msgspec.structs.replace(run.result.machine.identity, model="another")
    machine = msgspec.structs.replace(run.result.machine, identity=identity)
    other = Run(path=run.path, result=msgspec.structs.replace(run.result, machine=machine))
    with pytest.raises(UsageError, match="several machines"):
        rendered("roofline", run, other)
