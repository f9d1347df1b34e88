"""The canary asks for the smallest pages that a host has, and its metrics are named after them."""

import os
import re
import subprocess
from pathlib import Path

import pytest

import tierscope.fleet.payload
from tierscope.fleet.canary import canary
from tierscope.fleet.plan import metric_of

HOST = Path(tierscope.fleet.payload.__file__).with_name("host.sh")


def planned(folder: Path, page_bytes: int | None) -> list[str]:
    """The lines that a host with pages of this size gives its core; None: the size is not reported."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "getconf").write_text("#!/bin/sh\n" + (f"echo {page_bytes}\n" if page_bytes else "exit 1\n"))
    core = folder / "tierscope-core"
    core.write_text("#!/bin/sh\nexit 0\n")
    for tool in (tools / "getconf", core):
        tool.chmod(0o755)
    (folder / "plan").write_text(canary().text)
    words = ["sh", str(HOST), str(folder), "5"]
    paths = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}", "TMPDIR": str(folder)}
    done = subprocess.run(words, env=paths, capture_output=True, text=True, errors="replace", check=True)
    (plan,) = re.findall(r"^part plan \d+\n(.*?)^part ", done.stdout, re.MULTILINE | re.DOTALL)
    return [line for line in plan.splitlines() if line]


@pytest.mark.parametrize(("page_bytes", "word"), [(4096, "4k"), (16384, "16k"), (65536, "64k"), (None, "4k")])
def test_the_smallest_pages_are_those_of_the_host(tmp_path: Path, page_bytes: int | None, word: str) -> None:
    lines = planned(tmp_path, page_bytes)
    assert not any("@" in line for line in lines)
    assert {re.findall(r"pages=(\S+)", line)[0] for line in lines if "pages=" in line} == {word, "thp"}
    metrics = {metric_of(line) for line in lines if line.startswith("measure")}
    assert {
        f"latency.l1.{word}",
        f"latency.memory.{word}",
        f"bandwidth.read.all.{word}",
        "latency.memory.thp",
    } < metrics
    assert len(metrics) == 22
