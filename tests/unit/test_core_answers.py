"""The answers of the core are read strictly: damage ends as a CoreError with the next step."""

from pathlib import Path

import msgspec
import pytest

from tierscope.core.ask import catalogue, read
from tierscope.errors import CoreError
from tierscope.record.catalogue import Catalogue, Kernel, StructureKind, TargetKind, VictimKind


@pytest.mark.parametrize(
    "answer",
    [b"", b"{", b"[]", b'{"x": ' + 100_000 * b"[", b'{"x": "\xff"}'],
    ids=["empty", "cut", "another", "nested", "not UTF-8"],
)
def test_a_damaged_answer_is_an_error_of_the_core(answer: bytes) -> None:
    with pytest.raises(CoreError, match="install both from one version"):
        read(answer, Catalogue)


KERNEL = Kernel(
    kernel="triad", isa="scalar", rank=0, available=True, reason="", summary="", source="", store="plain",
    operation="line", needs_memory=True, program_bytes_per_operation=192.0, bus_bytes_per_operation=256.0,
    flops_per_operation=2, operands=(), shapes=(),
)  # fmt: skip
WIDE = msgspec.structs.replace(KERNEL, isa="avx2", rank=1)
MAP = StructureKind(name="map", available=True, reason="", persistent=False, summary="", source="")
FLOW = VictimKind(name="flow", available=True, reason="", summary="", source="")
NODE = TargetKind(name="node", word="node:N", summary="")
WHOLE = Catalogue(
    version="1", compiler="", kernels=(KERNEL, WIDE), targets=(NODE,), victims=(FLOW,), structures=(MAP,)
)  # fmt: skip


def test_a_kernel_on_several_isas_is_not_a_collision() -> None:
    assert WHOLE.collision() == ""


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"structures": (MAP, msgspec.structs.replace(MAP, name="triad"))}, "the kernel triad and the structure triad"),
        ({"victims": (msgspec.structs.replace(FLOW, name="map"),)}, "the victim map and the structure map"),
        ({"kernels": (KERNEL, WIDE, KERNEL)}, "the kernel triad and the kernel triad"),
        ({"targets": (NODE, NODE)}, "the target node and the target node"),
    ],
)
def test_two_entries_of_one_name_are_refused(
    changed: dict[str, object], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = msgspec.json.encode(msgspec.structs.replace(WHOLE, **changed)).decode()
    core = tmp_path / "tierscope-core"
    core.write_text(f"#!/bin/sh\nprintf '%s\\n' '{answer}'\n")
    core.chmod(0o755)
    monkeypatch.setenv("TIERSCOPE_CORE", str(core))
    with pytest.raises(CoreError, match=f"^{said} have one name in .*; rename one, and build again$"):
        catalogue()
