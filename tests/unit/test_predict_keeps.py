"""How long the last cache kept lines while a program ran: when its time here shows it, and what is replayed then."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from made_core import MadeCore
from test_predict_machines import core, levels
from tierscope.errors import UsageError
from tierscope.predict.program import asked, crowded, machines
from tierscope.predict.program.keeps import keep_at, keep_of
from tierscope.predict.program.machines import places
from tierscope.predict.program.part import completed_by, words_of
from tierscope.predict.program.place import Here
from tierscope.simulated.measured import measured
from tierscope.suites.latency.kept import Kept

KEPT = Kept(5e-3, 20e-3, 2.0, 1.0)
TIMES = [(10e-3, 1.4), (5e-3, 1.8), (20e-3, 0.9)]  # the middle first, as in a prediction


@pytest.mark.parametrize(
    ("here_s", "keep_s"),
    [
        (1.4, 10e-3),
        (1.6, 10e-3 / 2**0.5),  # half of the way, of the logarithm
        (0.9, 20e-3),
        (0.75, 20e-3),  # the end takes 1.2x the time here
        (0.7, None),
        (2.2, 5e-3),
        (2.5, None),
    ],
)
def test_the_keep_is_the_one_that_takes_the_time_here(here_s: float, keep_s: float | None) -> None:
    assert keep_at(TIMES, here_s) == (pytest.approx(keep_s) if keep_s else None)


def test_a_time_that_does_not_fall_with_the_keep_shows_nothing() -> None:
    assert keep_at([(10e-3, 0.8), (5e-3, 1.2), (20e-3, 1.0)], 0.9) is None
    assert keep_at([(10e-3, 1.0), (5e-3, 1.0), (20e-3, 1.0)], 2.0) is None


@pytest.mark.parametrize("times", [(0.740, 0.755, 0.735), (1.26, 1.26, 1.249), (0.70, 0.80, 0.69)])
def test_a_keep_on_which_the_time_hardly_depends_explains_nothing(times: tuple[float, float, float]) -> None:
    """Else a program that is refused at 0.740 would be answered at 0.755."""
    middle, shortest, longest = times
    assert keep_at([(10e-3, middle), (5e-3, shortest), (20e-3, longest)], 1.0) is None
    assert keep_at([(10e-3, 0.70), (5e-3, 0.90), (20e-3, 0.69)], 1.0) == 5e-3


def made(folder: Path, monkeypatch: pytest.MonkeyPatch, keep_s: float | None = None) -> Here:
    """Return a machine whose last cache others use."""
    monkeypatch.setattr(machines, "measured", lambda runs: replace(measured(runs), kept=KEPT))
    runs = [levels(folder / "latency"), core(folder / "core", MadeCore(), probes="guess")]
    (folder / "files").mkdir(exist_ok=True)
    return places(runs, ["read=350ns"], folder / "files", 4096, keep_s=keep_s)


def test_the_own_core_is_replayed_with_both_ends_of_the_keep_here_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = made(tmp_path, monkeypatch)
    words = words_of(here)
    assert [keep_s for keep_s, _ in here.keeps] == pytest.approx([10e-3, 5e-3, 20e-3])
    middle, *ends = [word for _, word in here.keeps]
    assert middle == here.own.word
    assert [word.removeprefix(middle) for word in ends] == [",cache.2.keep=5ms", ",cache.2.keep=20ms"]
    assert set(ends) < set(words)
    assert {completed_by(here)[word] for word in ends} == {here.own.word}
    assert (
        len({word for word in words if word.endswith(".keep=5ms")}) == 3
    )  # the small core here, on the tier, and this


def test_a_known_keep_is_that_of_the_own_core_and_others_have_the_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = made(tmp_path, monkeypatch, 7e-3)
    assert here.keeps == ()
    for place in (here.own, *here.tiers):
        own, others = place.words[: place.readings + 1], place.words[place.readings + 1 :]
        assert all(word.count(",cache.2.keep=7ms") == 1 for word in own)
        assert {word.rsplit("=", 1)[1] for word in others} >= {"5ms", "20ms"}
    assert "about 7 ms while the program ran" in here.notes[-1]
    assert here.read_otherwise().own.word != here.own.word


def anchored(here: Here, *, ratio: float = 0.7, noise: float = 0.0, sampled: float = 0.0, others: float = 0.0) -> Any:
    """Return the anchor of a program that no core explains, and what the machines found."""
    found = {
        word: SimpleNamespace(seconds=time_s, sampling_deviation_s=sampled * time_s)
        for (_, word), (_, time_s) in zip(here.keeps, TIMES, strict=True)
    }
    native = SimpleNamespace(noise_share=noise, cpus=1.0, others_cpus=others)
    anchor = SimpleNamespace(
        misfits=True, ratio=ratio, measured_s=(1.5, 1.6, 1.7), native=native, cores=(found[here.own.word],)
    )
    return anchor, found


def test_only_a_time_that_no_core_explains_decides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = made(tmp_path, monkeypatch)
    anchor, found = anchored(here)
    assert keep_of(here.keeps, anchor, found) == pytest.approx(10e-3 / 2**0.5)
    assert keep_of((), anchor, found) is None
    few, found = anchored(here, ratio=0.8)  # too few other cores explain the time
    assert keep_of(here.keeps, few, found) is None
    anchor.misfits = False
    assert keep_of(here.keeps, anchor, found) is None


@pytest.mark.parametrize("why", [{"noise": 0.12}, {"sampled": 0.12}, {"others": 0.9}])
def test_a_time_that_something_else_changed_shows_no_keep(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, why: dict[str, float]
) -> None:
    """Runs that differ, parts that differ, and CPUs that others use."""
    monkeypatch.setattr(crowded, "_all_cpus", lambda: 2)
    here = made(tmp_path, monkeypatch)
    assert keep_of(here.keeps, *anchored(here)) is not None
    assert keep_of(here.keeps, *anchored(here, **why)) is None


def test_the_program_runs_in_the_tracer_again_with_that_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A second run that fails leaves the first answer."""
    told: list[str] = []
    replays = asked._Replays(("program",), 60.0, False, told.append)
    first: Any = SimpleNamespace(member=None)
    ran: list[list[str]] = []

    def part(_: object, there: Here, __: object, ___: object, words: list[str]) -> str:
        ran.append(words)
        return "second"

    monkeypatch.setattr(asked._Replays, "part", part)
    again = made(tmp_path, monkeypatch, 7e-3)
    assert replays.again(again, None, first) == "second"  # type: ignore[arg-type]
    assert any("keep=7ms" in word for word in ran[0])

    def failing(*_: object) -> None:
        raise UsageError("the input was used up")

    monkeypatch.setattr(asked._Replays, "part", failing)
    assert replays.again(again, None, first) is first  # type: ignore[arg-type]
    assert told == ["it does not run in the tracer again: the input was used up"]
