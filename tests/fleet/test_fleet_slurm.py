"""A real Slurm on this machine: 64 nodes. Five of them lose power during the run."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fleet_plan import PLAN
from slurm_cluster import Cluster, lacking

from tierscope.fleet.engines import Answer, Job
from tierscope.fleet.engines import slurm as engine
from tierscope.fleet.payload import payload_of
from tierscope.fleet.plan import read_plan
from tierscope.fleet.session import Session, sessions
from tierscope.record.result import load as load_run

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")]
NODES, KILLED = 64, 5


def start(words: list[str], cluster: Cluster) -> subprocess.Popen[str]:
    environment = {**os.environ, **cluster.environment, "TIERSCOPE_FLEET_SHARED": "1"}
    command = [str(Path(sys.executable).with_name("tierscope")), "fleet", *words]
    return subprocess.Popen(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def kill_five(cluster: Cluster) -> list[str]:
    """End five nodes as soon as this number of nodes measures; return their names."""
    for _ in range(2000):
        if len(cluster.tasks()) >= KILLED:
            return cluster.kill(KILLED)
        time.sleep(0.02)
    raise AssertionError("no task began")


def test_five_of_64_nodes_die_and_resume_completes_them(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(PLAN)
    fleet = tmp_path / "fleet"
    with Cluster(tmp_path / "slurm", NODES) as cluster:
        words = [
            "run",
            str(tmp_path / "small.toml"),
            "--via",
            "slurm",
            "--out",
            str(fleet),
            "--together",
            "--limit",
            "300",
        ]
        run = start(words, cluster)
        gone = kill_five(cluster)
        said, _ = run.communicate(timeout=240)
        state = stored(fleet)
        assert set(state.missing) == set(gone), said
        assert len(state.answered) == NODES - KILLED
        assert run.returncode == 4
        assert all(f"  {one}: no answer; Slurm lists the node as" in said for one in gone)
        for one in gone:
            cluster.start(one)
        wait_for_idle(cluster)
        again = start(["resume", str(fleet)], cluster)
        said, _ = again.communicate(timeout=240)
    assert again.returncode == 0, said
    assert "64 of 64 hosts answered" in said
    assert len(list(fleet.glob("reports/*/*.json"))) == NODES
    assert len(set(stored(fleet).answered.values())) == NODES


def stored(fleet: Path) -> Session:
    return sessions(fleet)[-1]


def wait_for_idle(cluster: Cluster) -> None:
    """Slurm drains a node by itself whose task it could not end, and may wait for minutes until it asks it again."""
    for second in range(300):
        if (states := cluster.states()).split() == ["idle"] * NODES:
            return
        if second % 10 == 9:
            cluster.resume(completing=second > 60)
        time.sleep(1)
    raise AssertionError(states)


def test_a_drained_node_is_listed_and_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "small.toml").write_text(PLAN)
    fleet = tmp_path / "fleet"
    with Cluster(tmp_path / "slurm", 2) as cluster:
        cluster.drain("n002", "bad DIMM")
        run = start(["run", str(tmp_path / "small.toml"), "--via", "slurm", "--out", str(fleet)], cluster)
        said, _ = run.communicate(timeout=120)
    assert run.returncode == 4
    assert "  n002: Slurm lists the node as drained: bad DIMM" in said
    assert list(stored(fleet).answered) == ["n001"]


def test_a_suite_runs_on_nodes_that_are_reserved_and_released(tmp_path: Path) -> None:
    fleet = tmp_path / "fleet"
    words = ["run", "latency", "from=16KiB", "to=16KiB", "--at-once", "1", "--via", "slurm", "--out", str(fleet)]
    with Cluster(tmp_path / "slurm", 2) as cluster:
        run = start([*words, "--limit", "200"], cluster)
        said, errors = run.communicate(timeout=500)
        assert run.returncode == 0, said + errors
        for _ in range(100):
            if (states := cluster.states().split()) == ["idle"] * 2:
                break
            time.sleep(0.3)
        assert states == ["idle"] * 2
    assert set(stored(fleet).answered) == {"n001", "n002"}
    runs = sorted((fleet / "sessions").glob("*/runs/*/result.json"))
    assert [load_run(path).result.machine.reached for path in runs] == ["slurm:n001", "slurm:n002"]


def test_a_node_with_another_job_does_not_stop_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One srun gets all of its nodes or none, also where sinfo showed as idle what another job has by then."""
    for name in ("seen", "late"):
        (tmp_path / name / "session").mkdir(parents=True)
    monkeypatch.setattr(engine, "START_S", 6.0)
    monkeypatch.setenv("TIERSCOPE_FLEET_SHARED", "1")
    with Cluster(tmp_path / "slurm", 3) as cluster:
        for name, value in cluster.environment.items():
            monkeypatch.setenv(name, value)
        other = subprocess.Popen(["srun", "--nodelist=n002", "--exclusive", "sleep", "300"], stderr=subprocess.DEVNULL)
        try:
            for _ in range(300):
                if cluster.states().split() == ["idle", "allocated", "idle"]:
                    break
                time.sleep(0.1)
            seen = answers(tmp_path / "seen", cluster.names)
            monkeypatch.setattr(engine, "_sorted_out", lambda hosts, _done, *, wait: ([*hosts], []))
            late = answers(tmp_path / "late", cluster.names)
        finally:
            other.terminate()
            other.wait(60)
    for found in (seen, late):
        assert {name for name, answer in found.items() if isinstance(answer, bytes)} == {"n001", "n003"}, found
        assert "no answer; Slurm lists the node as allocated" in str(found["n002"])


def answers(folder: Path, names: list[str]) -> dict[str, Answer]:
    (folder / "small.toml").write_text(PLAN)
    job = Job(payload_of(read_plan(str(folder / "small.toml"))), folder / "session")
    found: dict[str, Answer] = {}
    engine.Slurm().measure(job, names, found.__setitem__)
    return found
