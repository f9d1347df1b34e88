"""One made run of each suite, by its name. A suite that has none here runs on the fake core."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

import made
from fake_core import FakeCore, put_in_place
from made import Maker
from made_audited import audit_run
from made_background import background_run
from made_blocks import add_block_points
from made_buffers import add_regions
from made_contention import add_contention
from made_core import add_core
from made_counters import made_counted, made_second_pass
from made_cxl import cxl_run
from made_documents import document_run
from made_emulation import add_probes
from made_flush import add_flush
from made_machine import made_machine, made_server, two_packages
from made_maps import add_maps
from made_neighbors import add_neighbors
from made_numa import core_to_core_run, numa_run
from made_policy import Overwritten
from made_prediction import prediction_run
from made_probed import add_closed_loop, add_policy
from made_response import response_run
from made_storage import storage_run
from made_stride import add_stride
from made_tlb import add_tlb
from reported import add_load, add_stream
from tierscope.cli.main import main
from tierscope.errors import Exit
from tierscope.record.result import Run, load
from tierscope.tables import tables
from tierscope.units import MiB

Make = Callable[[Path], Run]


def of(suite: str, *parts: Callable[[Maker], None]) -> Make:
    """A run of `suite` that these parts fill."""

    def make(directory: Path) -> Run:
        maker = Maker(directory)
        for part in parts:
            part(maker)
        return maker.save(suite, made_machine(4))

    return make


def _loads(maker: Maker) -> None:
    for delay in (0, 100, 400):
        add_load(maker, 0.5, "nt", delay, 30e9)


def _counted(maker: Maker) -> None:
    """Events next to the last record."""
    maker.records[-1] = msgspec.structs.replace(maker.records[-1], counted=(made_counted(), made_second_pass()))


def _staircase(maker: Maker) -> None:
    made.add_latency(maker, made.FOOTPRINTS[::4])


def _streams(maker: Maker) -> None:
    add_stream(maker, (1, 2))


MADE: dict[str, Make] = {
    "background": background_run,
    "blocks": of("blocks", lambda maker: add_block_points(maker, (8000,))),
    "buffers": of("buffers", lambda maker: add_regions(maker, largest=32 * MiB)),
    "check": of("check", _streams, _staircase),
    "closed-loop": of("closed-loop", add_closed_loop),
    "contention": of("contention", lambda maker: add_contention(maker, ("nvm-nvm",))),
    "core": of("core", add_core),
    "core-to-core": lambda directory: core_to_core_run(directory, made_server()),
    "counters-audit": lambda directory: audit_run(directory, {"memory-reads": lambda known: known.read}),
    "cxl": cxl_run,
    "document-000": of("document-000", _streams, lambda maker: add_contention(maker, ("nvm-nvm",))),
    "document-001": of("document-001", lambda maker: add_block_points(maker, (8, 8000)), _streams),
    "document-002": document_run,
    "document-003": of("document-003", _loads),
    "document-004": of("document-004", _staircase, add_maps),
    "flush": of("flush", lambda maker: add_flush(maker, (4096,))),
    "latency": of("latency", _staircase),
    "loaded-latency": of("loaded-latency", _loads),
    "maps": of("maps", add_maps, _counted),
    "neighbors": of("neighbors", add_neighbors),
    "numa": lambda directory: numa_run(directory, two_packages()),
    "policy": of("policy", lambda maker: add_policy(maker, device=Overwritten(2000, 16384, 5e-5))),
    "quick": of("quick", _streams, _staircase, _loads),
    "response": response_run,
    "storage": lambda directory: storage_run(directory, "blocks=4KiB", "depths=1,4"),
    "sharing": lambda directory: asked_run(directory, "sharing"),
    "stream": of("stream", _streams, add_probes),
    "stride": of("stride", add_stride),
    "tlb": of("tlb", add_tlb),
}

BESIDES: dict[str, Make] = {"groups": of("groups", made.add_groups), "prediction": prediction_run}
"""Runs that are of no suite."""


def made_run(suite: str, directory: Path) -> Run:
    """Return the made run of a suite, or the run of it that the fake core answers."""
    if make := (MADE | BESIDES).get(suite):
        return make(directory)
    return asked_run(directory, suite)


def has_points(run: Run) -> bool:
    """Return whether a table of the run states a main value, which `compare` and `history` match by points.

    Suites that infer properties of a memory have none, and the commands report that.
    """
    return any(tables[name].main and tables[name].rows(run) for name in tables)


def asked_run(directory: Path, suite: str, *words: str) -> Run:
    """Return the run of a suite with these options that the fake core answers."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        put_in_place(FakeCore(), monkeypatch)
        status = main(["run", suite, *words, "--out", str(directory), "--quiet"])
    assert status in (Exit.GOOD, Exit.INCONCLUSIVE), f"run {suite} on the fake core: status {status}"
    return load(directory)
