"""The Debian package of a release: unpacked anywhere it runs, and dpkg installs and removes it."""

import gzip
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import tierscope

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="no dpkg-deb: this is not a Debian system"),
]
MINOR = sys.version_info.minor


@pytest.fixture(scope="module")
def deb(root: Path, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made of the wheel and the packages of .venv, without a network."""
    folder = tmp_path_factory.mktemp("deb")
    done = subprocess.run(
        [root / "packaging/deb", "--installed", wheel, folder], text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.deb")
    assert done.stdout.splitlines()[-1].endswith(f"  {path.name}")
    return path


@pytest.fixture(scope="module")
def unpacked(deb: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    subprocess.run(["dpkg-deb", "--extract", deb, folder], check=True)
    return folder


def started(unpacked: Path, *words: str) -> str:
    """Return the output of the unpacked program, run by a Python that has no packages of its own."""
    python = Path(sys.base_prefix) / "bin" / f"python3.{MINOR}"
    done = subprocess.run(
        [python, "-I", unpacked / "usr/bin/tierscope", *words],
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LANG": "C.UTF-8"},
        cwd=unpacked,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def files(folder: Path) -> set[Path]:
    return {path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir()}


def test_its_fields_are_those_of_this_release(deb: Path) -> None:
    text = subprocess.run(["dpkg-deb", "--field", deb], text=True, capture_output=True, check=True).stdout
    fields = dict(line.split(": ", 1) for line in text.splitlines() if not line.startswith(" "))
    assert (fields["Package"], fields["Version"]) == ("tierscope", tierscope.__version__)
    assert f"python3 (>= 3.{MINOR}), python3 (<< 3.{MINOR + 1})" in fields["Depends"]
    size_kib = sum(int(line.split()[2]) for line in contents(deb) if line[0] == "-") / 1024
    assert size_kib < int(fields["Installed-Size"]) < 1.2 * size_kib + 4096


def contents(deb: Path) -> list[str]:
    """Return one line for each file, as `ls -l` shows it."""
    return subprocess.run(
        ["dpkg-deb", "--contents", deb], text=True, capture_output=True, check=True
    ).stdout.splitlines()


def test_its_files_belong_to_root_and_are_below_usr(deb: Path) -> None:
    for line in contents(deb):
        assert re.match(r"[-dl]r[w-][x-]r-[x-]r-[x-] root/root|lrwxrwxrwx root/root", line), line
        assert re.match(r"\./(usr/.*)?$", line.split(maxsplit=5)[5]), line


def test_unpacked_anywhere_it_measures_and_leaves_its_folder_as_it_was(unpacked: Path, tmp_path: Path) -> None:
    before = files(unpacked)
    assert started(unpacked, "--version").strip() == f"tierscope, version {tierscope.__version__}"
    assert started(unpacked, "doctor")
    run = tmp_path / "run"
    assert started(unpacked, "run", "stream", "target=sim:flat", "kernels=read", "--out", str(run))
    assert (run / "report-simulated.html").is_file()
    assert files(unpacked) == before
    assert Path("usr/lib/tierscope/bin/tierscope-core-traced") in before


def test_its_manual_page_and_the_link_to_its_core_are_whole(root: Path, unpacked: Path) -> None:
    page = gzip.decompress((unpacked / "usr/share/man/man1/tierscope.1.gz").read_bytes())
    assert page == (root / "packaging/man/tierscope.1").read_bytes()
    done = subprocess.run(
        [unpacked / "usr/bin/tierscope-core", "--version"], text=True, capture_output=True, check=True
    )
    assert done.stdout.strip() == tierscope.__version__


@pytest.mark.skipif(os.geteuid() != 0, reason="dpkg installs only as root")
def test_dpkg_installs_it_into_another_root_and_removes_all_of_it(deb: Path, tmp_path: Path) -> None:
    (tmp_path / "var/lib/dpkg/updates").mkdir(parents=True)
    (tmp_path / "var/lib/dpkg/info").mkdir()
    (tmp_path / "var/lib/dpkg/status").touch()
    dpkg = ("dpkg", f"--root={tmp_path}", "--force-depends", "--force-not-root")
    subprocess.run([*dpkg, "--install", deb], check=True, capture_output=True)
    shown = subprocess.run([*dpkg, "--status", "tierscope"], text=True, capture_output=True, check=True).stdout
    assert "Status: install ok installed" in shown
    assert started(tmp_path, "--version").strip() == f"tierscope, version {tierscope.__version__}"
    subprocess.run([*dpkg, "--remove", "tierscope"], check=True, capture_output=True)
    assert not any((tmp_path / "usr").rglob("*"))
