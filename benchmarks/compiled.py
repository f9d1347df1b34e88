"""Native programs of benchmarks, each compiled with the parts of the core that it simulates."""

import subprocess
from collections.abc import Iterable
from pathlib import Path

NATIVE = Path(__file__).resolve().parent / "native"
CORE = NATIVE.parents[1] / "core"
TOML = ("simulate/config.cpp", "simulate/document.cpp", "base/quantity.cpp")
"""The parts that read a file of a simulated machine."""


def compiled(folder: Path, program: str, sources: Iterable[str] = ()) -> Path:
    """Return the program of `native`, compiled into a folder. sources: of the core, of programs that simulate."""
    ours = ["-w", "-DTIERSCOPE_TOML", *(CORE / source for source in sources)] if sources else []
    made = folder / program
    common = ["g++", "-std=c++20", "-O2", f"-I{CORE}"]
    subprocess.run([*common, NATIVE / f"{program}.cpp", *ours, "-o", made], check=True)
    return made
