"""Every kernel on every ISA that runs here leaves what scalar code leaves, and states its traffic rightly.

The bytes are written down here once more, by hand, from the definition of each kernel: program bytes are what the
source asks for; bus bytes add the read for ownership of a line that is stored without being loaded, unless the store is
non-temporal or direct; `None` is what only a counter could tell.
"""

import platform
import re

import pytest

from tierscope import core
from tierscope.errors import UsageError
from tierscope.plans import kernels as suites
from tierscope.record.catalogue import Kernel

BYTES = {
    "read": (64, 64),
    "write": (64, 128), "write_nt": (64, 64), "memset": (64, None), "rep_stosb": (64, None),
    "update": (128, 128),
    "copy": (128, 192), "copy_nt": (128, 128), "copy_movdir64b": (128, 128),
    "memcpy": (128, None), "rep_movsb": (128, None),
    "scale": (128, 192), "scale_nt": (128, 128),
    "add": (192, 256), "add_nt": (192, 192), "triad": (192, 256), "triad_nt": (192, 192),
    "mix_3r1w": (256, 320), "mix_3r1w_nt": (256, 256), "mix_2r1w": (192, 256), "mix_2r1w_nt": (192, 192),
    "mix_1r1w": (128, 192), "mix_1r1w_nt": (128, 128), "mix_1r2w": (192, 320), "mix_1r2w_nt": (192, 192),
    "chase": (8, 64), "chase_blocks": (64, 64), "probe": (8, 64), "read_blocks": (64, 64),
    "noop": (0, 0), "sleep": (0, 0), "handover": (8, 64),
    "memcpy_blocks": (128, None), "memset_blocks": (64, None), "memset_blocks_random": (64, None),
    "flush_none": (64, 128), "flush_clflush": (64, 128), "flush_clflushopt": (64, 128), "flush_clwb": (64, 128),
    "flush_nt": (64, 64), "flush_movdir64b": (64, 64), "flush_msync": (64, 128),
}  # fmt: skip
"""Per operation: the program's bytes, the bus's."""

X86 = {
    "rep_stosb", "rep_movsb", "copy_movdir64b", "flush_none", "flush_clflush", "flush_clflushopt", "flush_clwb",
    "flush_nt", "flush_movdir64b",
}  # fmt: skip
"""Instructions of one architecture."""

FLOPS = {"scale": 8, "scale_nt": 8, "add": 8, "add_nt": 8, "triad": 16, "triad_nt": 16, "update": 8}
"""Per operation, a line of eight doubles; the others compute nothing."""

STORES = {"_nt": "nt", "movdir64b": "direct", "rep_": "string", "memcpy": "libc", "memset": "libc"}
NO_STORES = ("read", "read_blocks", "chase", "chase_blocks", "probe", "noop", "sleep", "handover")
KINDS = {
    "chase": "hop", "chase_blocks": "hop", "probe": "hop", "read_blocks": "block", "noop": "call", "sleep": "call",
    "handover": "handover", "memcpy_blocks": "block", "memset_blocks": "block", "memset_blocks_random": "block",
}  # fmt: skip
"""Operations that are no lines; those of flush_... are blocks too."""


CATALOGUE = core.catalogue()
NAMES = CATALOGUE.names()
ENTRIES = [pytest.param(entry, id=f"{entry.kernel}-{entry.isa}") for entry in CATALOGUE.kernels]
RUNNING = [pytest.param(entry, id=f"{entry.kernel}-{entry.isa}") for entry in CATALOGUE.kernels if entry.available]


