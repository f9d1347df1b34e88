"""A fleet over real ssh servers on loopback addresses, with hosts that hang, refuse, answer garbage or are full."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import namespaces
import pytest
from fleet_plan import PLAN
from ssh_hosts import CUT, FULL, GARBAGE, STRANGER, Hosts, lacking

from tierscope.fleet.host_report import HostReport
from tierscope.fleet.session import Session, sessions
from tierscope.record.result import load as load_run

pytestmark = pytest.mark.skipif(bool(lacking()), reason=lacking() or "-")


def run(words: list[str], hosts: Hosts) -> subprocess.CompletedProcess[str]:
    command = [str(Path(sys.executable).with_name("tierscope")), "fleet", *words]
    return subprocess.run(command, env=hosts.environment, text=True, capture_output=True, check=False, timeout=400)


def stored(fleet: Path) -> Session:
    return sessions(fleet)[-1]


@pytest.fixture
def full(tmp_path: Path) -> Iterator[Path]:
    """Yield a folder on a full disk of 1 MiB."""
    folder = tmp_path / "full"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)], check=False, capture_output=True
    )
    if mounted.returncode:
        pytest.skip("a full disk needs mount(8): run this test as root")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def measured(tmp_path: Path, hosts: Hosts, names: list[str], *more: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "small.toml").write_text(PLAN)
    (tmp_path / "hosts.txt").write_text("\n".join(names))
    plan, fleet = str(tmp_path / "small.toml"), str(tmp_path / "fleet")
    return run(["run", plan, "--via", "ssh", "--hosts", str(tmp_path / "hosts.txt"), "--out", fleet, *more], hosts)


def test_three_hosts_answer_and_the_refused_one_is_named(tmp_path: Path) -> None:
    with Hosts(tmp_path, 3, {}) as hosts:
        done = measured(tmp_path, hosts, [*hosts.names, "refused"])
        assert done.returncode == 4, done.stderr
        assert "3 of 4 hosts answered, 1 did not" in done.stdout
        assert "  refused: ssh:refused: ssh cannot connect: " in done.stdout
        assert "Connection refused" in done.stdout
        copies = [next((tmp_path / name / "tierscope").glob("*/tierscope-core")) for name in hosts.names]
        before = [one.stat().st_mtime_ns for one in copies]
        again = measured(tmp_path, hosts, hosts.names, "--session", "1", "--together")
    assert again.returncode == 0, again.stdout
    assert [one.stat().st_mtime_ns for one in copies] == before  # copied once
    assert len(list(tmp_path.glob("fleet/reports/*/*.json"))) == 6


@pytest.mark.slow
@pytest.mark.skipif(bool(namespaces.lacking()), reason=namespaces.lacking() or "-")
def test_five_of_32_hosts_fail_in_five_ways_and_27_answer(tmp_path: Path, full: Path) -> None:
    """Three of them are in network namespaces: s1 and s2 answer under their own names, s3 is lost while it measures."""
    commands = {"h5": GARBAGE, "h9": FULL.format(full=full), "s3": CUT}
    with Hosts(tmp_path, 27, commands, spaces=3) as hosts:
        done = measured(tmp_path, hosts, [*hosts.names, "refused", "hangs"])
        state = stored(tmp_path / "fleet")
    assert set(state.failed) == {"h5", "h9", "s3", "refused", "hangs"}, state.failed
    assert len(state.answered) == 27
    assert "no shell began, but" in state.failed["h5"]
    assert "disk full" in state.failed["h9"]
    assert "no shell began" in state.failed["s3"]
    assert "Connection refused" in state.failed["refused"]
    assert "timed out" in state.failed["hangs"]
    assert done.returncode == 4
    own = {report(tmp_path / "fleet" / state.answered[name]).facts["hostname"] for name in ("s1", "s2")}
    assert own == {"s1", "s2"}


@pytest.mark.skipif(bool(namespaces.lacking()), reason=namespaces.lacking() or "-")
def test_a_host_in_a_namespace_of_its_own_answers_under_its_name(tmp_path: Path) -> None:
    with Hosts(tmp_path, 1, {}, spaces=1) as hosts:
        done = measured(tmp_path, hosts, hosts.names)
        state = stored(tmp_path / "fleet")
    assert done.returncode == 0, done.stdout
    assert report(tmp_path / "fleet" / state.answered["s1"]).facts["hostname"] == "s1"


def test_a_host_that_refuses_our_key_is_named_with_what_to_try(tmp_path: Path) -> None:
    with Hosts(tmp_path, 2, {"h2": STRANGER}) as hosts:
        done = measured(tmp_path, hosts, hosts.names)
    assert done.returncode == 4
    assert "  h2: ssh:h2: ssh cannot connect: " in done.stdout
    assert "Permission denied (publickey" in done.stdout
    assert "try `ssh h2 true`, which must work first" in done.stdout


def test_no_host_at_all_is_status_3(tmp_path: Path) -> None:
    with Hosts(tmp_path, 1, {}) as hosts:
        done = measured(tmp_path, hosts, ["refused"])
    assert done.returncode == 3
    assert "0 of 1 hosts answered, 1 did not" in done.stdout


@pytest.mark.slow
def test_a_suite_is_run_for_each_host_and_a_host_that_refuses_does_not_stop_it(tmp_path: Path) -> None:
    (tmp_path / "hosts.txt").write_text("h1\nh2\nrefused\n")
    words = [
        "latency",
        "from=16KiB",
        "to=16KiB",
        "--at-once",
        "1",
    ]  # one CPU and its first cache: others disturb little
    with Hosts(tmp_path, 2, {}) as hosts:
        done = run(["run", *words, "--via", "ssh", "--hosts", str(tmp_path / "hosts.txt"), "--out",
                    str(tmp_path / "fleet")], hosts)  # fmt: skip
        state = stored(tmp_path / "fleet")
    assert done.returncode == 4, done.stderr
    assert set(state.failed) == {"refused"}
    assert "2 of 3 hosts answered, 1 did not; latency on" in done.stdout
    for name in ("h1", "h2"):
        found = report(tmp_path / "fleet" / state.answered[name])
        assert found.numbers
        assert all(one.metric.startswith("latency.footprint_bytes=16384.") for one in found.numbers)
        assert found.facts["identity_from"] in ("machine-id", "product_uuid", "host name")
    runs = sorted((tmp_path / "fleet/sessions").glob("*/runs/*/result.json"))
    assert [load_run(path).result.machine.reached for path in runs] == ["ssh:h1", "ssh:h2"]


def report(path: Path) -> HostReport:
    return msgspec.json.decode(path.read_bytes(), type=HostReport)


def test_a_name_with_characters_of_a_shell_is_refused(tmp_path: Path) -> None:
    with Hosts(tmp_path, 1, {}) as hosts:
        done = measured(tmp_path, hosts, ["h1;touch${IFS}/tmp/never"])
    assert done.returncode == 2
    assert "is not a host" in done.stderr
    assert not Path("/tmp/never").exists()
