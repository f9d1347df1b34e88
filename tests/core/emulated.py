"""The core for a CPU of another kind: built by a cross compiler, run by an emulator of user programs."""

import shutil
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
