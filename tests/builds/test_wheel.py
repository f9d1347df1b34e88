"""The wheel serves every Python 3 on this architecture and needs no compiler: a static core beside pure Python."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import tierscope

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by what .venv holds, without a network; the objects of ./tierscope are used again."""
    pytest.importorskip("scikit_build_core", reason="no scikit-build-core: ./tierscope test brings it")
    folder = tmp_path_factory.mktemp("wheel")
    words = ["wheel", str(root), "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder)]
    words += [f"--config-settings=build-dir={root / 'build/venv'}"]
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", *words], check=True, cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts folder of an environment with this wheel alone."""
    home = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
    words = ["--disable-pip-version-check", "install", "--no-deps", "--no-index", str(wheel)]
    subprocess.run([home / "bin/python", "-m", "pip", *words], check=True)
    return home / "bin"


def test_it_is_for_any_python_and_this_architecture(wheel: Path) -> None:
    assert wheel.name.startswith(f"tierscope-{tierscope.__version__}-py3-none-linux_")


def test_it_holds_every_file_of_the_package(root: Path, wheel: Path) -> None:
    source = root / "src"
    here = {
        str(path.relative_to(source))
        for path in (source / "tierscope").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert here <= set(zipfile.ZipFile(wheel).namelist())


def test_the_installed_core_runs_and_needs_no_library(installed: Path) -> None:
    core = installed / "tierscope-core"
    headers = subprocess.run(["readelf", "--program-headers", core], text=True, capture_output=True, check=True).stdout
    assert "INTERP" not in headers, "the core is linked dynamically: is libc.a missing?"
    done = subprocess.run([core, "--version"], env={}, text=True, capture_output=True, check=True)
    assert done.stdout.strip() == tierscope.__version__
