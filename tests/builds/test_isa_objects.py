"""Code built for an ISA cannot leak to a CPU that lacks it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from isa_objects import faults, isas, objects


def test_no_isa_leaks(root: Path, build: Path) -> None:
    listed = isas(root)
    assert listed, "no header of core/isa states flags in a line `/// Flags:`"
    for isa in listed:
        assert objects(build, isa), f"no object of {isa} in {build}"
    assert [fault for isa in listed for path in objects(build, isa) for fault in faults(path, isa)] == []


@pytest.mark.parametrize(("name", "found"), [("helper", 1), ("helper_avx2", 0)])
def test_a_leak_is_found(tmp_path: Path, name: str, found: int) -> None:
    compiler = shutil.which(os.environ.get("CXX", "g++")) or pytest.skip("no g++: sudo apt-get install -y g++")
    source = tmp_path / "triad_avx2_variant.cpp"
    source.write_text(f"inline int {name}(int x) {{ return x + 1; }}\nint (*use_avx2)(int) = &{name};\n")
    subprocess.run([compiler, "-O2", "-c", source, "-o", tmp_path / "triad_avx2_variant.cpp.o"], check=True)
    (path,) = objects(tmp_path, "avx2")
    assert len(list(faults(path, "avx2"))) == found
