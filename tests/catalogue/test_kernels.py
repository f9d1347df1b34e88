"""Every kernel on every ISA that runs here leaves what scalar code leaves, and states its traffic rightly.

Each kernel states the bytes that it moves twice: by its operands, and by the formula that begins its summary, from
which a test works it out once more. Program bytes are what the formula asks for; bus bytes add the read for ownership
of a line that is stored without being loaded, unless the store is non-temporal or direct. Kernels without a formula
have their bytes written down here, by hand; `None` is what only a counter could show.
"""

import platform
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import pytest

from border import CPUS, run
from tierscope import core
from tierscope.errors import UsageError
from tierscope.plans import kernels as suites
from tierscope.record.catalogue import Kernel

BYTES = {
    "read": (64, 64),
    "write": (64, 128), "write_nt": (64, 64), "memset": (64, None), "rep_stosb": (64, None),
    "copy_movdir64b": (128, 128), "memcpy": (128, None), "rep_movsb": (128, None),
    "mix_3r1w": (256, 320), "mix_3r1w_nt": (256, 256), "mix_2r1w": (192, 256), "mix_2r1w_nt": (192, 192),
    "mix_1r1w": (128, 192), "mix_1r1w_nt": (128, 128), "mix_1r2w": (192, 320), "mix_1r2w_nt": (192, 192),
    "chase": (8, 64), "chase_blocks": (64, 64), "probe": (8, 64), "read_blocks": (64, 64),
    "mix_blocks_3r1w": (256, 320), "mix_blocks_3r1w_nt": (256, 256), "mix_blocks_2r1w": (192, 256),
    "mix_blocks_2r1w_nt": (192, 192), "mix_blocks_1r1w": (128, 192), "mix_blocks_1r1w_nt": (128, 128),
    "mix_blocks_1r2w": (192, 320), "mix_blocks_1r2w_nt": (192, 192),
    "transfer_clean": (8, 64), "transfer_modified": (8, 64),
    "busy": (0, 0), "noop": (0, 0), "sleep": (0, 0), "handover": (8, 64), "loop": (64, 64), "chain": (64, 64),
    "code": (0, 0),
    "memcpy_blocks": (128, None), "memset_blocks": (64, None), "memset_blocks_random": (64, None),
    "flush_none": (64, 128), "flush_clflush": (64, 128), "flush_clflushopt": (64, 128), "flush_clwb": (64, 128),
    "flush_nt": (64, 64), "flush_movdir64b": (64, 64), "flush_msync": (64, 128),
}  # fmt: skip
"""Per operation: the program's bytes, the bus's, where a store reads its line first."""

X86 = {
    "rep_stosb", "rep_movsb", "copy_movdir64b", "flush_none", "flush_clflush", "flush_clflushopt", "flush_clwb",
    "flush_nt", "flush_movdir64b", "mix_blocks_3r1w", "mix_blocks_3r1w_nt", "mix_blocks_2r1w", "mix_blocks_2r1w_nt",
    "mix_blocks_1r1w", "mix_blocks_1r1w_nt", "mix_blocks_1r2w", "mix_blocks_1r2w_nt", "transfer_clean",
}  # fmt: skip
"""Instructions of one architecture."""

STORES = {"_nt": "nt", "movdir64b": "direct", "rep_": "string", "memcpy": "libc", "memset": "libc"}
KINDS = {
    "chase": "hop", "chase_blocks": "hop", "probe": "hop", "read_blocks": "block", "busy": "call", "noop": "call",
    "sleep": "call", "handover": "handover", "memcpy_blocks": "block", "memset_blocks": "block",
    "memset_blocks_random": "block", "transfer_clean": "transfer", "transfer_modified": "transfer",
    "loop": "loop", "chain": "chain", "code": "code",
}  # fmt: skip
"""Operations that are not lines; those of flush_... and mix_blocks_... are blocks too."""


