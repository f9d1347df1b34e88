"""`./tierscope` takes the core of a wheel that was built from these very sources, and no other; in a made checkout."""

import os
import platform
import subprocess
import zipfile
from pathlib import Path

import pytest

from checkout import APT_GET, PYTHON, Checkout


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def core_sum(checkout: Checkout) -> str:
    command = ["sh", checkout.root / "packaging/core-sum"]
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout.strip()


def wheel(checkout: Checkout, folder: str = "dist", recorded: str | None = None, machine: str = "") -> Path:
    """A made wheel with two files of the core; by default with the sum of the checkout's sources."""
    path = checkout.root / folder / f"tierscope-1-py3-none-manylinux_2_17_{machine or platform.machine()}.whl"
    path.parent.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("tierscope-1.data/scripts/tierscope-core", "core of the wheel")
        archive.writestr("tierscope-1.data/scripts/libtierscope-shadow.so", "library of the wheel")
        archive.writestr("tierscope-1.data/scripts/activate", "of somebody else")
        if recorded != "":
            archive.writestr("tierscope-1.data/data/share/tierscope/core.sum", f"{recorded or core_sum(checkout)}\n")
    return path


def taken(checkout: Checkout) -> str:
    core = checkout.root / ".venv/bin/tierscope-core"
    return core.read_text() if core.exists() else ""


def test_a_wheel_of_these_sources_replaces_the_compiler(checkout: Checkout) -> None:
    checkout.tool("python3", PYTHON)
    path = wheel(checkout)
    done = checkout.start("x")
    assert (done.returncode, done.stdout) == (0, "cli x\n"), done.stderr
    assert f"taking the core of {path}: it was built from these sources" in done.stderr
    assert checkout.calls() == ["venv", "packages", "python"]
    assert taken(checkout) == "core of the wheel"
    assert os.access(checkout.root / ".venv/bin/tierscope-core", os.X_OK)
    assert (checkout.root / ".venv/bin/libtierscope-shadow.so").read_text() == "library of the wheel"
    assert not (checkout.root / ".venv/bin/activate").exists()
    assert "apt-get" not in done.stderr
    assert (checkout.start("x").stderr, checkout.calls()) == ("", [])


def test_nothing_that_only_builds_is_installed_for_it(checkout: Checkout) -> None:
    checkout.with_tools()
    (checkout.root / "requirements/build.txt").write_text("cmake==4\nninja==1\nscikit-build-core==1\n")
    wheel(checkout)
    checkout.start()
    assert (checkout.root / ".venv/requirements.txt").read_text() == "run==1\nscikit-build-core==1\n"


@pytest.mark.parametrize(
    ("recorded", "message"),
    [("0" * 64, "was built from other sources; building the core"), ("", "records no sum of its sources; building")],
    ids=["other sources", "no sum"],
)
def test_another_wheel_is_named_and_not_taken(checkout: Checkout, recorded: str, message: str) -> None:
    wheel(checkout.with_tools(), recorded=recorded)
    done = checkout.start("x")
    assert (done.returncode, done.stdout) == (0, "cli x\n")
    assert message in done.stderr
    assert checkout.calls() == ["venv", "packages", "core"]
    assert taken(checkout) == ""


def test_a_damaged_wheel_is_not_taken(checkout: Checkout) -> None:
    wheel(checkout.with_tools()).write_bytes(b"PK no zip")
    assert "records no sum of its sources; building the core" in checkout.start("x").stderr
    assert checkout.calls() == ["venv", "packages", "core"]


def test_a_wheel_for_another_cpu_is_passed_over(checkout: Checkout) -> None:
    wheel(checkout.with_tools(), machine="other")
    assert ".whl" not in checkout.start("x").stderr
    assert checkout.calls() == ["venv", "packages", "core"]


def test_a_changed_core_is_built(checkout: Checkout) -> None:
    wheel(checkout.with_tools())
    checkout.start()
    checkout.calls()
    (checkout.root / "core/kernel.hpp").write_text("two")
    assert "was built from other sources" in checkout.start().stderr
    assert checkout.calls() == ["packages", "core"]  # the packages that build


def test_a_named_wheel_is_taken_and_no_builds(checkout: Checkout) -> None:
    path = wheel(checkout.with_tools(), folder="elsewhere")
    checkout.start(TIERSCOPE_WHEEL=str(path))
    assert checkout.calls() == ["venv", "packages", "python"]
    checkout.start()
    assert checkout.calls() == []
    checkout.start(TIERSCOPE_WHEEL="no")
    assert checkout.calls() == ["packages", "core"]


def test_a_named_wheel_that_is_absent_is_an_error(checkout: Checkout) -> None:
    refused = checkout.with_tools().start(TIERSCOPE_WHEEL="/no/such.whl")
    assert refused.returncode == 3
    assert "TIERSCOPE_WHEEL=/no/such.whl: no such file" in refused.stderr.splitlines()[-1]
    assert checkout.calls() == []


def test_a_named_compiler_and_the_tests_build_the_core(checkout: Checkout) -> None:
    wheel(checkout.with_tools())
    checkout.start(CXX="g++")
    assert checkout.calls() == ["venv", "packages", "core"]
    checkout.start("test")
    assert checkout.calls() == ["packages", "core"]


def test_without_python_only_python_is_installed(checkout: Checkout) -> None:
    wheel(checkout)
    checkout.tool("id", "#!/bin/sh\necho 0\n")
    bring = f"cat >'{checkout.bin}/python3' <<'END'\n{PYTHON}END\nchmod +x '{checkout.bin}/python3'\n"
    checkout.tool("apt-get", APT_GET + bring)
    done = checkout.start("x")
    assert (done.returncode, done.stdout) == (0, "cli x\n"), done.stderr
    assert "  set-up cannot go on without: python3-venv" in done.stderr
    apt, *rest = checkout.calls()
    assert apt.endswith("install --no-install-recommends python3-venv")
    assert rest == ["venv", "packages", "python"]


def test_the_sum_is_of_names_and_contents(checkout: Checkout) -> None:
    before = core_sum(checkout)
    os.utime(checkout.root / "core/kernel.hpp", (4e9, 4e9))
    assert core_sum(checkout) == before
    (checkout.root / "core/kernel.hpp").rename(checkout.root / "core/renamed.hpp")
    assert core_sum(checkout) != before
    (checkout.root / "core/renamed.hpp").rename(checkout.root / "core/kernel.hpp")
    (checkout.root / "cmake/isa.cmake").write_text("new")
    assert core_sum(checkout) != before
