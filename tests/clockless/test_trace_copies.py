"""Instructions that the tracer takes for copies, and others that look alike."""

import json
import subprocess
from pathlib import Path

import pytest

from needs import TRACER
from shell import Shell
from tiers import first


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


CHAINS = [
    ("mov %%ecx, %%eax; mov %%eax, %%ecx", 0),
    ("movzwl %%cx, %%eax; movzwl %%ax, %%ecx", 2),
    ("xor %%eax, %%eax; add %%eax, %%eax", 1),  # the addition waits for nothing but the zero
    ("xor %%ax, %%ax; add %%eax, %%eax", 2),  # the upper half of the register stays
    ("movaps %%xmm0, %%xmm1; movaps %%xmm1, %%xmm0", 0),
    ("movss %%xmm1, %%xmm0; movss %%xmm0, %%xmm1", 2),  # three lanes stay
    ("movshdup %%xmm0, %%xmm1; movshdup %%xmm1, %%xmm0", 2),
]


@TRACER
@pytest.mark.parametrize(("instruction", "cycles"), first(2, CHAINS))
def test_a_chain_takes_a_cycle_for_each_instruction_that_computes(
    shell: Shell, tmp_path: Path, instruction: str, cycles: int
) -> None:
    """A copy of a whole register takes none, and a zero waits for nothing."""
    chain = f'__asm__ volatile(".rept 200\\n\\t{instruction}\\n\\t.endr" ::: "eax", "ecx", "xmm0", "xmm1", "cc");'
    source = f"#include <stdlib.h>\nint main(int n, char** v) {{ (void)n; for (int i = atoi(v[1]); i; --i) {chain} }}\n"
    (tmp_path / "chain.c").write_text(source)
    subprocess.run(["cc", "-O1", "-o", tmp_path / "chain", tmp_path / "chain.c"], check=True)
    loops = 400

    def seconds(count: int) -> float:
        words = (
            "trace",
            "--on",
            "flat,core.width=8,cpu.cycle=1ns",
            "--json",
            "-",
            "--",
            str(tmp_path / "chain"),
            str(count),
        )
        (found,) = json.loads(shell(*words)[1])
        return float(found["seconds"])

    took = (seconds(loops) - seconds(0)) / (loops * 200) * 1e9
    at_width = 2 / 8
    waits_for_zero = "xor %%eax" in instruction  # then chains are short, and the width is the limit
    assert took == pytest.approx(max(0 if waits_for_zero else cycles, at_width), rel=0.1)
