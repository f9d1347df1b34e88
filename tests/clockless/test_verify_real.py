"""Numbered blocks under simulated power failures: a correct writer loses nothing, lost flushes are found."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from shell import Shell
from tierscope.crash.writer import find_library
from tierscope.errors import MachineError

WRITER = """
import sys
from pathlib import Path
from tierscope.numbered.writer import write
write(Path(sys.argv[1]), 32768, 4096, 2, 1, "map", lambda line: print(line, end="", flush=True))
"""
CHECK = """
import sys
from pathlib import Path
from tierscope.numbered.ledger import read_ledger
from tierscope.numbered.verdict import judge
text = Path(sys.argv[2]).read_text()
with open(sys.argv[1], "rb") as file:
    faults = [one for one in judge(file, read_ledger(text))] if text else []
wrong = [f"{one.offset} {one.kind}" for one in faults if one.fault]
sys.exit(", ".join(wrong) if wrong else 0)
"""


@pytest.fixture(scope="module", autouse=True)
def library() -> None:
    try:
        find_library()
    except MachineError as error:
        pytest.skip(str(error))


def hunted(tmp_path: Path, *more: str) -> tuple[int, dict[str, Any]]:
    shell = Shell(tmp_path)
    (tmp_path / "writer.py").write_text(WRITER)
    (tmp_path / "check.py").write_text(CHECK)
    check = f"{sys.executable} check.py {{image}} {{log}}"
    status, out, err = shell(
        "crash", "--points", "8", *more, "--json", "file", "--check", check, "--", sys.executable, "writer.py", "{file}"
    )
    assert err == ""
    return status, json.loads(out)


def test_a_power_failure_takes_no_acknowledged_block_of_a_correct_writer(tmp_path: Path) -> None:
    status, found = hunted(tmp_path)
    assert status == 0
    assert [point["verdict"] for point in found["points"]] == ["passed"] * 8


def test_blocks_whose_flush_was_lost_are_named_by_offset(tmp_path: Path) -> None:
    status, found = hunted(tmp_path, "--drop-flush", "5")
    wrong = [point["detail"] for point in found["points"] if point["verdict"] == "wrong"]
    assert status == 1
    assert wrong
    kinds = {word.split()[1] for detail in wrong for word in detail.split(": ", 1)[1].split(", ")}
    assert kinds <= {"torn", "stale", "missing"}
    offsets = {int(word.split()[0]) for detail in wrong for word in detail.split(": ", 1)[1].split(", ")}
    assert offsets <= set(range(0, 32768, 4096))