CATALOGUE = core.catalogue()
NAMES = CATALOGUE.names()
ENTRIES = [pytest.param(entry, id=f"{entry.kernel}-{entry.isa}") for entry in CATALOGUE.kernels]
RUNNING = [pytest.param(entry, id=f"{entry.kernel}-{entry.isa}") for entry in CATALOGUE.kernels if entry.available]
UPDATING = [
    pytest.param(entry, id=f"{entry.kernel}-{entry.isa}")
    for entry in CATALOGUE.kernels
    if entry.available and (entry.operation, entry.check) == ("line", "recomputed")
]


STREAMS = next(one for one in CATALOGUE.kernels if one.kernel == "write").bus_bytes_per_operation is None
"""Whether this processor may pass its caches with plain stores of a stream: nobody knows the bytes of its bus then."""


@dataclass(frozen=True)
class Formula:
    """`a[i] += b[i] + s * c[i]`: the arrays that are stored and loaded, and the operations on each element.

    An array with an index of another array, as `b[c[i]]`, or with a drawn one, as `t[r]`, is scattered: each of its
    elements may be in a line of its own. A name without an index is not an array.
    """

    stored: frozenset[str]
    loaded: frozenset[str]
    flops: int
    scattered: frozenset[str] = frozenset()

    @classmethod
    def of(cls, summary: str) -> Self | None:
        """None where a summary begins with none."""
        found = re.match(r"(\w(?:\[\S+\])?) ([+^]?)= ([^,;]+?)(?: for |,|;|$)", summary)
        if found is None:
            return None
        left, updates, right = found.groups()
        stored = set(re.findall(r"^(\w)\[", left))
        loaded = {*re.findall(r"(\w)\[", right), *re.findall(r"(?<=\[)(\w)\[", left), *(stored if updates else ())}
        scattered = set(re.findall(r"(\w)\[(?:\w\[|r\])", f"{left} {right}"))
        plain = re.sub(r"\[[^\[\]]*\]", "", re.sub(r"\[[^\[\]]*\]", "", updates + right))
        flops = len(re.findall(r"[-+*/]", plain))
        return cls(frozenset(stored), frozenset(loaded), flops, frozenset(scattered))

    def bytes_of(self, store: str) -> tuple[int, int]:
        """The program's, the bus's, in an operation on a line of each array."""
        program = 64 * (len(self.stored) + len(self.loaded))
        ownership = self.stored - self.loaded if store == "plain" else set()
        moved = [*self.stored, *self.loaded, *ownership]
        return program, sum(64 * (8 if array in self.scattered else 1) for array in moved)


def test_a_formula_is_read_as_written() -> None:
    nstream = Formula.of("a[i] += b[i] + s * c[i], in place")
    assert nstream == Formula(frozenset("a"), frozenset("abc"), 3)
    assert nstream.bytes_of("plain") == (256, 256)
    triad = Formula.of("a[i] = b[i] + s * c[i]")
    assert triad == Formula(frozenset("a"), frozenset("bc"), 2)
    assert (triad.bytes_of("plain"), triad.bytes_of("nt")) == ((192, 256), (192, 192))
    assert Formula.of("sum of 64-bit words") is None
    dot = Formula.of("s += a[i] * b[i]")
    assert dot == Formula(frozenset(), frozenset("ab"), 2)
    stencil = Formula.of("a[j][i] = s * (b[j][i] + b[j][i-1] + b[j-1][i])")
    assert stencil == Formula(frozenset("a"), frozenset("b"), 3)
    assert stencil.bytes_of("plain") == (128, 192)
    scatter = Formula.of("a[c[i]] = b[i]")
    assert scatter == Formula(frozenset("a"), frozenset("bc"), 0, frozenset("a"))
    assert scatter.bytes_of("plain") == (192, 2 * 512 + 128)
    updates = Formula.of("t[r] ^= r for random words r")
    assert updates == Formula(frozenset("t"), frozenset("t"), 0, frozenset("t"))
    assert updates.bytes_of("plain") == (128, 1024)


