"""The instructions that a walk promises are in its code: compilers have dropped prefetches and whole stores.

GCC takes a function of nothing but __builtin_prefetch for one without effect, and a product with one for its factor:
both left kernels that passed every check of their results and measured something else.
Blind to the order of instructions and to ISAs whose prefetch is not `prefetcht0`.
"""

import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from isa_objects import objects
from tierscope import core

NAME = re.compile(r"walk<.*isa::(?P<isa>\w+)\W.*?kernels::(?P<store>Plain|NonTemporal)\W.*Shape\{(?P<shape>[^}]*)\}")
STORES = {  # one for each vector of a line; the last of a kernel's name and its store kind decide which
    "Plain": re.compile(r"\bv?mov(?:a|u)p[sd]\s+%[xyz]mm\d+,|\bvmovdq[au]\d*\s+%[yz]mm\d+,"),
    "NonTemporal": re.compile(r"\bv?movnt(?:dq|p[sd])\s"),
}
SCATTERED = {  # one for each element, or each vector, whose places are elsewhere
    "avx2": re.compile(r"\bvmov[lh]p[sd]\s+%xmm\d+,"),
    "avx512": re.compile(r"\bvscatter[dq]p[sd]\s+%zmm\d+,"),
}
WIDTH = {"avx2": 32, "avx512": 64}  # bytes of a vector
SCATTER = {"indexed", "drawn"}  # places of operands that are elements here and there
AT_ONCE = {"avx2": 8, "avx512": 64}  # bytes that one instruction scatters

pytestmark = pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="x86 names of instructions")


@dataclass(frozen=True)
class Walk:
    kernel: str
    isa: str
    store: str
    operations: int  # of one step
    prefetch: bool
    prefetchw: bool
    code: str


@cache
def walks(build: Path, isa: str) -> tuple[Walk, ...]:
    if shutil.which("objdump") is None:
        pytest.skip("no objdump: sudo apt-get install -y binutils")
    return tuple(walk for path in objects(build, isa) for walk in _walks_of(path, isa))


def _walks_of(path: Path, isa: str) -> Iterator[Walk]:
    command = ["objdump", "-d", "-C", "--no-show-raw-insn", path]
    text = subprocess.run(command, text=True, capture_output=True, check=True).stdout
    for part in re.split(r"\n(?=[0-9a-f]{16} <)", text):
        head, _, code = part.partition("\n")
        if found := NAME.search(head):
            words = [word.strip() for word in found["shape"].split(",")]
            streams, unroll = (int(word.rstrip("u")) for word in words[:2])
            flags = [word == "true" for word in words[2:]] + [False] * 3
            kernel = path.name.removesuffix(f"_{isa}_variant.cpp.o")
            yield Walk(kernel, isa, found["store"], streams * unroll, flags[1], flags[2], code)


@pytest.mark.parametrize("isa", sorted(WIDTH))
def test_a_loop_variant_prefetches_as_its_shape_states(build: Path, isa: str) -> None:
    seen = walks(build, isa)
    assert seen, f"no walk of {isa} found in {build}"
    assert {walk.prefetch for walk in seen} == {True, False}
    for walk in seen:
        assert (walk.code.count("prefetcht0") >= walk.operations) == walk.prefetch, walk
        assert (walk.code.count("prefetchw") >= walk.operations) == walk.prefetchw, walk


@pytest.mark.parametrize("isa", sorted(WIDTH))
def test_a_walk_stores_every_line_of_its_step(build: Path, isa: str) -> None:
    written = {one.kernel: [operand for operand in one.operands if operand.stores] for one in core.catalogue().kernels}
    for walk in walks(build, isa):
        together = sum(operand.lines for operand in written[walk.kernel] if operand.place not in SCATTER)
        apart = sum(operand.lines for operand in written[walk.kernel] if operand.place in SCATTER)
        lines = [line for line in walk.code.splitlines() if "(" in line]
        stores = [line for line in lines if STORES[walk.store].search(line)]
        assert len(stores) >= walk.operations * together * 64 // WIDTH[isa], walk
        scattered = [line for line in lines if SCATTERED[isa].search(line)]
        assert len(scattered) >= walk.operations * apart * 64 // AT_ONCE[isa], walk


def test_a_chain_has_each_flush_a_full_fence_and_stores_past_the_caches(build: Path) -> None:
    """Memory is the same without them, so no check of a result would find that one is left out."""
    for isa in WIDTH:
        (path,) = [one for one in objects(build, isa) if one.name.startswith("chain_")]
        command = ["objdump", "-d", "--no-show-raw-insn", path]
        code = subprocess.run(command, text=True, capture_output=True, check=True).stdout
        for instruction in ("clwb", "clflushopt", "clflush ", "mfence", "vmovntdq"):
            assert code.count(instruction) >= 2, (path.name, instruction)  # uniform, and by Zipf's law
