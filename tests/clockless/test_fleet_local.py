"""The whole way of a fleet with the real core on simulated memory: a session, confirming ones, and what they leave."""

from pathlib import Path

import msgspec
import pytest

from tierscope.cli.fleet_session import Wanted, run
from tierscope.errors import Exit
from tierscope.fleet.confirm_plan import ConfirmPlan, write_plan
from tierscope.fleet.host_report import HostReport
from tierscope.fleet.outliers import outliers
from tierscope.fleet.outliers_text import status
from tierscope.fleet.plan import read_plan

PLAN = """[schedule]
budget = "0.01s"
[[experiment]]
label = "chase"
[[experiment.group]]
kernel = "chase"
target = "sim:optane100"
cpus = "0"
footprint = "4MiB"
"""


def found(fleet: Path) -> dict[tuple[str, int], HostReport]:
    """Return the reports by host and session."""
    every = [msgspec.json.decode(one.read_bytes(), type=HostReport) for one in fleet.glob("reports/*/*.json")]
    return {(one.host, one.session): one for one in every}


def test_confirming_sessions_measure_suspects_and_controls_under_further_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TIERSCOPE_FLEET_SHARED", "1")
    (tmp_path / "small.toml").write_text(PLAN)
    (tmp_path / "hosts").write_text("a rack=r1\nb rack=r1\nc rack=r2\n")
    fleet, plan = tmp_path / "fleet", str(tmp_path / "small.toml")
    asked = Wanted(plan, (), "local", tmp_path / "hosts", fleet, 0, False, 2, None, False)
    assert run(asked) == Exit.GOOD
    first = found(fleet)
    assert set(first) == {("a", 0), ("b", 0), ("c", 0)}
    assert first["c", 0].facts["rack"] == "r2"
    machines = {"a": first["a", 0].machine, "b": "another"}
    day = first["a", 0].day
    write_plan(fleet, ConfirmPlan(day=day, plan=read_plan(plan).digest, suspects=("a",), controls=("b",),
                                  machines=machines))  # fmt: skip
    for number in (1, 2):
        assert run(asked._replace(confirm=True, hosts=None)) == Exit.GOOD
        assert set(found(fleet)) == set(first) | {(host, one) for host in "ab" for one in range(1, number + 1)}
    said = capsys.readouterr().out
    assert said.count("  b: is now another machine than the one that was judged; was it renamed?") == 2
    assert "2 of 2 hosts answered; small on" in said
    judged = outliers(fleet).result
    assert (judged.machines, judged.origin, status(judged)) == (3, "synthetic", Exit.INCONCLUSIVE)