def test_every_kernel_has_a_formula_or_its_bytes_written_down_here() -> None:
    told = {entry.kernel for entry in CATALOGUE.kernels if Formula.of(entry.summary)}
    assert set(NAMES) - told == BYTES.keys() - (set() if platform.machine() == "x86_64" else X86)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_bytes_are_those_of_the_definition(entry: Kernel) -> None:
    told = (entry.program_bytes_per_operation, entry.bus_bytes_per_operation)
    formula = Formula.of(entry.summary)
    unknown = STREAMS and entry.store == "plain" and any(one.stores and not one.loads for one in entry.operands)
    if formula is None:
        program, bus = BYTES[entry.kernel]
        assert (told, entry.flops_per_operation) == ((program, None if unknown else bus), 0)
        return
    (lines,) = {operand.lines for operand in entry.operands}
    program, bus = (lines * of_a_line for of_a_line in formula.bytes_of(entry.store))
    assert told == (program, None if unknown else bus)
    assert entry.flops_per_operation == 8 * lines * formula.flops  # doubles of a line
    assert [len(formula.stored), len(formula.loaded), len(formula.stored | formula.loaded)] == [
        sum(operand.stores for operand in entry.operands),
        sum(operand.loads for operand in entry.operands),
        len(entry.operands),
    ]


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_states_how_its_answer_is_checked_or_why_it_is_not(entry: Kernel) -> None:
    assert entry.check in ("replayed", "recomputed", "none")
    assert bool(entry.unchecked) == (entry.check == "none")
    updates = any(operand.loads and operand.stores for operand in entry.operands)
    assert not (updates and entry.check == "replayed")  # once more would change it


@pytest.mark.parametrize("entry", ENTRIES)
def test_an_entry_states_what_it_is_and_from_where(entry: Kernel) -> None:
    assert entry.summary
    assert re.search(r"[A-Z].*\w", entry.source)
    assert entry.available or entry.reason
    assert bool(entry.shapes) == entry.available


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_store_is_in_the_name(entry: Kernel) -> None:
    wanted = next((store for part, store in STORES.items() if part in entry.kernel), "plain")
    stores = any(operand.stores for operand in entry.operands) and entry.operation not in ("handover", "transfer")
    assert entry.store == (wanted if stores else "none")


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_flush_is_in_the_name(entry: Kernel) -> None:
    last = entry.kernel.removeprefix("flush_")
    assert entry.flush == (last if last in ("clflush", "clflushopt", "clwb", "msync") else "none")


@pytest.mark.parametrize("entry", ENTRIES)
def test_operations_fit_the_operands(entry: Kernel) -> None:
    kind = KINDS.get(entry.kernel, "block" if entry.kernel.startswith(("flush_", "mix_blocks_")) else "line")
    assert entry.operation == kind
    assert entry.needs_memory == (kind not in ("call", "code"))
    if kind in ("line", "block"):
        moved = sum(64 * o.lines * (o.loads + o.stores) for o in entry.operands)
        assert moved == entry.program_bytes_per_operation


@pytest.mark.parametrize("entry", [one for one in RUNNING if not str(one.id).startswith(("handover", "transfer"))])
@pytest.mark.parametrize("operations", [1, 64, 777, 4096])
def test_every_variant_leaves_what_scalar_code_leaves(entry: Kernel, operations: int) -> None:
    """1 is rounded up to the least that a walk can do; 777 to no power of two; 4096 is more than one window."""
    verdicts = core.check(kernel=entry.kernel, isa=entry.isa, operations=operations, passes=2, seed=operations)
    assert len(verdicts) == len(entry.shapes)
    assert [verdict for verdict in verdicts if not verdict["ok"]] == []


def test_a_check_of_all_kernels_leaves_none_out() -> None:
    verdicts = core.check(operations=64)
    checked = {str(one.values[0].kernel) for one in RUNNING}
    assert {verdict["kernel"] for verdict in verdicts} == {
        kernel for kernel in checked if not kernel.startswith(("handover", "transfer"))
    }
    assert [verdict for verdict in verdicts if not verdict["ok"]] == []