def test_every_kernel_has_its_bytes_written_down_here() -> None:
    assert set(NAMES) == BYTES.keys() - (set() if platform.machine() == "x86_64" else X86)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_bytes_are_those_of_the_definition(entry: Kernel) -> None:
    assert (entry.program_bytes_per_operation, entry.bus_bytes_per_operation) == BYTES[entry.kernel]
    assert entry.flops_per_operation == FLOPS.get(entry.kernel, 0)


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_says_what_it_is_and_from_where(entry: Kernel) -> None:
    assert entry.summary
    assert re.search(r"[A-Z].*\w", entry.source)
    assert entry.available or entry.reason
    assert bool(entry.shapes) == entry.available


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_store_is_in_the_name(entry: Kernel) -> None:
    wanted = next((store for part, store in STORES.items() if part in entry.kernel), "plain")
    assert entry.store == ("none" if entry.kernel in NO_STORES else wanted)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_flush_is_in_the_name(entry: Kernel) -> None:
    last = entry.kernel.removeprefix("flush_")
    assert entry.flush == (last if last in ("clflush", "clflushopt", "clwb", "msync") else "none")


@pytest.mark.parametrize("entry", ENTRIES)
def test_operations_fit_the_operands(entry: Kernel) -> None:
    kind = KINDS.get(entry.kernel, "block" if entry.kernel.startswith("flush_") else "line")
    assert entry.operation == kind
    assert entry.needs_memory == (kind != "call")
    if kind in ("line", "block"):
        moved = sum(64 * o.lines * (o.loads + o.stores) for o in entry.operands)
        assert moved == entry.program_bytes_per_operation


@pytest.mark.parametrize("entry", [one for one in RUNNING if not one.id.startswith("handover")])
@pytest.mark.parametrize("operations", [1, 64, 777, 4096])
def test_every_variant_leaves_what_scalar_code_leaves(entry: Kernel, operations: int) -> None:
    """1 is rounded up to the least that a walk can do; 777 to no power of two; 4096 is more than one window."""
    verdicts = core.check(kernel=entry.kernel, isa=entry.isa, operations=operations, passes=2, seed=operations)
    assert len(verdicts) == len(entry.shapes)
    assert [verdict for verdict in verdicts if not verdict["ok"]] == []


def test_an_isa_that_does_not_run_is_not_checked() -> None:
    with pytest.raises(UsageError, match="nothing to check: no kernel 'triad' on isa 'warp'"):
        core.check(kernel="triad", isa="warp")


def test_the_suites_ask_for_kernels_that_exist() -> None:
    assert {*suites.STREAM, *suites.ARRAYS, *suites.READ_SHARES} <= BYTES.keys()
    assert {*suites.STREAM, *suites.READ_SHARES} <= set(NAMES)


@pytest.mark.parametrize("name", [name for name in NAMES if BYTES[name][0] >= 64 and "_blocks" not in name])
def test_the_arrays_of_the_suites_are_the_operands(name: str) -> None:
    """Every kernel that moves lines is there, so that a suite can size its arrays as STREAM does."""
    (operands,) = {entry.operands for entry in CATALOGUE.kernels if entry.kernel == name}
    assert suites.ARRAYS.get(name, 1) == len(operands)
    assert name in suites.ARRAYS or name.removeprefix("flush_") in suites.FLUSHES


@pytest.mark.parametrize(("name", "share"), suites.READ_SHARES.items())
def test_a_read_share_is_that_of_the_programs_lines(name: str, share: float) -> None:
    operands = next(entry.operands for entry in CATALOGUE.kernels if entry.kernel == name)
    loads, stores = (sum(o.lines * getattr(o, side) for o in operands) for side in ("loads", "stores"))
    assert share == pytest.approx(loads / (loads + stores))


@pytest.mark.parametrize("name", NAMES)
def test_the_best_isa_comes_first(name: str) -> None:
    ranks = [entry.rank for entry in CATALOGUE.variants(name)]
    assert ranks == sorted(set(ranks), reverse=True)


def test_kernels_without_a_simulated_form_are_known_to_the_suites() -> None:
    asked = core.catalogue().formless() & suites.ARRAYS.keys()
    assert set(suites.FORMLESS) == asked
