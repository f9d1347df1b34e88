"""The locked versions are within the bounds of pyproject.toml, and every dependency has both bounds and a lock."""

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = {"run": "run.txt", "build": "build.txt", "test": "test.txt", "site": "site.txt"}


def _asked(root: Path, group: str) -> list[Requirement]:
    project = tomllib.loads((root / "pyproject.toml").read_text())
    words = project["project"]["dependencies"] if group == "run" else project["dependency-groups"][group]
    return [Requirement(word) for word in words]


def _lines(root: Path, group: str) -> list[str]:
    return (root / "requirements" / LOCKS[group]).read_text().splitlines()


def _locked(root: Path, group: str) -> dict[str, list[Requirement]]:
    lines = [line.removesuffix(" \\") for line in _lines(root, group) if not line.startswith(" ")]
    pins: dict[str, list[Requirement]] = {}
    for pin in (Requirement(line) for line in lines if line and not line.startswith("#")):
        pins.setdefault(canonicalize_name(pin.name), []).append(pin)
    return pins


@pytest.mark.parametrize("group", LOCKS)
def test_every_dependency_is_locked_within_its_bounds(root: Path, group: str) -> None:
    locked = _locked(root, group)
    for asked in _asked(root, group):
        pins = locked[canonicalize_name(asked.name)]
        for pin in pins:
            (version,) = pin.specifier
            assert version.operator == "=="
            assert asked.specifier.contains(version.version), f"{pin} against {asked}"


def test_every_dependency_of_a_run_has_a_lower_and_an_upper_bound(root: Path) -> None:
    for asked in _asked(root, "run"):
        operators = {bound.operator for bound in asked.specifier}
        assert operators == {">=", "<"}, asked


def test_no_two_locks_disagree(root: Path) -> None:
    seen: dict[tuple[str, str], str] = {}
    for group in LOCKS:
        for name, pins in _locked(root, group).items():
            for pin in pins:
                key = (name, str(pin.marker))
                assert seen.setdefault(key, str(pin.specifier)) == str(pin.specifier), f"{name} in {group}"


@pytest.mark.parametrize("group", LOCKS)
def test_every_lock_names_the_hashes_of_its_files(root: Path, group: str) -> None:
    lines = [line for line in _lines(root, group) if line and not line.startswith("#")]
    for before, line in pairwise([*lines, ""]):
        assert before.endswith(" \\") == line.startswith(" "), before
        assert before.startswith(" ") or before.endswith(" \\"), f"{before} has no hash"
    hashes = [line.strip().removesuffix(" \\") for line in lines if line.startswith(" ")]
    assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes)


def test_set_up_installs_nothing_without_its_hash(root: Path) -> None:
    text = (root / "packaging/setup.sh").read_text()
    assert text.count('-r "$wanted"') == text.count("--require-hashes") == 2


def test_actions_are_pinned_by_commit(root: Path) -> None:
    used = re.findall(r"uses: (\S+)(.*)", (root / ".github/workflows/ci.yml").read_text())
    assert used
    for action, comment in used:
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}", action), action
        assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), f"{action} has no version beside it"