@pytest.mark.parametrize("entry", UPDATING)
def test_an_updated_array_is_the_same_to_the_bit_after_many_passes(entry: Kernel) -> None:
    """A difference between a fused and a separate rounding would add up: to 3e-14 with a factor of 0.4 in nstream."""
    verdicts = core.check(kernel=entry.kernel, isa=entry.isa, operations=777, passes=1001, seed=1995)
    assert [verdict["largest_relative_error"] for verdict in verdicts] == [0] * len(entry.shapes)


def test_an_isa_that_does_not_run_is_not_checked() -> None:
    with pytest.raises(UsageError, match="nothing to check: no kernel 'triad' on isa 'warp'"):
        core.check(kernel="triad", isa="warp")


def test_the_suites_ask_for_kernels_that_exist() -> None:
    assert {*suites.STREAM, *suites.LOADS, *(f"{name}_nt" for name in suites.LOADS[1:])} <= CATALOGUE.walks().keys()


def test_the_catalogue_names_each_kernel_that_flushes_and_the_feature_that_it_needs() -> None:
    root = Path(__file__).resolve().parents[2]
    headers = {path.stem: path.read_text() for path in (root / "core/kernels").rglob("flush_*.hpp")}
    own = {"x86_64": "x86", "aarch64": "arm"}[platform.machine()]
    here = {path.stem for folder in ("baseline", own) for path in (root / "core/kernels" / folder).glob("flush_*.hpp")}
    found = CATALOGUE.flushes()
    assert {f"flush_{name}" for name in found} == here
    assert [name for name, feature in found.items() if feature and f'"{feature}"' not in headers[f"flush_{name}"]] == []
    assert found["none"] == found["msync"] == ""


@pytest.mark.parametrize("name", list(CATALOGUE.walks()))
def test_the_arrays_of_a_walk_are_the_operands(name: str) -> None:
    """So that a suite can size its arrays as STREAM does."""
    (operands,) = {entry.operands for entry in CATALOGUE.kernels if entry.kernel == name}
    assert CATALOGUE.walks()[name].arrays == len(operands) >= 1


def test_every_kernel_that_moves_lines_is_a_walk_or_works_on_blocks() -> None:
    moves = {entry.kernel for entry in CATALOGUE.kernels if entry.program_bytes_per_operation >= 64}
    blocks = {entry.kernel for entry in CATALOGUE.kernels if entry.operation in ("block", "hop", "loop", "chain")}
    assert moves - blocks == CATALOGUE.walks().keys()


@pytest.mark.parametrize(
    ("name", "share"),
    [("read", 1), ("mix_3r1w", 3 / 4), ("mix_2r1w", 2 / 3), ("mix_1r1w", 1 / 2), ("mix_1r2w", 1 / 3), ("write", 0)],
)
def test_a_read_share_is_that_of_the_programs_lines(name: str, share: float) -> None:
    assert CATALOGUE.walks()[name].read_share == pytest.approx(share)


@pytest.mark.parametrize(("kernel", "waits"), [("sleep", "time"), ("busy", "none"), ("noop", "none")])
def test_a_group_states_what_its_thread_waits_for(kernel: str, waits: str) -> None:
    _, facts = run(f"group kernel={kernel} target=null cpus={CPUS[0]}", "prepare")
    (prepared,) = [fact for fact in facts if fact["fact"] == "prepared"]
    assert [group["waits"] for group in prepared["groups"]] == [waits]


@pytest.mark.parametrize("name", NAMES)
def test_the_best_isa_comes_first(name: str) -> None:
    ranks = [entry.rank for entry in CATALOGUE.variants(name)]
    assert ranks == sorted(set(ranks), reverse=True)


def test_bytes_that_a_library_or_microcode_moves_have_no_simulated_form() -> None:
    formless = {name for name, walk in CATALOGUE.walks().items() if not walk.simulated}
    assert formless == {entry.kernel for entry in CATALOGUE.kernels if entry.store in ("libc", "string")} - {
        entry.kernel for entry in CATALOGUE.kernels if entry.operation == "block"
    }
    assert formless == CATALOGUE.formless() & CATALOGUE.walks().keys()
