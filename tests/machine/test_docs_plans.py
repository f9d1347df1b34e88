"""Every plan of the documents is run by `tierscope-core`, made small: 4 MiB of 4 KiB pages and a moment of time."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from tierscope import core
from tierscope.cli.main import main
from tierscope.record.result import load
from tierscope.tables import tables

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
SMALL = {"footprint": "4MiB", "pages": "4k", "seconds": "0.02"}
WALK = ("streams", "unroll", "interleave", "prefetch", "prefetchw")


def examples() -> list[object]:
    """(page and number, text) of each block that is called a plan."""
    found: list[object] = []
    for page in sorted((ROOT / "docs").rglob("*.md")):
        plans = re.findall(r"^```plan\n(.*?)^```$", page.read_text(), re.MULTILINE | re.DOTALL)
        found += [pytest.param(plan, id=f"{page.name}-{number}") for number, plan in enumerate(plans)]
    return found


def small(plan: str, folder: Path) -> str:
    """The plan on CPUs that are there, with small values for its own; without the walk where there are no vectors."""
    cpus = [cpu["number"] for cpu in core.topology()["cpus"] if cpu["allowed"]]
    vectors = any(kernel.available and kernel.rank > 0 for kernel in core.catalogue().kernels)
    lines, group = [], 0
    for line in plan.splitlines():
        command, *words = line.partition("#")[0].split() or ["#"]
        pairs = dict(word.split("=", 1) for word in words)
        group = 0 if command == "prepare" else group
        if command == "group":
            if group >= len(cpus):
                pytest.skip(f"{len(cpus)} CPUs are too few for this plan")
            pairs["cpus"], group = str(cpus[group]), group + 1
        pairs |= {key: SMALL[key] for key in pairs.keys() & SMALL.keys()}
        if pairs.get("target", "").startswith("file:"):
            pairs["target"] = f"file:{folder}/bytes"
        kept = {key: word for key, word in pairs.items() if vectors or key not in WALK}
        lines.append(" ".join([command, *(f"{key}={word}" for key, word in kept.items())]))
    return "\n".join(lines) + "\n"


def run(plan: str, folder: Path) -> tuple[int, list[dict[str, object]]]:
    """Status and facts; the samples and the facts are in the folder as the pages call them."""
    command: list[str | Path] = [core.find_core(), "run", "-", "--samples", str(folder / "plan.npy")]
    done = subprocess.run(command, input=plan, capture_output=True, text=True, check=False)
    (folder / "plan.jsonl").write_text(done.stdout)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_there_are_plans() -> None:
    assert len(examples()) >= 5


@pytest.mark.parametrize("plan", examples())
def test_every_plan_runs_and_leaves_right_bytes(plan: str, tmp_path: Path) -> None:
    status, facts = run(small(plan, tmp_path), tmp_path)
    assert status == 0, facts[-1]
    errors = [fact["largest_relative_error"] for fact in facts if fact["fact"] == "checked"]
    assert errors
    assert all(error is not None and error <= 1e-15 for group in errors for error in group)  # type: ignore[attr-defined]


def test_a_plan_with_a_wrong_word_does_not_pass(tmp_path: Path) -> None:
    status, facts = run(small("group kernel=triad cpus=0 footprint=1GiB streamz=4\n", tmp_path), tmp_path)
    assert status == 2
    assert "streamz" in str(facts[-1]["message"])


def test_the_output_of_a_bare_server_becomes_a_run(tmp_path: Path) -> None:
    plan = small("group kernel=chase cpus=0 footprint=4MiB\nprepare\nmeasure seconds=0.1\nset group=0 pace=50\n"
                 "measure seconds=0.1\ncheck\n", tmp_path).replace("0.02", "0.1")  # fmt: skip
    status, _ = run(plan, tmp_path)
    assert status == 0
    output = tmp_path / "plan.jsonl"
    output.with_suffix(".txt").write_text(plan)
    topology = subprocess.run([core.find_core(), "topology"], capture_output=True, check=True).stdout
    output.write_bytes(topology + output.read_bytes())
    assert main(["import", str(output), "--out", str(tmp_path / "run")]) == 0
    found = load(tmp_path / "run")
    assert found.result.machine.identity.cpus
    rows = tables["groups"].rows(found)
    assert [row.kernel for row in rows] == ["chase", "chase"]
    assert all(found.blocks(record).size for record in found.result.records)
