"""The exhaustive search that judges the choice of loop variants, on made machines whose best variant is known."""

import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from fake_core import made_catalogue
from landscapes import KINDS, Made
from scripts import with_neighbours
from tierscope.run.candidates import candidates
from tierscope.stats.median import Interval

FOLDER = Path(__file__).parents[2] / "benchmarks"
ENTRIES = made_catalogue().variants("triad")


@pytest.fixture(scope="module")
def script() -> Iterator[ModuleType]:
    with with_neighbours(FOLDER / "variants.py") as module:
        yield module


@pytest.fixture(scope="module")
def exhaustive(script: ModuleType) -> Any:
    return sys.modules["searched.exhaustive"]


def machine(variants: list[Any], seed: int) -> Made:
    return Made(KINDS["machine"](variants, np.random.default_rng(seed)), seed, noise=0.02)


def test_the_space_contains_all_guesses_of_the_calibration(exhaustive: Any) -> None:
    every = exhaustive.space(ENTRIES)
    assert len(every) == len(set(every)) > 100
    assert set(candidates(ENTRIES)) <= set(every)


def test_the_best_is_found_and_ratios_contain_the_truth(exhaustive: Any) -> None:
    """Trials have 2 % noise, drift and disturbances; chosen are the best one, one close to it, and one far off."""
    variants = list(range(200))
    space = exhaustive.space(ENTRIES)[:200]
    good = 0
    for seed in range(10):
        made = machine(space, seed)
        order = np.argsort(-made.rates)
        chosen = [int(order[0]), int(order[5]), int(order[120])]
        proof = exhaustive.prove(lambda one: made.trial(one, 1.0), variants, chosen, random.Random(seed))  # noqa: B023
        assert made.share(proof.best) >= 0.99
        assert proof.tried == 200
        for one in chosen:
            truth = made.rates[one] / made.rates[proof.best]
            good += proof.ratios[one].low * 0.9999 <= truth <= proof.ratios[one].high * 1.0001
    assert good >= 26  # of 30 intervals of 95 %: fewer in 1.6 % of the cases


def test_trials_without_a_clean_moment_are_not_known(exhaustive: Any) -> None:
    proof = exhaustive.prove(lambda one: None, list(range(20)), [3, 4], random.Random(1))
    assert exhaustive.row("case", proof, [4] * 10, str).verdict == "not known"
    assert exhaustive.row("case", proof, [4] * 8 + [3] * 2, str).verdict == "missed"
    assert exhaustive.row("case", proof, [4] * 9, str).verdict == "a trial"


@pytest.mark.parametrize(
    ("low", "high", "same", "verdict"),
    [(0.985, 1.0, 9, "reached"), (0.985, 1.0, 8, "missed"), (0.95, 0.97, 10, "missed"), (0.97, 0.99, 10, "not known")],
)
def test_a_verdict_needs_the_whole_interval(exhaustive: Any, low: float, high: float, same: int, verdict: str) -> None:
    ratio = Interval(low, (low + high) / 2, high, 40)
    proof = exhaustive.Proof("best", {"usual": ratio, "other": ratio}, 10)
    row = exhaustive.row("case", proof, ["usual"] * same + ["other"] * (10 - same), str)
    assert (row.verdict, row.same, row.calls, row.usual_variant) == (verdict, same, 10, "usual")


def test_the_row_has_the_usual_the_worst_and_the_first_choice(exhaustive: Any) -> None:
    ratios = {name: Interval(x, x, x, 9) for name, x in (("a", 0.9), ("b", 1.0), ("c", 0.95))}
    row = exhaustive.row("case", exhaustive.Proof("b", ratios, 3), ["c", "b", "b", "a"], str)
    assert (row.usual.middle, row.worst.middle, row.first.middle, row.same) == (1.0, 0.9, 0.95, 2)


def test_a_case_that_is_kept_is_not_measured_again(
    script: ModuleType,
    exhaustive: Any,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    calls = []

    def measured(case: Any, count: int, kept: Path) -> Any:
        calls.append((case.name, count, kept.exists()))
        ratio = Interval(0.99, 1.0, 1.0, 40)
        return exhaustive.row(case.name, exhaustive.Proof("x", {"x": ratio}, 9), ["x"] * count, str)

    monkeypatch.setattr(script.Case, "measured", measured)
    words = ["variants.py", "--kernels", "read,triad", "--threads", "1", "--pages", "thp", "--out", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", words)
    assert script.main() == 0
    assert calls == [("read 1 thp", 10, False), ("triad 1 thp", 10, False)]
    (tmp_path / "read-1-thp.json").unlink()
    changed = json.loads((tmp_path / "triad-1-thp.json").read_text())
    assert changed["facts"]["calls"] == 10
    assert script.main() == 0
    assert [name for name, _, _ in calls[2:]] == ["read 1 thp"]
    monkeypatch.setattr(sys, "argv", [*words, "--calls", "3"])
    assert script.main() == 4
    assert [count for _, count, _ in calls[3:]] == [3, 3]
    assert "| read 1 thp | 9 | x | 1.000 [0.990, 1.000] |" in capsys.readouterr().out
