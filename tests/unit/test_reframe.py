"""The ReFrame class calls the real command, and reads its real answer; a stand-in takes the place of ReFrame."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from documents import fault
from said import say
from scripts import module_of
from stored import RUNS

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "packaging/reframe/tierscope_check.py"


class SkippedError(Exception):
    """The error of ReFrame for a skipped test."""


class Base:
    """As much of `RunOnlyRegressionTest` as the class uses."""

    stdout, stderr = "rfm_job.out", "rfm_job.err"

    def __init__(self, stagedir: Path) -> None:
        self.stagedir, self.perf_variables = stagedir, {}

    def skip(self, why: str) -> None:
        raise SkippedError(why)


def stand_ins() -> dict[str, ModuleType]:
    """Modules with the names that the class imports; ReFrame 4 has each."""
    same: Callable[[Any], Any] = lambda one: one  # noqa: E731
    sanity = SimpleNamespace(
        assert_true=lambda value, why: "" if value else why,
        assert_eq=lambda a, b, why: "" if a == b else why,
        make_performance_function=lambda value, unit: (value, unit),
        defer=same,
    )
    builtins = {"run_before": lambda _stage: same, "sanity_function": same, "variable": lambda *_types, **_more: None}
    named: dict[str, dict[str, Any]] = {
        "reframe": {"RunOnlyRegressionTest": Base},
        "reframe.core": {},
        "reframe.core.builtins": builtins,
        "reframe.utility": {"sanity": sanity},
        "reframe.utility.sanity": vars(sanity),
    }
    found = {}
    for name, content in named.items():
        found[name] = ModuleType(name)
        vars(found[name]).update(content)
    return found


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, module in stand_ins().items():
        monkeypatch.setitem(sys.modules, name, module)
    module = module_of(SOURCE, "tierscope_check")
    made = module.TierscopeCheck(tmp_path)
    made.thresholds = "memory.toml"
    return made


def answer(check: Any, capfd: pytest.CaptureFixture[str], run: str, bound: str) -> None:
    """The output of the job for a stored run."""
    file = check.stagedir / "memory.toml"
    file.write_text(f'[[threshold]]\ntable = "{run}"\n{bound}\n')
    _, out, err = say(capfd, "check", str(file), str(RUNS[run]), "--json")
    (check.stagedir / "rfm_job.out").write_text(out)
    (check.stagedir / "rfm_job.err").write_text(err)


def test_the_command_takes_its_words(check: Any) -> None:
    check._name_the_file()
    assert fault([check.executable, *check.executable_opts], ROOT) == ""
    assert "--json" in check.executable_opts
    assert {"check.xml", "run"} == set(check.keep_files) <= set(check.executable_opts)


def test_points_that_passed_are_performance_variables(check: Any, capfd: pytest.CaptureFixture[str]) -> None:
    answer(check, capfd, "stream", 'at_least = "1 MB/s"')
    check._read_the_answer()
    assert check.passed() == ""
    check._take_the_numbers()
    points = json.loads((check.stagedir / "rfm_job.out").read_text())["points"]
    assert len(check.perf_variables) == len(points) == 3
    value, unit = check.perf_variables["stream_bandwidth_read_threads_1_sim_flat_pages_2_MiB"]
    assert (value, unit) == (pytest.approx(points[0]["value"] / 1e9), "GB/s")


def test_a_point_that_failed_fails_and_is_named(check: Any, capfd: pytest.CaptureFixture[str]) -> None:
    answer(check, capfd, "latency", 'at_most = "1 ns"')
    check._read_the_answer()
    assert "outside of their thresholds: latency: footprint" in check.passed()
    check._take_the_numbers()
    assert {unit for _, unit in check.perf_variables.values()} == {"ns"}


def test_an_answer_that_is_not_known_skips(check: Any, capfd: pytest.CaptureFixture[str]) -> None:
    answer(check, capfd, "storage", 'at_least = "900 GB/s"')
    with pytest.raises(SkippedError, match=r"not known: .{5}"):
        check._read_the_answer()


def test_an_error_fails_with_its_message(check: Any, capfd: pytest.CaptureFixture[str]) -> None:
    answer(check, capfd, "stream", "at_least = 20")
    check._read_the_answer()
    assert 'try at_least = "20 GB/s"' in check.passed()
