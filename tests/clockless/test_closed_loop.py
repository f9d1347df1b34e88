"""The probers on random devices through the real core: what was built is found, and nothing else."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from shell import Shell
from tierscope.cli.finish import status_of

pytestmark = pytest.mark.slow

LEAST = 0.9  # share of all parameters; devices and their noise are drawn once and for all
BUFFERS = ("first=5", "devices=1", "parts=buffers")  # two memories of two small buffers each, and noise
POLICY = ("first=4", "devices=1", "parts=policy")
Rows = list[dict[str, object]]


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[tuple[str, ...]], Rows]:
    """Return what gives the rows of a run with these words; each run is made once."""

    @cache
    def rows_of(words: tuple[str, ...]) -> Rows:
        shell = Shell(tmp_path_factory.mktemp("closed-loop"))
        status, out, err = shell("run", "closed-loop", "seed=7", "noise=1", *words, "--json", "-")
        assert status == 0, err
        return [row for row in json.loads(out)["rows"] if row["table"] == "closed_loop"]

    return rows_of


@pytest.fixture
def rows(ran: Callable[[tuple[str, ...]], Rows]) -> Rows:
    return ran(BUFFERS) + ran(POLICY)


@pytest.mark.parametrize("words", [POLICY, BUFFERS], ids=["policy", "buffers"])
def test_they_find_nothing_that_is_not_there(ran: Callable[[tuple[str, ...]], Rows], words: tuple[str, ...]) -> None:
    assert [row for row in ran(words) if row["verdict"] == "false alarm"] == []


def test_probers_recover_what_random_devices_were_built_with(rows: Rows) -> None:
    failures = [row for row in rows if row["verdict"] != "recovered"]
    assert len(failures) <= (1 - LEAST) * len(rows), failures
    assert {"buffers", "unit", "medium", "grain", "period", "entries"} <= {row["parameter"] for row in rows}


def test_a_failure_can_be_repeated_by_its_words(ran: Callable[[tuple[str, ...]], Rows], tmp_path: Path) -> None:
    words = next(str(row["repeat"]).split() for row in ran(POLICY) if row["prober"] == "policy")
    status, out, err = Shell(tmp_path)(*words[1:], "parts=combining", "--json", "-")
    found = json.loads(out)["rows"]
    assert status == status_of(found, strict=False), err  # its noise may leave points inconclusive
    assert [row["part"] for row in found if row["table"] == "policy"] == ["combining"]
