"""The parts that a set-up left out are built when they are first needed, only in a checkout."""

from pathlib import Path

import pytest

from tierscope import core
from tierscope.core import build
from tierscope.errors import MachineError

CMAKE = """#!/bin/sh
echo "$*" >>"$0.calls"
[ ! -e "$0.broken" ] || exit 1
echo made >"$2/$(sed -n "s/^$4 //p" "$0.files")"
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout whose set-up left a core alone; its cmake writes down how it was called."""
    for folder in ("build/venv", ".venv/bin"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / ".venv/bin/tierscope-core").touch()
    cmake = tmp_path / "a cmake"
    cmake.write_text(CMAKE)
    cmake.chmod(0o755)
    names = ["tierscope-core-pmdk", "tierscope-core-traced"]
    files = "".join(f"{name} {name}\n" for name in names) + "tierscope-shadow libtierscope-shadow.so\n"
    (tmp_path / "a cmake.files").write_text(files)
    (tmp_path / "build/venv/CMakeCache.txt").write_text(f"A:STRING=b\nCMAKE_COMMAND:INTERNAL={cmake}\n")
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.setattr(build, "BUILD", tmp_path / "build/venv")
    monkeypatch.setenv("TIERSCOPE_CORE", str(tmp_path / ".venv/bin/tierscope-core"))
    return tmp_path


def test_a_needed_part_is_built_once_and_named(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert core.find_traced_core() == checkout / ".venv/bin/tierscope-core-traced"
    assert capfd.readouterr().err == "tierscope: building tierscope-core-traced, once: half a minute or less\n"
    assert core.find_traced_core().read_text() == "made\n"
    assert core.find_shadow() == (checkout / ".venv/bin/libtierscope-shadow.so").resolve()
    calls = (checkout / "a cmake.calls").read_text().splitlines()
    assert calls == [
        f"--build {checkout}/build/venv --target {target}" for target in ("tierscope-core-traced", "tierscope-shadow")
    ]


def test_nothing_is_built_while_a_shell_completes_a_word(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("_TIERSCOPE_COMPLETE", "bash_complete")
    with pytest.raises(MachineError):
        core.find_traced_core()
    assert capfd.readouterr().err == ""
    assert not (checkout / "a cmake.calls").exists()


def test_a_build_that_fails_leaves_nothing_and_is_refused(checkout: Path) -> None:
    (checkout / "a cmake.broken").touch()
    with pytest.raises(MachineError, match="which was not built; run ./tierscope of a checkout"):
        core.find_traced_core()
    with pytest.raises(MachineError, match="install the wheel again, or run ./tierscope of a checkout once"):
        core.find_shadow()
    assert [path.name for path in (checkout / ".venv/bin").iterdir()] == ["tierscope-core"]


def test_nothing_is_built_next_to_a_core_of_another_place(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (checkout / "tierscope-core").touch()
    monkeypatch.setenv("TIERSCOPE_CORE", str(checkout / "tierscope-core"))
    with pytest.raises(MachineError, match="which was not built"):
        core.find_traced_core()
    assert not (checkout / "a cmake.calls").exists()


def test_a_core_without_its_library_is_not_tried(checkout: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The set-up found no libpmemobj, so its build has no such target, and nobody waits for one."""
    rules = checkout / "build/venv/build.ninja"
    rules.write_text("a\nbuild tierscope-core-traced: link\n")
    with pytest.raises(MachineError, match="targets named pool: need .*-pmdk, which was not built"):
        core.find_pool_core()
    assert capfd.readouterr().err == ""
    rules.write_text(rules.read_text() + "build tierscope-core-pmdk: link\n")
    assert core.find_pool_core() == checkout / ".venv/bin/tierscope-core-pmdk"


def test_nothing_is_built_without_the_build_of_a_set_up(checkout: Path) -> None:
    (checkout / "build/venv/CMakeCache.txt").unlink()
    with pytest.raises(MachineError, match="which was not built"):
        core.find_traced_core()


def tracer_words(checkout: Path, cached: str) -> str:
    """Return how the tracer is configured, with a core that has these lines in its cache."""
    with (checkout / "build/venv/CMakeCache.txt").open("a") as cache:
        cache.write(cached)
    (checkout / "tracer").mkdir()
    (checkout / "tracer/CMakeLists.txt").touch()
    (checkout / "a cmake.broken").touch()
    with pytest.raises(OSError, match=r"^$"):
        core.build_tracer()
    return (checkout / "a cmake.calls").read_text()


def test_the_tracer_is_built_with_the_tool_that_built_the_core(checkout: Path) -> None:
    """The compiler's package does not bring `make`, so a system without it has the tool of the core alone."""
    ninja, older = checkout / "ninja", checkout / "build/tracer"
    ninja.touch()
    older.mkdir()
    (older / "CMakeCache.txt").write_text("CMAKE_GENERATOR:INTERNAL=Unix Makefiles\n")
    words = tracer_words(checkout, f"CMAKE_GENERATOR:INTERNAL=Ninja\nCMAKE_MAKE_PROGRAM:UNINITIALIZED={ninja}\n")
    assert words.rstrip().endswith(f"-G Ninja -DCMAKE_MAKE_PROGRAM={ninja}")
    assert not older.exists(), "CMake refuses a folder of another build tool"


def test_the_tracer_has_the_usual_tool_where_that_of_the_core_is_gone(checkout: Path) -> None:
    gone = "CMAKE_GENERATOR:INTERNAL=Ninja\nCMAKE_MAKE_PROGRAM:UNINITIALIZED=/no/ninja\n"
    assert "-G" not in tracer_words(checkout, gone).split()
