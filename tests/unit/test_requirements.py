"""The locked versions lie within the bounds of pyproject.toml, and every dependency has both bounds and a lock."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

LOCKS = {"run": "run.txt", "build": "build.txt", "test": "test.txt"}


def _asked(root: Path, group: str) -> list[Requirement]:
    project = tomllib.loads((root / "pyproject.toml").read_text())
    words = project["project"]["dependencies"] if group == "run" else project["dependency-groups"][group]
    return [Requirement(word) for word in words]


def _locked(root: Path, group: str) -> dict[str, list[Requirement]]:
    lines = (root / "requirements" / LOCKS[group]).read_text().splitlines()
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
