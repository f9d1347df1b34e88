"""A release: every core in one wheel, for every Python 3 and any Linux of this architecture, without a compiler."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import tierscope

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of an environment with this wheel alone."""
    home = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    words = ["--disable-pip-version-check", "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([home / "bin/python", "-m", "pip", *words], check=True)
    return home / "bin"


def test_it_is_for_any_python_and_this_architecture(wheel: Path) -> None:
    assert wheel.name.startswith(f"tierscope-{tierscope.__version__}-py3-none-manylinux_2_17_")


def test_it_contains_every_file_of_the_package(root: Path, wheel: Path) -> None:
    source = root / "src"
    here = {
        str(path.relative_to(source))
        for path in (source / "tierscope").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert here <= set(zipfile.ZipFile(wheel).namelist())


@pytest.mark.parametrize("name", ["tierscope-core", "tierscope-core-traced"])
def test_an_installed_core_runs_and_needs_no_library(installed: Path, name: str) -> None:
    core = installed / name
    headers = subprocess.run(["readelf", "--program-headers", core], text=True, capture_output=True, check=True).stdout
    assert "INTERP" not in headers, "the core is linked dynamically: is libc.a missing?"
    done = subprocess.run([core, "--version"], env={}, text=True, capture_output=True, check=True)
    assert done.stdout.strip() == tierscope.__version__


def test_the_static_traced_core_records_what_the_other_does(root: Path, installed: Path) -> None:
    """The linker puts its hooks in place of the C library's copies, too, which nobody may notice."""
    plan = "group kernel=unordered_map target=sim:flat cpus=0 operation=insert count=2000 seed=7\n"
    plan += "prepare\nmeasure\ntimings\ncheck\n"
    cores = (root / "build/venv/tierscope-core-traced", installed / "tierscope-core-traced")
    answers = [subprocess.run([core, "run"], input=plan, text=True, capture_output=True, check=False) for core in cores]
    assert answers[0].returncode == 0, answers[0].stdout
    without_clock = [answer.stdout.splitlines()[1:] for answer in answers]  # the first line has that of this moment
    assert len(without_clock[0]) > 3
    assert without_clock[0] == without_clock[1]


def test_a_clone_knows_its_sources(root: Path, wheel: Path) -> None:
    reads = [sys.executable, root / "packaging/take_cores.py", wheel]
    outputs = [
        subprocess.run(command, capture_output=True, check=True).stdout
        for command in (reads, ["sh", root / "packaging/core-sum"])
    ]
    assert outputs[0] == outputs[1]
