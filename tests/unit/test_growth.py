"""Each thing of examples/skeleton, alone in a copy of the tree, appears in every part of the program that it should.

One process for each kind, with the fake core of `fake_core`: a thing that needs a second file is left out somewhere.
"""

import compileall
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import growth

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SKELETON = ROOT / "examples/skeleton"
PATHS = {
    "suite": "src/tierscope/suites/skeleton",
    "figure": "src/tierscope/suites/stream/figure_skeleton.py",
    "importer": "src/tierscope/imports/skeleton.py",
    "identity": "src/tierscope/audit/skeleton.py",
    "check": "src/tierscope/doctor/checks/skeleton.py",
    "engine": "src/tierscope/fleet/engines/skeleton.py",
    "machine": "src/tierscope/vm/machines/skeleton.py",
    "model": "src/tierscope/models/skeleton.py",
    "format": "src/tierscope/report/formats/skeleton.py",
    "command": "src/tierscope/cli/commands/skeleton.py",
    "document": "src/tierscope/reproduce/skeleton.py",
    "metrics": "src/tierscope/metrics/skeleton.toml",
    "work": "src/tierscope/record/work/skeleton.py",
}
"""By kind: the one file or folder, below examples/skeleton and in the tree."""

TESTS = {
    "suite": ("test_every_suite.py", "../catalogue/test_parts.py"),
    "figure": ("../catalogue/test_parts.py",),
    "importer": ("test_imports.py", "test_compare_imported.py"),
    "identity": ("test_audit.py",),
    "check": ("test_doctor_checks.py", "test_doctor_fuzz.py"),
    "engine": ("test_fleet_run.py",),
    "machine": ("test_vm.py",),
    "model": ("test_models.py",),
    "format": ("test_every_suite.py", "test_report_formats.py", "test_export.py", "test_cli_runs.py"),
    "command": ("test_every_suite.py",),
    "document": ("test_reproduce.py",),
    "metrics": ("test_metrics.py",),
    "work": ("test_groups_file.py",),
}
"""By kind: tests that apply to every thing of this kind, and find a newcomer by themselves."""


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the program with what Python compiles of it, so that each process of a newcomer is spared that.

    Copies of it keep the times of the sources, by which Python knows that what was compiled is of them.
    """
    copy = tmp_path_factory.mktemp("growth") / "src"
    shutil.copytree(ROOT / "src", copy)
    prefix, sys.pycache_prefix = sys.pycache_prefix, None
    try:
        assert compileall.compile_dir(copy, quiet=1)
    finally:
        sys.pycache_prefix = prefix
    return copy


def grown(folder: Path, kind: str, compiled: Path) -> Path:
    """Return a copy of the program with the newcomer of this kind alone."""
    copy = folder / "copy"
    shutil.copytree(compiled, copy / "src")
    drop(copy, PATHS[kind])
    return copy


def drop(copy: Path, path: str) -> None:
    """Copy one file or folder of examples/skeleton to where it belongs."""
    source, target = SKELETON / path, copy / path
    assert not target.exists(), path
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(source, target)


def driven(copy: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run growth.py in a folder next to the copy."""
    place = copy.parent / "place"
    place.mkdir()
    command = [sys.executable, str(Path(growth.__file__)), str(copy), *words]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPYCACHEPREFIX"}
    return subprocess.run(command, cwd=place, env=environment, text=True, capture_output=True, check=False)


def left_out(copy: Path, kind: str) -> list[str]:
    """Return the parts that leave the newcomer out."""
    done = driven(copy, "tour", kind)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout.splitlines()[-1])
    assert answer["parts"] > 3
    missing: list[str] = answer["left out"]
    return missing


def test_every_thing_of_the_skeleton_is_driven() -> None:
    assert set(PATHS) == set(growth.KINDS) == set(TESTS)
    known = [SKELETON / path for path in PATHS.values()]
    files = [path for path in (SKELETON / "src").rglob("*") if path.suffix in (".py", ".toml")]
    assert [path for path in files if not any(path.is_relative_to(one) for one in known)] == []


@pytest.mark.parametrize("kind", PATHS)
def test_no_part_leaves_a_newcomer_out(kind: str, tmp_path: Path, compiled: Path) -> None:
    assert left_out(grown(tmp_path, kind, compiled), kind) == []


def test_a_part_that_leaves_a_newcomer_out_is_found(tmp_path: Path, compiled: Path) -> None:
    """A suite without a live line and without a method: two parts have nothing of it, and the tour names them."""
    copy = grown(tmp_path, "suite", compiled)
    for name in ("live", "method"):
        (copy / PATHS["suite"] / f"{name}.py").unlink()
    assert left_out(copy, "suite") == ["run --dry-run, its live line", "page, its method"]


@pytest.mark.parametrize("kind", PATHS)
def test_the_tests_of_its_kind_find_a_newcomer_and_need_no_line(kind: str, tmp_path: Path, compiled: Path) -> None:
    copy = grown(tmp_path, kind, compiled)
    for name in ("tests", "docs", "pyproject.toml", "core", "cmake"):
        (copy / name).symlink_to(ROOT / name)
    done = driven(copy, "tests", *(f"tests/unit/{name}" for name in TESTS[kind]))
    assert done.returncode == 0, done.stdout[-4000:]


def test_every_type_of_the_skeleton_is_right(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for path in PATHS.values():
        drop(tmp_path, path)
    command = [sys.executable, "-m", "mypy", *(path for path in PATHS.values() if not path.endswith(".toml"))]
    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout
