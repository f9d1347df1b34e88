"""The core for a CPU of another kind: built by a cross compiler, run by an emulator of user programs."""

import shutil
from pathlib import Path

import pytest

import lanes


def core_of(kind: str) -> list[str | Path]:
    """The words before its own; skips where the compiler or the emulator is absent."""
    emulator = next(filter(None, map(shutil.which, (f"qemu-{kind}-static", f"qemu-{kind}"))), None)
    if emulator is None or shutil.which(f"{kind}-linux-gnu-g++") is None:
        bring = {  # whole lines: test_bootstrap_packages.py looks for their packages
            "aarch64": "sudo apt-get install -y g++-aarch64-linux-gnu qemu-user",
            "riscv64": "sudo apt-get install -y g++-riscv64-linux-gnu qemu-user",
        }
        pytest.skip(f"lane {kind} left out: {bring[kind]}")
    return [emulator, lanes.built(kind) / "tierscope-core"]
