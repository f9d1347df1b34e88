"""The health check of one host: what it learns, and what it judges."""

from pathlib import Path

import msgspec
import pytest

from tierscope.errors import Exit
from tierscope.fleet import check
from tierscope.fleet.check import LEARN, REMEMBERED_S, Baseline, judged, slower
from tierscope.fleet.host_report import SCHEMA, HostReport, Number

LATENCY = Number(
    metric="latency.memory", unit="s", better="lower", value=1e-7, low=0.9e-7, high=1.1e-7, blocks=9, conclusive=True
)


def report(value: float, load: str = "0.1", wrong: int = 0, at: float = 0.0) -> HostReport:
    return HostReport(
        schema=SCHEMA, host="here", machine="m", day="2026-11-23", at=at, session=0, plan="p", tierscope="0",
        origin="measured", facts={"load_1min": load, "cpus": "2"}, peak_bytes_per_s=None, wrong_answers=wrong,
        numbers=(msgspec.structs.replace(LATENCY, value=value),),
    )  # fmt: skip


def known(*values: float) -> Baseline:
    return Baseline(machine="m", plan="p", values={"latency.memory": list(values)})


def test_the_first_checks_are_learned_and_stored(tmp_path: Path) -> None:
    baseline = known()
    lines = [judged(report(1e-7), baseline, tmp_path) for _ in range(LEARN)]
    assert [status for status, _ in lines] == [Exit.GOOD] * LEARN
    stored = msgspec.json.decode((tmp_path / "baseline.json").read_bytes(), type=Baseline)
    assert stored.values == {"latency.memory": [1e-7] * LEARN}


@pytest.mark.parametrize(("value", "status"), [(1.05e-7, Exit.GOOD), (0.5e-7, Exit.GOOD), (1.2e-7, Exit.INCONCLUSIVE)])
def test_a_number_is_slow_beyond_ten_percent_alone(value: float, status: Exit, tmp_path: Path) -> None:
    baseline = known(*[1e-7] * LEARN)
    assert judged(report(value), baseline, tmp_path)[0] == status
    assert baseline.values == {"latency.memory": [1e-7] * LEARN}  # nothing is learned any more


def test_two_slow_checks_fail_and_a_good_one_between_them_does_not(tmp_path: Path) -> None:
    """A budget of five seconds allows one measurement: the next check is then the second."""
    baseline = known(*[1e-7] * LEARN)
    values, found = (1.2e-7, 1.0e-7, 1.2e-7, 1.3e-7, 1.3e-7), []
    for hour, value in enumerate(values):
        found.append(judged(report(value, at=3600.0 * hour), baseline, tmp_path))
        baseline = msgspec.json.decode((tmp_path / "baseline.json").read_bytes(), type=Baseline)
    assert [status for status, _ in found] == [4, 0, 4, 1, 1]
    assert found[0][1].endswith("slower than before on this host, once; the next measurement decides")
    assert found[3][1] == "memory slow: latency.memory 30 % slower than before on this host"
    late = report(1.3e-7, at=3600.0 * 4 + REMEMBERED_S + 1)
    assert judged(late, baseline, tmp_path)[0] == Exit.INCONCLUSIVE  # a check of last week confirms nothing


def test_a_slow_host_is_measured_again_where_the_budget_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "baseline.json").write_bytes(msgspec.json.encode(known(*[1e-7] * LEARN)))
    values = iter([1.3e-7, 1.3e-7, 1.3e-7, 1e-7])

    def measured(_place: Path, _until: float) -> HostReport:
        clock[0] += 3.0
        return report(next(values))

    clock = [0.0]
    monkeypatch.setattr(check, "_measured", measured)
    monkeypatch.setattr("time.monotonic", lambda: clock[0])
    monkeypatch.setattr(check, "_age_s", lambda: 0.0)
    assert check.check(20, tmp_path)[0] == Exit.FAILED
    (tmp_path / "baseline.json").write_bytes(msgspec.json.encode(known(*[1e-7] * LEARN)))
    assert check.check(5, tmp_path)[0] == Exit.INCONCLUSIVE  # no time for a second one
    assert check.check(5, tmp_path)[0] == Exit.GOOD


def test_a_busy_host_is_not_judged(tmp_path: Path) -> None:
    status, line = judged(report(5e-7, load="1.5"), known(*[1e-7] * LEARN), tmp_path)
    assert (status, line) == (Exit.INCONCLUSIVE, "memory not known: the host is busy (load 1.5)")


def test_a_wrong_answer_fails_whatever_the_load(tmp_path: Path) -> None:
    assert judged(report(1e-7, load="9", wrong=2), known(), tmp_path)[0] == Exit.FAILED


def test_a_host_that_always_varied_has_wider_bounds() -> None:
    slow = msgspec.structs.replace(LATENCY, value=1.2e-7)
    assert slower(slow, [1e-7] * 5) == "latency.memory 20 % slower than before on this host"
    assert slower(slow, [0.9e-7, 0.95e-7, 1e-7, 1.05e-7, 1.1e-7]) == ""
