"""A fio that is a shell script: it answers as fio does, without storage or time, and notes its calls."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

DOCUMENT = Path(__file__).parents[1] / "data/fio/randrw-3.33.json"

SCRIPT = """#!/bin/sh
[ "$1" != --version ] || {{ echo {version}; exit 0; }}
echo "$*" >>'{calls}'
case "$*" in
{cases}
esac
cat '{document}'
"""


class FakeFio:
    """In a folder of its own at the front of PATH. `cases`: lines of a shell's `case` over all words of a call."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.calls_file = folder / "bin", folder / "calls"
        self.folder.mkdir()
        self.document = folder / "document.json"
        self.document.write_text(DOCUMENT.read_text())
        monkeypatch.setenv("PATH", f"{self.folder}:/usr/bin:/bin")
        self.put()

    def put(self, version: str = "fio-3.33", cases: Sequence[str] = ()) -> None:
        program = self.folder / "fio"
        words = {"version": version, "calls": self.calls_file, "document": self.document, "cases": "\n".join(cases)}
        program.write_text(SCRIPT.format(**words))
        program.chmod(0o755)

    def only(self, **sides: int) -> None:
        """The document, with these operations of each side; 0 leaves it out."""
        raw = json.loads(DOCUMENT.read_text())
        for name, operations in sides.items():
            raw["jobs"][0][name]["total_ios"] = operations
        self.document.write_text(json.dumps(raw, indent=2))

    @property
    def calls(self) -> list[str]:
        return self.calls_file.read_text().splitlines() if self.calls_file.exists() else []
