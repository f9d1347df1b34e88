"""The wheel of a release and the build of this checkout, which several tests need."""

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


@pytest.fixture(scope="session")
def build(root: Path) -> Path:
    """The build of ./tierscope, or one by hand."""
    for name in ("venv", "release"):
        if list((root / "build" / name).rglob("*_variant.cpp.o")):
            return root / "build" / name
    pytest.skip("no build here: ./tierscope test makes one")
