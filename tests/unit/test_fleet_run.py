"""`fleet run`: plans and suites, and each bad input with its message and its status. No clock, no network."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stored import RUNS, stored
from tierscope.cli.fleet_session import Wanted, _strangers, resume, run
from tierscope.cli.fleet_session import _next as next_session
from tierscope.errors import Exit, MachineError, ResultError, TierscopeError, UsageError
from tierscope.fleet.confirm_plan import ConfirmPlan, write_plan
from tierscope.fleet.engines import engines
from tierscope.fleet.engines.slurm import Slurm, states
from tierscope.fleet.engines.ssh import Ssh
from tierscope.fleet.host_report import HostReport
from tierscope.fleet.imagine import imagine
from tierscope.fleet.imagine_files import write_fleet
from tierscope.fleet.imagine_options import ImagineOptions
from tierscope.fleet.plan import FleetPlan, read_plan
from tierscope.fleet.session import Session, begin, last_session
from tierscope.fleet.suite_numbers import LONGEST, numbers_of
from tierscope.fleet.suite_runs import _name as folder_of
from tierscope.remote.slurm import _environment as slurm_environment
from tierscope.remote.slurm import node

BAD_NAMES = ("h;reboot", "$(id)", "`id`", "a b", "-oProxyCommand=x", "h\nother", "h|x", "h&", "'h'", "../h", "")
PLAN = FleetPlan("small", "group kernel=noop target=null\nmeasure seconds=0.1 # x\n")


def wanted(out: Path, **words: Any) -> Wanted:
    given = {"plan": "canary", "words": (), "via": "local", "hosts": None, "out": out, "session": 0, "together": False,
             "at_once": 1, "limit": None, "confirm": False}  # fmt: skip
    return Wanted(**(given | words))


def session(**words: Any) -> Session:
    given = {
        "via": "local",
        "plan_name": PLAN.name,
        "plan": PLAN.digest,
        "day": "2026-01-01",
        "session": 0,
        "hosts": {"a": {}},
    }
    return Session(**(given | words))


def test_a_suite_is_a_plan_of_its_words_and_equal_words_are_one_plan() -> None:
    one, other = (read_plan("stream", words) for words in ({"threads": "1", "kernels": "triad"}, {"threads": "2"}))
    assert one.suite == ("stream", "kernels=triad", "threads=1")
    assert one.digest == read_plan("stream", {"kernels": "triad", "threads": "1"}).digest
    assert one.digest != other.digest
    assert read_plan("canary").suite == ()


@pytest.mark.parametrize(
    ("word", "options", "message"),
    [
        ("stream", {"thread": "1"}, "thread"),
        ("stream", {"threads": "-1"}, "threads"),
        ("canary", {"threads": "1"}, "canary takes no options, and threads=1 is one"),
        ("cannary", {}, "neither canary, nor a suite, nor a file that can be read"),
    ],
)
def test_a_wrong_plan_is_refused_before_any_host_is_asked(word: str, options: dict[str, str], message: str) -> None:
    with pytest.raises(TierscopeError, match=message) as error:
        read_plan(word, options)
    assert error.value.status == Exit.USAGE


@pytest.mark.parametrize("name", ["run-schema-1", *sorted(RUNS)[:6]])
def test_each_main_value_of_a_run_is_a_number_with_its_own_name(name: str) -> None:
    found = numbers_of(stored(name)).numbers
    assert len({one.metric for one in found}) == len(found)
    for one in found:
        assert one.low <= one.value <= one.high
        assert len(one.metric) <= LONGEST
        assert one.metric.isascii()
        assert " " not in one.metric
        assert msgspec.convert(msgspec.to_builtins(one), type(one)) == one  # a report with it can be read
    by_unit = {one.unit: one.better for one in found}
    assert by_unit.get("s", "lower") == "lower"
    assert by_unit.get("B/s", "higher") == "higher"


@pytest.mark.parametrize("name", BAD_NAMES)
def test_a_name_that_a_shell_could_read_reaches_no_engine(name: str) -> None:
    with pytest.raises(UsageError):
        Ssh().hosts([name])
    with pytest.raises(UsageError):
        node(f"slurm:{name}")
    assert set(folder_of(name)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")
    assert not folder_of(name).startswith(".")


def test_names_that_differ_have_different_folders() -> None:
    assert len({folder_of(name) for name in (*BAD_NAMES, "h", "h;", "h_", "H")}) == len(BAD_NAMES) + 4


def test_without_slurm_the_message_states_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineError, match="no Slurm here: sinfo is not installed; run this on a login node") as error:
        run(wanted(tmp_path / "fleet", via="slurm"))
    assert error.value.status == Exit.CANNOT
    assert not (tmp_path / "fleet").exists()


def test_a_node_that_the_cluster_does_not_have_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One srun is of one partition: without a name it is the default one, which sinfo marks."""
    (tmp_path / "sinfo").write_text(
        "#!/bin/sh\ncase \"$*\" in *--partition=gpu*) ;; *) echo 'n1|all*|idle|none' ;; esac\n"
        "echo 'n2|gpu|drained|bad DIMM | it is'\n"
    )
    (tmp_path / "sinfo").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    monkeypatch.delenv("SLURM_PARTITION", raising=False)
    assert Slurm().hosts([]) == ("n1",)
    with pytest.raises(UsageError, match="'n2' is not a node of the default partition of this cluster"):
        Slurm().hosts(["n2"])
    monkeypatch.setenv("SLURM_PARTITION", "gpu")
    assert Slurm().hosts([]) == ("n2",)
    assert states() == {"n2": ("drained", "bad DIMM | it is")}
    with pytest.raises(UsageError, match="'n1' is not a node of the partition gpu"):
        Slurm().hosts(["n1"])


