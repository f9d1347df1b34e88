"""The prose of each suite on its made run, as in `tests/data/prose/SUITE.txt`; run this file to write it again.

.venv/bin/python tests/unit/prose_of_suites.py [SUITE ...]
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from made_suites import MADE
from tierscope.record.result import Run
from tierscope.report.content import gather
from tierscope.report.top.top import top

FOLDER = Path(__file__).resolve().parents[1] / "data" / "prose"
COMMAND = ".venv/bin/python tests/unit/prose_of_suites.py"


def prose(run: Run) -> str:
    """Return the headline of a run and one line for each insight: table, name and text."""
    content = gather(run)
    said = [
        f"{section.name}, {one.name}: {one.text}" for section in content.sections.values() for one in section.insights
    ]
    return "\n".join([f"headline: {top(content).lead}", *said, ""])


def main(names: list[str]) -> None:
    """Write the files of these suites; without names, of all. As in the tests, no loop variant is kept."""
    os.environ["XDG_CACHE_HOME"] = os.devnull
    FOLDER.mkdir(exist_ok=True)
    for name in names or sorted(MADE):
        with TemporaryDirectory() as folder:
            (FOLDER / f"{name}.txt").write_text(prose(MADE[name](Path(folder))), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
