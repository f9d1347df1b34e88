"""Marks for tests that need a program which a machine may lack."""

import shutil
from pathlib import Path

import pytest

TRACER = pytest.mark.skipif(
    shutil.which("qemu-x86_64") is None or not Path("/usr/include/Zydis/Zydis.h").is_file(),
    reason="needs the tracer: sudo apt-get install -y qemu-user libzydis-dev",
)
