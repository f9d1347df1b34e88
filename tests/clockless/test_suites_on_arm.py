"""Every suite on simulated ARM machines: each ends with rows and a page, and states lines and pages of the machine."""

import json
import re
from pathlib import Path

import pytest

from shell import Shell
from tierscope import core
from tierscope.core import find_traced_core
from tierscope.errors import MachineError
from tierscope.plans import suites
from tierscope.record.result import load
from tierscope.units import KiB

SHORT = ("visits=1", "budget=0.02")
WORDS: dict[str, tuple[str, ...]] = {
    "background": ("target={m}", "cpus=0-3", "duration=2", "mixes=read", "delays=0,1000,20000", *SHORT),
    "buffers": ("target={m}", "to=1MiB", "limit=20", *SHORT),
    "check": ("target={m}", "limit=5", "visits=1"),
    "contention": ("a={m}", "b={m}", "cpus=0-1", "array=16MiB", *SHORT),
    "core": ("target={m}", "probes=width,store", "memory=64MiB", "budget=0.01"),
    "counters-audit": ("target={m}", "counters=simulated", "kernels=read,write_nt,chase", "repeats=3", "array=64MiB",
                       "budget=0.02"),
    "flush": ("target={m}", "footprint=64MiB", "chunks=auto", "total=1MiB", *SHORT),
    "latency": ("target={m}", "pages=thp,4k", "to=128MiB", "per_octave=1", *SHORT),
    "loaded-latency": ("target={m}", "mixes=read,write", "delays=0,2000", "cpus=0-1", "array=16MiB", *SHORT),
    "maps": ("target={m}", "structures=unordered_map", "count=500", *SHORT),
    "neighbors": ("target={m}", "aggressor_target={m}", "victim=chase", "aggressors=1", "aggressor_array=32MiB",
                  *SHORT),
    "policy": ("target={m}", "parts=combining", "memory=64MiB", *SHORT),
    "quick": ("target={m}", "limit=10", "visits=1"),
    "sharing": ("target={m}", "cpus=0-1", *SHORT),
    "stream": ("target={m}", "kernels=read,write,copy", "threads=1,2", "array=32MiB", *SHORT),
    "stride": ("target={m}", "threads=1", "strides=64,256,4096", "access=64,256", *SHORT),
    "tlb": ("target={m}", "pages=4k", "to=256", *SHORT),
}  # fmt: skip
ALONE = {
    "blocks": "copies and writes of the C library have no simulated form",
    "cxl": "it compares two memories, and these machines have one",
    "response": "it runs a program of this machine",
    "core-to-core": "hand-overs of lines have no simulated form",
    "closed-loop": "it makes its own devices behind the caches of blank",
    "numa": "its targets are nodes of this machine",
    "storage": "it measures a file",
    **{f"document-{number:03}": "its parts are the suites here" for number in range(5)},
}
"""Suites that no option moves to a simulated machine, or that consist of others."""
MACHINES = {"sim:phone": (128, 16 * KiB), "sim:arm_server": (64, 4 * KiB)}
"""Bytes of a line and of the smallest pages."""


def test_each_suite_is_here_or_states_why_not() -> None:
    from tierscope.fleet.plan import FILES

    assert set(WORDS) | set(ALONE) == set(suites) - {FILES}
    assert not set(WORDS) & set(ALONE)


@pytest.mark.slow
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("suite", WORDS)
def test_a_suite_ends_with_rows_and_a_page(suite: str, machine: str, tmp_path: Path) -> None:
    if suite == "maps":
        if not core.catalogue().structures_here():
            pytest.skip("no structures in this build")
        try:
            find_traced_core()
        except MachineError as error:
            pytest.skip(str(error))
    words = [word.format(m=machine) for word in WORDS[suite]]
    status, out, error = Shell(tmp_path)("run", suite, *words, "--out", "run", "--json", "-")
    assert status in (0, 4), error  # 4: some points are inconclusive
    found = json.loads(out)
    assert found["rows"]
    (page,) = (tmp_path / "run").glob("report*.html")
    assert page.stat().st_size > 10_000
    text = re.sub(r"<script.*?</script>", "", page.read_text(), flags=re.DOTALL) + out + error
    line, base = MACHINES[machine]
    result = load(tmp_path / "run").result
    assert (result.machine.line_bytes(), result.machine.base_page_bytes()) == (line, base)
    assert not re.search(r"Traceback|\bNaN\b", text)
    if line != 64:
        assert "lines of 64 bytes" not in text
        assert "line of 64 B" not in text
