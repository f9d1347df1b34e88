"""The core for a CPU of another kind: built by a cross compiler, run by an emulator of user programs."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lanes


def emulator(kind: str) -> str:
    """Return the emulator of user programs; skips where it or the cross compiler is absent."""
    found = next(filter(None, map(shutil.which, (f"qemu-{kind}-static", f"qemu-{kind}"))), None)
    if found is None or shutil.which(f"{kind}-linux-gnu-g++") is None:
        bring = {  # whole lines: test_bootstrap_packages.py looks for their packages
            "aarch64": "sudo apt-get install -y g++-aarch64-linux-gnu qemu-user",
            "riscv64": "sudo apt-get install -y g++-riscv64-linux-gnu qemu-user",
        }
        pytest.skip(f"lane {kind} left out: {bring[kind]}")
    return found


def core_of(kind: str) -> list[str | Path]:
    """Return the words before those of the core; skips where its lane cannot be built."""
    return [emulator(kind), lanes.built(kind) / "tierscope-core"]


SIMULATED = """
group kernel=triad target=sim:ddr5 cpus=0-1 footprint=1MiB pages=4k isa=scalar
prepare
measure seconds=0.0005 block=20us
check
group kernel=chase target=sim:phone cpus=0 footprint=64MiB element=128 pages=16k
prepare
measure seconds=0.002 block=50us
check
group kernel=read target=sim:arm_server,pages.base=64KiB,cpu.line=256B,cache.2.policy=lru cpus=0-1 footprint=1MiB pages=64k isa=scalar
prepare
measure seconds=0.0002 block=20us
check
"""  # noqa: E501
"""LRU of 4, 8, 12 and 15 ways, lines of 64, 128 and 256 bytes, pages of 4, 16 and 64 KiB."""


def simulated(core: list[str | Path], folder: Path) -> tuple[bytes, bytes]:
    """Return the samples of simulated machines by this core and by that of this machine, byte for byte."""
    plan = folder / "plan"
    plan.write_text(SIMULATED)
    counters: list[list[object]] = []
    for name, words in (("there", core), ("here", [Path(sys.executable).with_name("tierscope-core")])):
        answers = lanes.run([*words, "run", plan, "--samples", folder / name]).splitlines()
        facts = [json.loads(line) for line in answers]
        assert [fact for fact in facts if fact["fact"] == "error"] == []
        counters.append([fact["counters"] for fact in facts if fact["fact"] == "checked"])
    assert counters[0] == counters[1]
    there, here = ((folder / name).read_bytes() for name in ("there", "here"))
    assert len(here) > 4000
    return there, here


def wrapper(words: list[str | Path], folder: Path) -> str:
    """Return a program that runs the core by these words: one for TIERSCOPE_CORE."""
    its = folder / "core-of-another"
    its.write_text(f'#!/bin/sh\nexec {" ".join(map(str, words))} "$@"\n')
    its.chmod(0o755)
    return str(its)


def tierscope(folder: Path, *words: str, core: str = "") -> str:
    """Return what the command of this machine prints; `core`: that of another."""
    done = subprocess.run(
        [sys.executable, "-c", "from tierscope.cli.entry import main; raise SystemExit(main())", *words],
        env={**os.environ, **({"TIERSCOPE_CORE": core} if core else {})},
        cwd=folder, text=True, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode in (0, 1, 4), done.stdout + done.stderr  # 1: slower, as an emulator is; 4: not sure
    return done.stdout


def exchanged(core: str, folder: Path) -> dict[str, object]:
    """Measure by this core and by that of this machine; show, compare, report and export each by the other.

    Return the identity of the other machine.
    """
    stream = ("run", "stream", "kernels=read,triad", "array=1MiB", "pages=4k", "threads=1", "precision=0.5")
    tierscope(folder, *stream, "budget=0.2", "visits=1", "--out", "there", core=core)
    tierscope(folder, *stream, "budget=0.2", "visits=1", "--out", "here")
    assert "triad" in tierscope(folder, "show", "there")
    compared = re.compile("^stream: (read|triad), ", re.MULTILINE)  # on a busy machine one may be inconclusive
    assert compared.search(tierscope(folder, "compare", "here", "there"))
    assert compared.search(tierscope(folder, "compare", "there", "here", core=core))
    assert "triad" in tierscope(folder, "show", "here", core=core)
    assert (
        "triad" in tierscope(folder, "report", "here", core=core)
        or (folder / "here/report.html").stat().st_size > 10_000
    )
    assert "triad" in tierscope(folder, "export", "there", "--to", "csv")
    assert (folder / "there/report.html").stat().st_size > 10_000
    identity: dict[str, object] = json.loads((folder / "there/result.json").read_bytes())["machine"]["identity"]
    return identity
