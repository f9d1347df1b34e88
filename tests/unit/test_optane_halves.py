"""The published figures of Optane DIMMs that may be used for fitting, and the others: benchmarks/optane.py."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from scripts import with_neighbours

SCRIPT = Path(__file__).parents[2] / "benchmarks/optane.py"


@pytest.fixture(scope="module")
def optane() -> Iterator[ModuleType]:
    with with_neighbours(SCRIPT) as script:
        yield script


def test_half_of_the_groups_that_no_fit_met_were_looked_at(optane: ModuleType) -> None:
    every = list(optane.figures())
    groups = {" ".join(figure.group) for figure in every if figure.table in optane.UNTOUCHED}
    looked = optane.looked_at(every)
    assert looked == {
        "bandwidth_strided 1 store_clwb",
        "bandwidth_strided 6 nt_write",
        "bandwidth_strided 6 store_clwb",
        "mixed_ratio sequential ratio",
    }
    assert looked < groups
    assert len(groups) == 2 * len(looked)


def test_nothing_that_no_fit_met_is_for_fitting(optane: ModuleType) -> None:
    every = list(optane.figures())
    chosen = optane.halves(every)
    assert any(chosen.values())
    assert not any(chosen[figure.curve] for figure in every if figure.table in optane.UNTOUCHED)


def test_the_last_parts_are_the_figures_of_these_tables(
    optane: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked: dict[str, set[str]] = {}
    monkeypatch.setattr(optane, "report", lambda found: None)
    for half in optane.HALVES:
        monkeypatch.setattr("sys.argv", ["optane.py", "--half", half, "--program", str(tmp_path / "none")])
        monkeypatch.setattr(
            optane,
            "simulate",
            lambda _program, some, _changes, _lines, half=half: asked.update({half: {f.curve for f in some}}) or {},
        )
        assert optane.main() == 0
    assert set.union(*(asked[half] for half in ("both", "looked-at", "untouched"))) == {
        figure.curve for figure in optane.figures()
    }
    assert asked["both"] == asked["fitting"] | asked["held-out"]
    parts = [asked[half] for half in ("fitting", "held-out", "looked-at", "untouched")]
    assert sum(map(len, parts)) == len(set.union(*parts))
