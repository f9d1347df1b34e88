"""The Debian package, the image and the spack recipe: what can be checked without building them."""

import ast
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from documents import command_lines
from scripts import module_of


@pytest.mark.parametrize("name", ["deb", "image"])
def test_they_need_a_wheel(root: Path, name: str) -> None:
    for words, message in (([], "expected WHEEL"), (["/no/such.whl"], "/no/such.whl: no such file")):
        done = subprocess.run([root / "packaging" / name, *words], text=True, capture_output=True, check=False)
        assert done.returncode == 2
        assert message in done.stderr


def test_without_a_builder_the_image_is_not_built(root: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "tierscope-1-py3-none-any.whl"
    wheel.touch()
    tools = tmp_path / "bin"
    tools.mkdir()
    for name in ("podman", "docker"):  # installed, and unable to reach what builds
        (tools / name).write_text("#!/bin/sh\nexit 1\n")
        (tools / name).chmod(0o755)
    done = subprocess.run(
        [root / "packaging/image", wheel],
        env={"PATH": f"{tools}:/usr/bin:/bin"},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.startswith("image: not built: neither podman nor docker works here")


BUILDER = """#!/bin/sh
echo "$1" >>"$CALLS"
case $1 in
  build) for context; do :; done; ls "$context" >>"$CALLS" ;;
  run) echo "tierscope, version $ANSWER" ;;
esac
"""


@pytest.mark.parametrize(("answer", "status"), [("1", 0), ("2", 1)])
def test_an_image_of_another_version_is_refused(root: Path, tmp_path: Path, answer: str, status: int) -> None:
    (tmp_path / "podman").write_text(BUILDER)
    (tmp_path / "podman").chmod(0o755)
    wheel = tmp_path / "tierscope-1-py3-none-any.whl"
    wheel.touch()
    calls = tmp_path / "calls"
    made = {"PATH": f"{tmp_path}:/usr/bin:/bin", "CALLS": str(calls), "ANSWER": answer}
    done = subprocess.run([root / "packaging/image", wheel], env=made, text=True, capture_output=True, check=False)
    assert done.returncode == status, done.stderr
    assert calls.read_text().split() == ["info", "build", "Containerfile", "run.txt", wheel.name, "run"]


def test_the_image_runs_without_privileges_what_the_program_knows(root: Path) -> None:
    text = (root / "packaging/container/Containerfile").read_text()
    lines = [line.split(maxsplit=1) for line in text.replace("\\\n", " ").splitlines() if line[:1].isupper()]
    assert ["USER", "tierscope"] in lines
    assert lines.index(["USER", "tierscope"]) > max(i for i, (word, _) in enumerate(lines) if word == "RUN")
    words = [ast.literal_eval(rest) for word, rest in lines if word in ("ENTRYPOINT", "CMD")]
    assert command_lines(f"```sh\n{' '.join(word for part in words for word in part)}\n```\n") == [
        ["tierscope", "run", "quick"]
    ]
    assert "--require-hashes" in text


def test_every_field_of_the_debian_package_is_filled(root: Path) -> None:
    control, script = (root / "packaging/debian/control.in").read_text(), (root / "packaging/deb").read_text()
    fields = set(re.findall(r"@([A-Z]+)@", control))
    assert fields == set(re.findall(r"s/@([A-Z]+)@/", script))
    assert {line.split(":")[0] for line in control.splitlines() if line[0] != " "} >= {
        "Package", "Version", "Architecture", "Maintainer", "Depends", "Description",
    }  # fmt: skip


def test_a_debian_package_is_not_made_of_other_versions_than_the_locked(root: Path, tmp_path: Path) -> None:
    """A copy from .venv must be the same as a fetch by pip."""
    copy = [sys.executable, root / "packaging/copy_packages.py"]
    for line, told in (("click==0.0.1", "is installed; expected 0.0.1"), ("no-such-package==1", "no-such-package")):
        (tmp_path / "run.txt").write_text(line + " \\\n    --hash=sha256:0\n")
        done = subprocess.run([*copy, tmp_path / "run.txt", tmp_path], text=True, capture_output=True, check=False)
        assert done.returncode == 1
        assert told in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["run.txt"]


class Recipe:
    """As much of CMakePackage as the recipe uses."""

    def define_from_variant(self, option: str, variant: str) -> str:
        return f"-D{option}={variant}"


def test_the_spack_recipe_passes_options_that_cmake_knows(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called: dict[str, list[str]] = {}

    def note(name: str) -> Callable[..., None]:
        return lambda *words, **_: called.setdefault(name, []).append(words[0])

    spack: Any = ModuleType("spack.package")
    for name in ("depends_on", "license", "variant", "version"):
        setattr(spack, name, note(name))
    spack.CMakePackage = Recipe
    for name, module in (("spack", ModuleType("spack")), ("spack.package", spack), ("spack_repo", None)):
        monkeypatch.setitem(sys.modules, name, module)
    path = root / "packaging/spack/packages/tierscope/package.py"
    module = module_of(path, "recipe")
    known = re.findall(r"^option\((\w+)", (root / "CMakeLists.txt").read_text(), re.MULTILINE)
    words = [word.partition("=") for word in module.Tierscope().cmake_args()]
    assert {option.removeprefix("-D") for option, _, _ in words} <= set(known)
    assert {variant for _, _, variant in words} <= set(called["variant"])
    assert module.Tierscope.git == f"file://{root}"
    assert called["version"] == ["main"]
    needed = re.search(r"cmake_minimum_required\(VERSION ([0-9.]+)\)", (root / "CMakeLists.txt").read_text())
    assert needed is not None
    assert f"cmake@{needed[1]}:" in called["depends_on"]
