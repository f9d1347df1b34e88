"""Rows of `stream` with the model `threads`: what it predicts, on hardware threads too, and how that is shown."""

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from made import KERNELS, Maker, Teamwork, one_group
from made_machine import made_machine, made_server
from tierscope.draw import figures
from tierscope.models.scaling import doubled
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.report.terminal import show
from tierscope.suites.stream.table import StreamRow
from tierscope.suites.stream.threads import cores_of
from tierscope.tables import Insight, tables
from tierscope.units import GiB

CORES = 8
COUNTS = (1, 2, 4, 8, 12, 16)
ROOF = 60e9
NAMES = ("copy", "triad", "copy_nt", "triad_nt")
SERVER = made_server(packages=1, nodes=1, cores=CORES, threads=2)


def rate(kernel: str, threads: int) -> float:
    """Bytes/s: a sharp knee at ROOF on the bus, and shares of a loop on second hardware threads."""
    _, program, bus, _, one = KERNELS[kernel]

    def up_to(n: int) -> float:
        return float(((n * one) ** -6.0 + (ROOF * program / bus) ** -6.0) ** (-1 / 6))

    return up_to(threads) if threads <= CORES else doubled(threads, CORES, up_to(CORES), up_to(threads - CORES))


def made(
    folder: Path, machine: Machine = SERVER, counts: tuple[int, ...] = COUNTS, names: tuple[str, ...] = NAMES
) -> Run:
    maker = Maker(folder)
    for kernel in names:
        for count in counts:
            group = one_group(kernel, machine.cpus()[:count], GiB)
            each = rate(kernel, count) / KERNELS[kernel][1] / count
            maker.add(
                "stream", {"kernel": kernel, "threads": count}, (group,), (Teamwork((each,) * count, noise=0.003),)
            )
    return maker.save("stream", machine)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return made(tmp_path_factory.mktemp("stream"))


@pytest.fixture(scope="module")
def rows(run: Run) -> list[StreamRow]:
    return tables["stream"].rows(run)


def models_of(run: Run, rows: list[StreamRow]) -> list[Insight]:
    return [one for one in tables["stream"].insights(run, rows) if one.name == "model"]


def test_all_threads_follow_from_one_and_from_other_kernels(rows: list[StreamRow]) -> None:
    """The shares of reads of copy_nt and triad_nt differ too much: 1/2 and 2/3."""
    for row in rows:
        if row.threads == 1 or row.kernel.endswith("_nt"):
            assert row.model is None
            continue
        assert row.model
        assert row.model.middle == pytest.approx(rate(row.kernel, row.threads), rel=0.08)
        assert row.model.low <= rate(row.kernel, row.threads) <= row.model.high


def test_a_sentence_states_the_error(run: Run, rows: list[StreamRow]) -> None:
    (found,) = models_of(run, rows)
    off = [
        abs(row.model.middle / row.bandwidth.middle - 1)
        for row in rows
        if row.model and row.bandwidth and row.conclusive
    ]
    assert found.value == pytest.approx(np.mean(off))
    assert f"at {len(off)} points" in found.text


def test_a_kernel_does_not_predict_itself(tmp_path: Path) -> None:
    run = made(tmp_path, names=("copy",))
    rows = tables["stream"].rows(run)
    assert not any(row.model for row in rows)
    (found,) = models_of(run, rows)
    assert found.text.startswith("The error of the model `threads` is not known, because it needs")
    assert not found.conclusive


def test_two_numbers_of_threads_ask_nothing(tmp_path: Path) -> None:
    run = made(tmp_path, counts=(1, 16))
    assert not models_of(run, tables["stream"].rows(run))


def test_threads_that_share_a_core_first_are_not_predicted(tmp_path: Path) -> None:
    """CPUs 0 and 1 are one core: two threads there show nothing about two cores."""
    siblings = {(cpu.package, cpu.core): [] for cpu in SERVER.identity.cpus}
    for cpu in SERVER.identity.cpus:
        siblings[cpu.package, cpu.core].append(cpu.number)
    paired = [number for pair in siblings.values() for number in pair]
    assert cores_of(SERVER, [paired[:1], paired[:2], paired]) == 0
    assert cores_of(SERVER, [[pair[0] for pair in siblings.values()][:3], paired]) == CORES
    assert cores_of(made_machine(2), [(0,), (0, 1)]) == 2
    assert cores_of(made_machine(2), []) == 0


def test_the_figure_has_a_cross_for_each_prediction(run: Run, rows: list[StreamRow]) -> None:
    spec = figures["scaling"].draw(run, rows, [])
    assert spec
    points = spec["data"]["values"]
    assert sum("model" in point for point in points) == sum(row.model is not None for row in rows)
    layers = spec["spec"]["layer"]
    assert any(layer["mark"].get("shape") == "cross" for layer in layers if isinstance(layer["mark"], dict))


def test_the_terminal_shows_the_model_of_the_most_threads(run: Run) -> None:
    said = io.StringIO()
    show(run, Console(file=said, width=200))
    assert "model, 16 threads" in said.getvalue()
