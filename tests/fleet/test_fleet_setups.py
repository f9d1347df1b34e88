"""The set-ups of examples/fleet: what each does with a check that is good, slow, not known or not installed.

The check itself is a stand-in here, since its verdict depends on the machine (tests/unit/test_fleet_check.py). Slurm
is real. NHC is a shell that loads the file as NHC does. The rules for files of the node-problem-detector are tested.
"""

import json
import re
import subprocess
import time
from pathlib import Path

import pytest
from slurm_cluster import Cluster, lacking

EXAMPLES = Path(__file__).resolve().parents[2] / "examples/fleet"
LINE = "memory slow: latency.memory 30 % slower than before on this host"
NHC = """
die() {{ echo "die $*"; CHECK_DIED=1; }}
log() {{ echo "log $*"; }}
. {file}
export TIERSCOPE={program}
check_tierscope 5s; echo "returned $?"
"""


def stand_in(folder: Path, status: int, line: str = LINE) -> Path:
    path = folder / "tierscope"
    path.write_text(f'#!/bin/sh\n[ "$*" = \'fleet check --budget 5s\' ] || exit 2\necho "{line}"\nexit {status}\n')
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (0, "returned 0"),
        (1, f"die 1 check_tierscope: {LINE}\nreturned 1"),
        (4, f"log check_tierscope: status 4: {LINE}"),
    ],
)
def test_nhc_takes_a_node_out_for_status_1_alone(status: int, said: str, tmp_path: Path) -> None:
    assert nhc(stand_in(tmp_path, status)).startswith(said)


def test_nhc_logs_a_program_that_is_missing(tmp_path: Path) -> None:
    assert "log check_tierscope: status 127" in nhc(tmp_path / "nowhere")


def test_nhc_is_given_no_quote_that_its_eval_would_read(tmp_path: Path) -> None:
    said = nhc(stand_in(tmp_path, 1, line="a'b\\`c"))
    assert said.startswith("die 1 check_tierscope: abc\n")


def nhc(program: Path) -> str:
    script = NHC.format(file=EXAMPLES / "nhc-tierscope.nhc", program=program)
    return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout


def test_the_node_problem_detector_accepts_its_file() -> None:
    """By its source: a rule's time is at most the global one, its path absolute, and its condition has a default."""
    found = json.loads((EXAMPLES / "node-problem-detector.json").read_text())
    limit = seconds(found["pluginConfig"]["timeout"])
    for rule in found["rules"]:
        assert seconds(rule["timeout"]) <= limit
        assert rule["path"].startswith("/")
        assert rule["condition"] in {one["type"] for one in found["conditions"]}
        assert seconds(rule["args"][rule["args"].index("--budget") + 1]) < seconds(rule["timeout"])


def seconds(text: str) -> int:
    found = re.fullmatch(r"([0-9]+)s", text)
    assert found
    return int(found[1])


@pytest.mark.slow
@pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")
@pytest.mark.parametrize(("status", "state"), [(1, "drained"), (4, "idle")])
def test_slurm_drains_a_node_for_status_1_alone(status: int, state: str, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = tmp_path / "health.sh"
    conf = tmp_path / "slurm/slurm.conf"
    program.write_text(
        f"#!/bin/sh\nexport SLURM_CONF={conf} TIERSCOPE={stand_in(tmp_path, status)}\n"
        f"sh {EXAMPLES}/slurm-health-check.sh\necho $? >>{ran}\n"
    )
    program.chmod(0o755)
    more = f"HealthCheckProgram={program}\nHealthCheckInterval=2\nHealthCheckNodeState=ANY\n"
    with Cluster(tmp_path / "slurm", 1, more) as cluster:
        for _ in range(300):
            if ran.exists() and len(ran.read_text().split()) > 1 and cluster.states().strip() == state:
                break
            time.sleep(0.2)
        assert ran.exists(), "Slurm did not run the program"
        assert cluster.states().strip() == state
        assert cluster.reason("n001") == (LINE if status == 1 else "none")
