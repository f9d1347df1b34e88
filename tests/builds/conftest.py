"""The wheel of a release, which several tests need."""

import subprocess
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by what .venv contains, without a network; the objects of ./tierscope are used again."""
    pytest.importorskip("scikit_build_core", reason="no scikit-build-core: ./tierscope test brings it")
    folder = tmp_path_factory.mktemp("wheel")
    done = subprocess.run(
        [root / "packaging/release", "--no-run", "--only-wheel", "--to", folder],
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (path,) = folder.glob("*.whl")
    assert done.stdout.splitlines()[-1].endswith(f"  {path.name}")
    return path
