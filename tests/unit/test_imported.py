"""Tests and benchmarks take only names that exist; mypy does not read them."""

from pathlib import Path

import pytest

from imported import missing_names


def test_every_imported_name_exists(root: Path) -> None:
    assert missing_names(root) == []


def _project(folder: Path, text: str) -> Path:
    """Return a project whose module `wide.units` has the names GIB and KIB, with one test of this text."""
    (folder / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["tests/unit"]\n')
    for path, content in {
        "src/wide/__init__.py": "",
        "src/wide/units.py": "if True:\n    GIB, KIB = 2**30, 2**10\n\ndef size():\n    LOCAL = 1\n",
        "tests/unit/made.py": "class Maker:\n    part = 1\n",
        "tests/vm/test_made.py": text,
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(content)
    return folder


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("from wide.units import GIB, LONGEST", "wide.units has no name LONGEST"),
        ("def test():\n    from wide.units import LOCAL", "wide.units has no name LOCAL"),
        ("from wide.unit import GIB", "wide.unit has no name GIB"),
        ("import wide.unit", "wide has no name unit"),
        ("from wide import units\nunits.LONGEST", "wide.units has no name LONGEST"),
        ("import wide.units as u\nu.LONGEST", "wide.units has no name LONGEST"),
        ("import wide\nwide.LONGEST", "wide has no name LONGEST"),
        ("from wide import units\nmonkeypatch.setattr(units, 'LONGEST', 3)", "wide.units has no name LONGEST"),
        ("monkeypatch.setattr('wide.units.LONGEST', 3)", "wide.units has no name LONGEST"),
        ("from made import part", "made has no name part"),
    ],
)
def test_a_missing_name_is_found(tmp_path: Path, text: str, fault: str) -> None:
    line = text.count("\n") + 1
    assert missing_names(_project(tmp_path, text)) == [f"tests/vm/test_made.py:{line}: {fault}"]


@pytest.mark.parametrize(
    "text",
    [
        "from wide.units import GIB as SIZE, size",
        "from wide import units\nunits.KIB, units.__name__",
        "import wide.units\nwide.units.GIB",
        "from made import Maker\nMaker.part",
        "monkeypatch.setattr('wide.units.size.part', 3)",
        "from wide import units\ndef test(units): units.anything",
        "from wide import units\nmonkeypatch.setattr(units, 'LONGEST', 3, raising=False)",
        "from pathlib import NoSuchName",
        "from wide.units import LONGEST  # imported: as is",
    ],
)
def test_other_names_are_left_alone(tmp_path: Path, text: str) -> None:
    assert missing_names(_project(tmp_path, text)) == []
