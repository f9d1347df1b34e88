"""The rooms of the Python package import each other in one direction only; the contracts stand in pyproject.toml."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def _lint(source: Path, configuration: Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--no-logo", "--config", configuration]
    # -S of the path entry: the made copy must win over the installed package
    environment = {**os.environ, "PYTHONPATH": str(source), "COLUMNS": "200", "NO_COLOR": "1"}
    return subprocess.run(command, env=environment, cwd=source, text=True, capture_output=True, check=False)


def test_the_package_keeps_its_layers(root: Path) -> None:
    done = _lint(root / "src", root / "pyproject.toml")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("units.py", "import tierscope.machine"),
        ("result.py", "import tierscope.stats"),
        ("stats/median.py", "import tierscope.tables"),
        ("tables/__init__.py", "import tierscope.report"),
        ("report/words.py", "import tierscope.core"),
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
    assert "BROKEN" in done.stdout
