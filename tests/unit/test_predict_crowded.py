"""Other programs that leave a program too few CPUs while it is timed, and the reason that is then given."""

from dataclasses import replace

import pytest

from tierscope.predict.program import native
from tierscope.predict.program.anchor import anchor
from tierscope.predict.program.crowded import crowded
from tierscope.predict.program.native import Native, measured
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

CORES = 12


def of(seconds: float, threads: int = 2) -> Traced:
    return Traced(
        machine="sim:m", instructions=2_000_000, loads=1, stores=1, counters={}, ended=0, seconds=seconds,
        threads=threads,
    )  # fmt: skip


def ran(wall: float, user: float, others: float | None) -> Native:
    return Native(*(Interval(one, one, one, 9) for one in (wall, user)), 0.0, 9, others_cpus=others)


@pytest.mark.parametrize(
    ("used", "others", "cpus", "named"),
    [
        (0.6, 1.3, 2, True),
        (0.6, 0.5, 2, False),
        (2.0, 0.05, 2, False),
        (2.0, 4.0, 64, False),
        (1.0, 0.5, 1, True),
        (57.6, 0.12, 64, False),
        (40.0, 30.0, 64, True),
    ],
)
def test_cpus_are_full_if_little_is_left(used: float, others: float, cpus: int, named: bool) -> None:
    assert bool(crowded(used, others, cpus)) is named
    assert crowded(used, None, cpus) == ""


def test_threads_that_waited_for_cpus_are_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr("os.cpu_count", lambda: 2)

    def doubt(others: float | None, threads: int, model: float = 0.4) -> str:
        return anchor(ran(1.0, 0.7, others), [of(model, threads)] * CORES).unknown

    assert "1.3 of 2 CPUs while it was timed, so repeat it on an idle machine" in doubt(1.3, 2)
    assert "the core differs" not in doubt(1.3, 2)
    assert "the core differs" in doubt(0.1, 2)
    assert "the core differs" in doubt(None, 2)
    assert "the core differs" in doubt(1.3, 2, 1.9), "a model that takes too long did not wait"
    assert "CPUs" not in doubt(1.3, 1), "the time of one thread is its user time"


def test_a_program_on_some_of_the_cpus_has_no_such_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """The system states only for the whole machine how much others use."""
    monkeypatch.setattr("os.cpu_count", lambda: 64)
    monkeypatch.setattr("os.sched_getaffinity", lambda _: {0, 1})
    assert crowded(2.0, 30.0) == ""
    monkeypatch.setattr("os.sched_getaffinity", lambda _: set(range(64)))
    assert crowded(40.0, 30.0).startswith("other programs used 30.0 of 64 CPUs")


def test_a_run_states_what_others_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "LEAST", 1)
    monkeypatch.setattr(native, "MOST", 1)
    found = measured(["true"], 60)
    assert found.others_cpus is not None
    assert found.others_cpus >= 0
    assert found.cpus <= 1.1
    monkeypatch.setattr(native, "crowded", lambda *_: "others")
    assert native._beside(replace(found, notes=("one",)), 1.0).notes == ("one", "others")