def test_salloc_is_given_the_options_of_the_site_for_srun(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("SLURM_ACCOUNT", "a"), ("SLURM_QOS", "q"), ("SALLOC_QOS", "own")):
        monkeypatch.setenv(name, value)
    given = slurm_environment()
    assert (given["SALLOC_ACCOUNT"], given["SALLOC_QOS"], given["SLURM_QOS"]) == ("a", "own", "q")


def test_ssh_without_names_and_an_unknown_engine_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--via ssh needs names; write one on each line of a file"):
        run(wanted(tmp_path / "fleet", via="ssh"))
    with pytest.raises(UsageError, match="engine"):
        run(wanted(tmp_path / "fleet", via="flux"))
    assert {"local", "slurm", "ssh"} <= set(engines)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "names no host"),
        ("# all are commented\n", "names no host"),
        ("a\nb\na\n", "line 3: a is listed twice; remove one"),
        ("a rack r7\n", "line 1: 'rack' is not a fact; write NAME=VALUE"),
        ("a;b\n", "is not a host"),
    ],
)
def test_a_hosts_file_with_a_mistake_is_status_2(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "hosts").write_text(text)
    with pytest.raises(UsageError, match=message) as error:
        run(wanted(tmp_path / "fleet", via="ssh", hosts=tmp_path / "hosts"))
    assert error.value.status == Exit.USAGE


def test_another_plan_of_the_same_name_needs_another_session(tmp_path: Path) -> None:
    begin(tmp_path, session(), PLAN)
    changed = FleetPlan(PLAN.name, PLAN.text + "# changed\n")
    with pytest.raises(UsageError, match="is a session of another plan .* give --session 1"):
        begin(tmp_path, session(plan=changed.digest), changed)
    kept = begin(tmp_path, session(hosts={"b": {}}), PLAN)
    assert set(kept.hosts) == {"a", "b"}


def test_confirming_sessions_of_another_plan_are_refused(tmp_path: Path) -> None:
    asked = ConfirmPlan(day="2026-01-01", plan="of-yesterday", suspects=("a",), controls=("b",), machines={})
    write_plan(tmp_path, asked)
    with pytest.raises(UsageError, match="the confirming sessions are of plan of-yesterday, and canary is"):
        run(wanted(tmp_path, confirm=True))


def test_resume_without_a_session_states_how_to_begin_one(tmp_path: Path) -> None:
    with pytest.raises(ResultError, match="has no session; begin one: tierscope fleet run --out"):
        resume(tmp_path)


def test_the_last_session_is_the_one_that_began_last_and_not_the_last_name(tmp_path: Path) -> None:
    plans = {"stream": FleetPlan("stream", "suite stream\n"), "canary": PLAN}
    for name, number in (("stream", 0), ("canary", 9), ("canary", 10)):
        own = session(plan_name=name, plan=plans[name].digest, session=number)
        begin(tmp_path, own, plans[name])
    begin(tmp_path, session(plan_name="stream", plan=plans["stream"].digest, day="2025-12-31"), plans["stream"])
    directory, last = last_session(tmp_path)
    assert (directory, last.plan_name, last.session) == (tmp_path, "canary", 10)
    named, state = last_session(tmp_path / "sessions/2026-01-01-stream-0")
    assert (named, state.plan_name) == (tmp_path, "stream")


def test_confirming_sessions_have_numbers_up_to_99(tmp_path: Path) -> None:
    today = datetime.now(UTC).date().isoformat()
    for number in (0, 9, 10):
        begin(tmp_path, session(day=today, session=number), PLAN)
    assert next_session(tmp_path, PLAN.name) == 11
    begin(tmp_path, session(day=today, session=99), PLAN)
    with pytest.raises(UsageError, match="has 99 sessions of small today"):
        next_session(tmp_path, PLAN.name)


def test_a_host_that_is_another_machine_now_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_fleet(tmp_path, imagine(ImagineOptions(machines=3, days=1, faults="", metrics=1)))
    paths = sorted(tmp_path.glob("reports/*/*.json"))
    found = [msgspec.json.decode(path.read_bytes(), type=HostReport) for path in paths]
    answered = {one.host: str(path.relative_to(tmp_path)) for one, path in zip(found, paths, strict=True)}
    judged = {one.host: one.machine for one in found}
    changed = found[0].host
    judged |= {changed: "another", found[1].host: f"{found[1].machine}@{found[1].host}", "silent": "m"}
    _strangers(tmp_path, session(answered=answered), judged)
    (line,) = capsys.readouterr().out.splitlines()
    assert line == f"  {changed}: is now another machine than the one that was judged; was it renamed?"


def test_no_host_name_is_part_of_a_command_of_a_shell() -> None:
    """All that a remote shell reads is made of the script and of paths that it printed itself."""
    source = (Path(__file__).resolve().parents[2] / "src/tierscope/fleet/engines/ssh.py").read_text()
    assert "shell=True" not in source
    assert "host" not in source.partition("FIND =")[2].partition("class Ssh")[0]
    said = subprocess.run(["grep", "-rn", "shell=True", Path(__file__).resolve().parents[2] / "src/tierscope/fleet"],
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert said.stdout == ""
