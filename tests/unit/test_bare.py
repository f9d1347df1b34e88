"""The output of the core alone becomes a run with samples and intervals; files that do not match are refused."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from fake_core import made_catalogue, made_topology
from made import made_facts
from tierscope import core
from tierscope.cli.main import main
from tierscope.errors import TierscopeError, UsageError, WrongAnswerError
from tierscope.imports.store import Given
from tierscope.record.experiment import Group, Target, Team, Workload
from tierscope.record.result import BLOCK, load, load_manifest
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.run import planned
from tierscope.run.bare import Files, files_of, read_run
from tierscope.run.bare_steps import is_of_the_core, read_output, steps_of
from tierscope.suites.groups.experiments import read_groups
from tierscope.tables import tables
from tierscope.units import MiB

HZ = 2e9
CLOCK = {"source": "tsc", "hz": HZ, "resolution_s": 1e-9, "read_cost_s": 2e-8}
HELLO = {"fact": "hello", "version": "0.1.0", "compiler": "GNU 12.2.0", "clock": CLOCK}
HEADER = {"hostname": "bare-1", "kernel": "6.1.0-9-amd64", "started": "2026-11-20T12:00:00Z"}
PLAN = """# a chase beside a reader that pauses
group kernel=chase target=node:0 cpus=0 footprint=64MiB
group kernel=read target=node:0 cpus=1 footprint=128MiB streams=4  # many
prepare
measure seconds=0.2
set group=1 pace=2000

measure seconds=0.2 block=1ms
measure seconds=0.2 groups=1
check
"""
RATES = ((1e7, 2e8), (1.25e7, 5e7), (None, 1e8))  # operations/s of the groups in each step
ROWS = 200


def facts_of(kernel: str, cpu: int, size: int) -> dict[str, Any]:
    work = HopWork() if kernel == "chase" else LineWork()
    group = Group(
        workload=Workload(kernel=kernel, footprint_bytes=size, work=work), target=Target(), team=Team(cpus=(cpu,))
    )
    built: dict[str, Any] = msgspec.to_builtins(made_facts(group))
    return built


CHASE, READ = facts_of("chase", 0, 64 * MiB), facts_of("read", 1, 128 * MiB)


def blocks() -> np.ndarray:
    """The blocks of each step: ROWS of 1 ms for each of its groups, at the same moments."""
    parts = []
    for step, rates in enumerate(RATES):
        for group, rate in enumerate(rates):
            if rate is None:
                continue
            part = np.zeros(ROWS, dtype=BLOCK)
            part["group"], part["cpu"], part["batch"] = group, group, step
            part["start_ticks"] = (1 + step) * 10**12 + np.arange(ROWS) * 2_000_000
            part["stop_ticks"] = part["start_ticks"] + 2_000_000
            part["operations"] = round(rate * 1e-3)
            parts.append(part)
    return np.concatenate(parts)


def facts() -> list[dict[str, Any]]:
    return [
        {"fact": "prepared", "groups": [CHASE, READ], "clock": CLOCK},
        {"fact": "measured", "batch": 0, "first": 0, "rows": 2 * ROWS},
        {"fact": "set", "group": READ},
        {"fact": "measured", "batch": 1, "first": 2 * ROWS, "rows": 2 * ROWS},
        {"fact": "measured", "batch": 2, "first": 4 * ROWS, "rows": ROWS},
        {"fact": "checked", "largest_relative_error": [0, 2e-16], "details": ["", ""], "counters": {}},
    ]


def text(*lines: dict[str, Any]) -> bytes:
    return b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Plan, output and samples, copied from a server without changes."""
    path = tmp_path / "plan.jsonl"
    path.write_bytes(text(HEADER, made_topology(), HELLO, *facts()))
    path.with_suffix(".txt").write_text(PLAN)
    np.save(path.with_suffix(".npy"), blocks())
    return path


def test_each_measure_becomes_a_record(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "catalogue", made_catalogue)
    assert main(["import", str(files), "--out", str(tmp_path / "run"), "peak=100GB/s"]) == 0
    run = load(tmp_path / "run")
    machine = run.result.machine
    assert (machine.hostname, machine.identity.kernel) == ("bare-1", "6.1.0-9-amd64")
    assert machine.identity.cpus
    assert machine.state == {}
    assert machine.peak_bytes_per_s == 100e9
    assert run.result.started == "2026-11-20T12:00:00+00:00"
    assert run.result.software.core == "0.1.0"
    assert [len(record.groups) for record in run.result.records] == [2, 2, 1]
    assert [record.largest_relative_error for record in run.result.records] == [2e-16] * 3
    rows = tables["groups"].rows(run)
    assert [row.kernel for row in rows] == ["chase", "read", "chase", "read", "read"]
    assert rows[0].latency.middle == pytest.approx(100e-9)
    assert rows[2].latency.middle == pytest.approx(80e-9)
    reads = [row.operations_per_s for row in rows if row.kernel == "read"]
    assert reads == pytest.approx([2e8, 5e7, 1e8])
    assert all(row.conclusive for row in rows)
    assert [warn.code for warn in run.result.warnings] == ["bare"]
    assert "bare-1" in (tmp_path / "run/report.html").read_text()


def test_the_run_can_be_repeated_with_stop_rules(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "catalogue", made_catalogue)
    main(["import", str(files), "--out", str(tmp_path / "run")])
    manifest = load_manifest(tmp_path / "run")
    planned.options_again(manifest)
    experiments = read_groups(manifest.plan, made_catalogue().tasks()).experiments
    stored = [record.experiment.groups for record in load(tmp_path / "run").result.records]
    assert [one.groups for one in experiments] == stored
    assert [one.labels["label"] for one in experiments] == ["step 0", "step 1, pace 2000", "step 2, pace 2000"]
    assert experiments[1].groups[1].workload.pace_cycles == 2000


