"""Floating-point operations and cycles of kernels: in the catalogue, in the rows of `stream`, and in the terminal."""

import io
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from rich.console import Console

from fake_core import made_catalogue
from made import Maker, add_stream, made_facts
from made_counters import event, made_counted
from tierscope.cli.main import main
from tierscope.draw.forms import form
from tierscope.record.counting import Counted, EventCount
from tierscope.record.result import Run
from tierscope.run import planned
from tierscope.suites.stream.table import Stream, StreamRow

FLOPS, CYCLES = 16, 40  # of a line of each array


def run_of(folder: Path, *counted: Counted) -> Run:
    """A made run of triad, which states its flops, and of copy, which has none."""
    maker = Maker(folder)
    add_stream(maker, ("triad", "copy"))
    records = []
    for record in maker.records:
        (group,) = record.experiment.groups
        flops = FLOPS * (group.workload.kernel == "triad")
        facts = (made_facts(group, flops_per_operation=flops),)
        records.append(msgspec.structs.replace(record, groups=facts, counted=counted))
    maker.records[:] = records
    return maker.save()


def cycles() -> Counted:
    made = made_counted()
    return msgspec.structs.replace(made, events=(event("cycles", CYCLES * made.operations),))


def rows_of(run: Run, kernel: str) -> list[StreamRow]:
    return [row for row in Stream().rows(run) if row.kernel == kernel]


def printed(run: Run) -> str:
    console = Console(file=io.StringIO(), width=100)
    rows = Stream().rows(run)
    shown: Any = SimpleNamespace(typed=rows)  # all that the form reads of a section
    for part in form("stream")(shown, console):
        console.print(part)
    return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_flops_are_those_of_the_kernel_times_its_rate(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    for row in rows_of(run, "triad"):
        assert row.bandwidth is not None
        assert row.flops_per_s == pytest.approx(row.bandwidth.middle / 192 * FLOPS)
        assert row.cycles_per_line is None
    assert {row.flops_per_s for row in rows_of(run, "copy")} == {None}


def test_cycles_of_a_line_are_known_where_a_pmu_counts_them(tmp_path: Path) -> None:
    counted = cycles()
    assert {row.cycles_per_line for row in rows_of(run_of(tmp_path / "a", counted), "copy")} == {CYCLES}
    shared = msgspec.structs.replace(counted, events=(event("cycles", CYCLES * counted.operations, share=0.5),))
    assert rows_of(run_of(tmp_path / "b", shared), "copy")[0].cycles_per_line == CYCLES
    absent = msgspec.structs.replace(counted, events=(EventCount(event="cycles", reason="no PMU counts it here"),))
    simulated = msgspec.structs.replace(counted, origin="simulated")
    for number, without in enumerate((absent, simulated)):
        assert rows_of(run_of(tmp_path / str(number), without), "copy")[0].cycles_per_line is None


def test_the_terminal_shows_them_with_the_kernels_that_have_them(tmp_path: Path) -> None:
    plain = printed(run_of(tmp_path / "plain"))
    assert "Floating-point operations, 2 threads" in plain
    assert "cycles per line" not in plain
    table = plain.partition("Floating-point operations")[2]
    assert "triad" in table
    assert f"{FLOPS / 192:.3g}" in table
    assert "copy" not in table
    clocked = printed(run_of(tmp_path / "clocked", cycles())).partition("Floating-point operations")[2]
    assert "cycles per line" in clocked
    assert "copy" in clocked
    assert str(CYCLES) in clocked


def test_the_catalogue_lists_bytes_and_flops_of_each_kernel(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made = made_catalogue()
    kernels = tuple(
        msgspec.structs.replace(one, flops_per_operation=24 * (one.kernel == "triad")) for one in made.kernels
    )
    monkeypatch.setattr(planned, "catalogue", lambda: msgspec.structs.replace(made, kernels=kernels))
    assert main(["catalogue"]) == 0
    lines = {line.split()[0]: line.split() for line in capsys.readouterr().out.splitlines() if line}
    heads = lines["kernel"]
    place = heads.index("flops") + 2  # each of two units before it is a word of its own
    assert lines["triad"][place] == "24"
    assert lines["copy"][place] == "–"
