"""A release for ARM, built on another processor: its wheel is accepted, and its cores run under an emulator."""

import json
import platform
import subprocess
import zipfile
from pathlib import Path

import pytest

import emulated
import tierscope

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(platform.machine() == "aarch64", reason="this machine builds the same wheel without --for"),
]


@pytest.fixture(scope="module")
def emulator() -> str:
    return emulated.emulator("aarch64")


@pytest.fixture(scope="module")
def release(root: Path, emulator: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Return the wheel and what was printed."""
    folder = tmp_path_factory.mktemp("aarch64")
    words = [root / "packaging/release", "--for", "aarch64", "--to", folder]
    done = subprocess.run(words, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (path,) = folder.glob("*.whl")
    return path, done.stdout.splitlines()


@pytest.fixture(scope="module")
def scripts(release: tuple[Path, list[str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("opened")
    zipfile.ZipFile(release[0]).extractall(folder)
    (found,) = folder.glob("*.data/scripts")
    for path in found.iterdir():
        path.chmod(0o755)
    return found


def test_it_has_the_tag_of_the_oldest_glibc_for_arm(release: tuple[Path, list[str]]) -> None:
    path, printed = release
    assert path.name == f"tierscope-{tierscope.__version__}-py3-none-manylinux_2_17_aarch64.whl"
    assert "release: tierscope-core: static" in printed
    assert "release: tierscope-core-traced: static" in printed
    assert any(line.startswith("release: libtierscope-shadow.so: needs glibc 2.17,") for line in printed)


def test_its_core_states_kernels_for_each_width_of_vectors_and_was_checked(release: tuple[Path, list[str]]) -> None:
    (line,) = [line for line in release[1] if line.startswith("release: its core, emulated, states")]
    assert line.endswith("kernels and ['neon', 'scalar', 'sve128', 'sve256', 'sve512']")
    assert any("computes the triad as scalar code does" in line for line in release[1])


@pytest.mark.parametrize("name", ["tierscope-core", "tierscope-core-traced"])
def test_its_cores_simulate_memory_under_the_emulator(scripts: Path, emulator: str, name: str) -> None:
    plan = "group kernel=read target=sim:flat cpus=0 footprint=1MiB\nprepare\nmeasure seconds=1ms\ncheck\n"
    done = subprocess.run([emulator, scripts / name, "run"], input=plan, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
    facts = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(facts) > 3