def test_an_output_without_a_topology_has_an_unknown_machine(files: Path) -> None:
    files.write_bytes(text(HELLO, *facts()))
    manifest, _ = read_run(files_of(files, files.read_bytes(), None, None), (), Given({}, None, ""))
    assert (manifest.machine.hostname, manifest.machine.identity.model) == ("unknown", "unknown")


def test_groups_that_are_left_are_measured_at_the_end() -> None:
    (step,) = steps_of("group kernel=read cpus=1 footprint=128MiB", [
        {"fact": "prepared", "groups": [READ], "clock": CLOCK},
        {"fact": "measured", "batch": 0, "first": 0, "rows": 7},
        {"fact": "checked", "largest_relative_error": [0], "details": [""], "counters": {}},
    ])  # fmt: skip
    assert (step.seconds, step.block_s, step.rows) == (1.0, 1e-3, 7)


def changed(change: Callable[[list[dict[str, Any]]], object]) -> list[dict[str, Any]]:
    found = json.loads(json.dumps(facts()))
    change(found)
    return list(found)


@pytest.mark.parametrize(
    ("plan", "lines", "kind", "why"),
    [
        (PLAN, facts()[:3], UsageError, "the output ends here"),
        (PLAN, facts()[:-1], UsageError, "the output ends here"),
        (PLAN, [*facts(), {"fact": "dropped"}], UsageError, "the output continues with 'dropped' after the end"),
        (PLAN.replace("check\n", ""), facts()[:-1], UsageError, "were not checked; add a line `check`"),
        (
            PLAN.replace("check\n", "drop\n"),
            [*facts()[:-1], {"fact": "dropped"}],
            UsageError,
            "were not checked before",
        ),
        (PLAN.replace("kernel=read", "kernel=write"), facts(), UsageError, "the plan has kernel write"),
        (PLAN.replace("group kernel=chase", "# "), facts(), UsageError, "has 2 groups here, the plan 1"),
        (PLAN + "count events=cycles\n", facts(), UsageError, "counters are not imported"),
        (PLAN + "go\n", facts(), UsageError, "no command of a plan"),
        (PLAN.replace("set group=1", "set group=7"), facts(), UsageError, "a number of a group is wrong"),
        (PLAN.replace("groups=1", "groups=x"), facts(), UsageError, "a number of a group is wrong"),
        (PLAN, changed(lambda f: f[1].pop("first")), UsageError, "gave an answer that this tierscope"),
        (PLAN, changed(lambda f: f[0].update(groups=7)), UsageError, "gave an answer that this tierscope"),
        (PLAN, changed(lambda f: f[-1].update(largest_relative_error=[0, None])), WrongAnswerError, "a wrong answer"),
        (PLAN, changed(lambda f: f[-1].update(largest_relative_error=[0, 0.5])), WrongAnswerError, "a wrong answer"),
    ],
)
def test_files_that_do_not_match_are_refused(
    plan: str, lines: list[dict[str, Any]], kind: type[TierscopeError], why: str
) -> None:
    with pytest.raises(kind) as caught:
        steps_of(plan, lines)
    assert why in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (text(HELLO) + b"{", "line 2 is not a JSON object"),
        (text(HELLO) + b"7\n", "line 2 is not a JSON object"),
        (text(HEADER), "no line is the greeting of the core"),
        (text(HELLO, {"fact": "error", "kind": "BadPlan", "message": "no key"}), "failed at line 2 of the output: no"),
    ],
)
def test_output_that_is_not_whole_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_output(content)


def saved(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"", "is not the samples of tierscope-core"),
        (b"\x93NUMPY", "is not the samples of tierscope-core"),
        (saved(np.zeros(3)), "of this version"),
        (saved(blocks()[:50]), "has 50 blocks, and the output names 0 to 400"),
    ],
)
def test_samples_of_another_kind_are_refused(files: Path, raw: bytes, why: str) -> None:
    files.with_suffix(".npy").write_bytes(raw)
    with pytest.raises(UsageError, match=why):
        read_run(files_of(files, files.read_bytes(), None, None), (), Given({}, None, ""))


def test_blocks_of_a_group_that_did_not_run_are_refused(files: Path) -> None:
    wrong = blocks()
    wrong["group"][-1] = 0
    found = files_of(files, files.read_bytes(), None, None)
    with pytest.raises(UsageError, match="has blocks of groups that the plan does not measure there"):
        read_run(Files(found.output, found.plan, ("x.npy", wrong), 0.0), (), Given({}, None, ""))


@pytest.mark.parametrize("suffix", [".txt", ".npy"])
def test_a_missing_file_is_named(files: Path, suffix: str, capfd: pytest.CaptureFixture[str]) -> None:
    files.with_suffix(suffix).unlink()
    assert main(["import", str(files), "--out", str(files.parent / "run")]) == 2
    said = capfd.readouterr().err
    assert f"plan{suffix}: No such file or directory; name it with samples=FILE and plan=FILE" in said
    assert not (files.parent / "run").exists()


def test_files_may_have_any_names(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "catalogue", made_catalogue)
    plan, samples = files.with_suffix(".txt").rename(tmp_path / "a"), files.with_suffix(".npy").rename(tmp_path / "b")
    words = [f"plan={plan}", f"samples={samples}"]
    assert main(["import", str(files), *words, "--out", str(tmp_path / "run")]) == 0
    assert main(["import", str(files), *words, "cache=1MiB", "--out", str(tmp_path / "other")]) == 2


def test_output_of_the_core_is_recognized() -> None:
    assert is_of_the_core(text(HEADER, HELLO))
    assert not is_of_the_core(b'STREAM version $Revision: 5.10 $\n{"fact":"measured"}')
