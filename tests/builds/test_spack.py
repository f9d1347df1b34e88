"""The files that the spack recipe installs: CMake puts them where the core looks for them."""

import subprocess
from pathlib import Path

import pytest

import lanes
import tierscope


@pytest.mark.slow
def test_an_installation_by_cmake_alone_has_the_cores_and_runs(tmp_path: Path) -> None:
    lanes.run([lanes.tool("cmake"), "--install", lanes.lane("clang"), "--prefix", tmp_path])
    found = {path.name for path in (tmp_path / "bin").iterdir()}
    assert {"tierscope-core", "tierscope-core-traced", "libtierscope-shadow.so"} <= found
    core = tmp_path / "bin/tierscope-core"
    shown = subprocess.run([core, "--version"], text=True, capture_output=True, check=True).stdout
    assert shown.strip() == tierscope.__version__
