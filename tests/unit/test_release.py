"""A release refuses a wheel whose files need more than its name claims, and one that lacks a file."""

import platform
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from scripts import module_of
from tierscope.crash.writer import find_library
from tierscope.errors import MachineError


@pytest.fixture(scope="module")
def check(root: Path) -> ModuleType:
    if shutil.which("readelf") is None:
        pytest.skip("no readelf: sudo apt-get install -y binutils")
    return module_of(root / "packaging/check_wheel.py", "check_wheel")


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    """Two static cores and a library, as far as readelf sees: headers of ELF files without a program."""
    machine = {"x86_64": 62, "aarch64": 183}[platform.machine()]
    header = b"\x7fELF\x02\x01\x01" + bytes(9) + (2).to_bytes(2, "little") + machine.to_bytes(2, "little")
    header += (1).to_bytes(4, "little") + bytes(28) + (64).to_bytes(2, "little") + bytes(10)
    made = {}
    for name in ("tierscope-core", "tierscope-core-traced", "libtierscope-shadow.so"):
        made[name] = tmp_path / name
        made[name].write_bytes(header)
    return made


def test_static_cores_with_the_sum_of_these_sources_pass(check: ModuleType, files: dict[str, Path]) -> None:
    assert check.faults(files, "1", "1") == []
    assert check.described(files) == [f"{name}: static" for name in sorted(files)]


@pytest.mark.parametrize("name", ["tierscope-core", "tierscope-core-traced", "libtierscope-shadow.so"])
def test_a_file_that_is_absent_is_named(check: ModuleType, files: dict[str, Path], name: str) -> None:
    del files[name]
    assert check.faults(files, "1", "1") == [f"{name} is not in the wheel"]


def test_a_core_that_needs_a_library_is_refused(check: ModuleType, files: dict[str, Path]) -> None:
    shutil.copy(Path(sys.executable).resolve(), files["tierscope-core-traced"])
    fault, *_ = check.faults(files, "1", "1")  # its symbols are newer than the tag, too
    assert fault.startswith("tierscope-core-traced is not static, it needs lib")
    assert "is libc.a missing?" in fault
    assert any("tierscope-core-traced: needs glibc 2." in line for line in check.described(files))


def test_a_library_that_needs_more_than_glibc_is_refused(check: ModuleType, files: dict[str, Path]) -> None:
    shutil.copy(Path(shutil.which("bash") or pytest.skip("needs bash")).resolve(), files["libtierscope-shadow.so"])
    fault, *_ = check.faults(files, "1", "1", (9, 9))
    assert "which the preloaded program may lack" in fault


def test_a_symbol_newer_than_the_tag_is_refused_by_its_name(
    check: ModuleType, files: dict[str, Path], tmp_path: Path
) -> None:
    compiler = shutil.which("cc") or pytest.skip("no C compiler")
    source = tmp_path / "it.c"
    source.write_text("#include <stdlib.h>\nint it(void) { return abs(system((char*)0)); }\n")
    library = files["libtierscope-shadow.so"]
    subprocess.run([compiler, "-shared", "-fPIC", "-nostartfiles", "-o", library, source], check=True)
    oldest = (2, 2) if platform.machine() == "x86_64" else (2, 17)
    assert check.newer(library, oldest) == []
    assert check.faults(files, "1", "1", oldest) == []
    before = (oldest[0], oldest[1] - 1)
    (symbol,) = check.newer(library, before)
    assert symbol.startswith("system@GLIBC_2.")
    (fault,) = check.faults(files, "1", "1", before)
    assert fault == (
        f"libtierscope-shadow.so needs symbols newer than glibc {before[0]}.{before[1]} of the tag: {symbol}"
    )
    files["tierscope-core-pmdk"] = library  # that of the building system
    assert len(check.faults(files, "1", "1", before)) == 1


def test_the_tag_is_read_from_the_name_of_the_wheel(check: ModuleType) -> None:
    assert check.promised(Path("tierscope-0.1.0-py3-none-manylinux_2_31_riscv64.whl")) == (2, 31)
    assert check.promised(Path("tierscope-0.1.0-py3-none-manylinux_2_17_x86_64.whl")) == (2, 17)


def test_the_library_that_was_built_here_is_as_old_as_the_tag(check: ModuleType) -> None:
    try:
        library = find_library()
    except MachineError as error:
        pytest.skip(str(error))
    assert check.newer(library, check.TAG) == []
    assert set(check.needs(library)[0]) <= set(check.GLIBC)


def test_the_sum_of_other_sources_is_refused(check: ModuleType, files: dict[str, Path]) -> None:
    assert check.faults(files, "1", "2") == ["it records the sum 1, and the sources here have 2"]
    assert check.faults(files, "", "2") == ["it records the sum of nothing, and the sources here have 2"]


@pytest.mark.parametrize(
    ("words", "message"), [(["--nope"], "unknown option --nope"), (["--to"], "--to needs a folder")]
)
def test_wrong_options_build_nothing(root: Path, words: list[str], message: str) -> None:
    done = subprocess.run([root / "packaging/release", *words], text=True, capture_output=True, check=False)
    assert done.returncode == 2
    assert message in done.stderr
