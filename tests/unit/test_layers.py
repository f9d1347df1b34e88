"""The rooms of the Python package import each other in one direction only; the contracts are in pyproject.toml."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"


def _lint(source: Path, configuration: Path) -> subprocess.CompletedProcess[str]:
    """The contracts of the package in this folder: without `site`, no editable install can precede it."""
    path = os.pathsep.join([str(source), sysconfig.get_path("purelib")])
    return subprocess.run(
        [sys.executable, "-S", "-c", LINT, "--no-cache", "--no-logo", "--config", configuration],
        env={**os.environ, "PYTHONPATH": path, "COLUMNS": "200", "NO_COLOR": "1"},
        cwd=source,
        text=True,
        capture_output=True,
        check=False,
    )


def test_the_package_keeps_its_layers(root: Path) -> None:
    done = _lint(root / "src", root / "pyproject.toml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("units.py", "import tierscope.record"),
        ("record/result.py", "import tierscope.stats"),
        ("stats/median.py", "import tierscope.tables"),
        ("tables/__init__.py", "import tierscope.report"),
        ("suites/tlb/table.py", "import tierscope.suites.stream.table"),
        ("draw/words.py", "import tierscope.core"),
        ("doctor/__init__.py", "import tierscope.core"),
        ("suites/__init__.py", "import tierscope.run"),
        ("run/__init__.py", "import tierscope.cli"),
    ],
)
def test_a_crossed_layer_is_found(root: Path, tmp_path: Path, module: str, line: str) -> None:
    shutil.copytree(root / "src/tierscope", tmp_path / "tierscope")
    path = tmp_path / "tierscope" / module
    path.write_text(f"{path.read_text()}\n{line}\n")
    done = _lint(tmp_path, root / "pyproject.toml")
    assert done.returncode == 1, done.stdout + done.stderr
    importer = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    assert f"tierscope.{importer} -> {line.removeprefix('import ')}" in " ".join(done.stdout.split())
