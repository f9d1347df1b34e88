"""Style is checked by programs, the same in every checkout: their versions are locked in requirements/test.txt."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import spelling

RELEASE = [f"packaging/{name}" for name in ("core-sum", "deb", "image", "release")]
SOURCES = ("benchmarks", "cmake", "core", "docs", "packaging", "src", "tests")


def _tool(name: str, *words: str | Path, root: Path) -> None:
    command = [Path(sys.executable).with_name(name), *words]
    done = subprocess.run(command, cwd=root, text=True, capture_output=True, check=False)
    said = (done.stdout + done.stderr).splitlines()
    if done.returncode != 0:
        pytest.fail(
            "\n".join([*said[:30], f"{len(said)} lines in all; `nox -s format` mends what a program can"]),
            pytrace=False,
        )


def test_ruff_finds_nothing(root: Path) -> None:
    _tool("ruff", "check", "--no-cache", ".", root=root)


def test_python_is_formatted(root: Path) -> None:
    _tool("ruff", "format", "--no-cache", "--check", ".", root=root)


def test_types_are_correct(root: Path) -> None:
    """From the second time on mypy reads what it kept in .mypy_cache."""
    _tool("mypy", root=root)


def test_cpp_is_formatted(root: Path) -> None:
    sources = sorted([*(root / "core").rglob("*.[ch]pp"), *(root / "tests/core").rglob("*.[ch]pp")])
    assert sources, "the core is not here: nothing was checked"
    _tool("clang-format", "--dry-run", "--Werror", *sources, root=root)


def test_words_are_spelt(root: Path) -> None:
    _tool("codespell", root=root)


def test_words_of_ignored_folders_are_left_alone(root: Path, tmp_path: Path) -> None:
    """Results are in runs/ after the first command of the README, and a run may be named with any letters."""
    shutil.copy(root / "pyproject.toml", tmp_path)
    ignored = [line.strip("/") for line in (root / ".gitignore").read_text().splitlines() if line.startswith("/")]
    folders = [name for name in ignored if not name.startswith(".")]
    assert "runs" in folders
    for name in folders:
        (tmp_path / name).mkdir()
        (tmp_path / name / "made.txt").write_text("teh\n")  # codespell:ignore
    _tool("codespell", root=tmp_path)
    (tmp_path / "kept.txt").write_text("teh\n")  # codespell:ignore
    with pytest.raises(pytest.fail.Exception, match=r"kept\.txt"):
        _tool("codespell", root=tmp_path)


def test_shell_scripts_are_sound(root: Path) -> None:
    shellcheck = shutil.which("shellcheck") or pytest.skip("no shellcheck: sudo apt-get install -y shellcheck")
    common = [shellcheck, "--severity=warning"]
    set_up = sorted((root / "packaging").glob("setup*.sh"))
    subprocess.run([*common, "-s", "sh", "-e", "SC2034,SC2154", "tierscope", *set_up], cwd=root, check=True)
    guest = sorted((root / "src/tierscope/vm/guest").iterdir())
    subprocess.run([*common, "-s", "sh", *guest], cwd=root, check=True)
    subprocess.run(
        [*common, ".ci/run", "packaging/github/check.sh", "packaging/try-fresh", "packaging/vm-kernel", *RELEASE],
        cwd=root,
        check=True,
    )


def test_units_and_names_are_spelt_one_way(root: Path) -> None:
    paths = [path for folder in SOURCES for path in sorted((root / folder).rglob("*")) if path.suffix in spelling.KINDS]
    paths = [path for path in paths if path.name != "spelling.py" and path.name != Path(__file__).name]
    assert len(paths) > 20
    found = [fault for path in paths for fault in spelling.faults(str(path.relative_to(root)), path.read_text())]
    assert found == []


@pytest.mark.parametrize("line", ["1 GBps", "12 kB/s", "4 Kib", "3 usec", "TierScope", "non temporal"])
def test_a_wrong_spelling_is_found(line: str) -> None:
    assert len(list(spelling.faults("x", line))) == 1
    assert list(spelling.faults("x", f"{line}  # spelling: as is")) == []


@pytest.mark.parametrize("line", ["1 GB/s", "4 KiB", "3 us", "Tierscope", "non-temporal", "pmem.io", "/dev/pmem0"])
def test_a_right_spelling_is_left_alone(line: str) -> None:
    assert list(spelling.faults("x", line)) == []
