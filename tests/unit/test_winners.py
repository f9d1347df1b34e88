"""Loop variants that are kept for later runs: what they depend on, how they are checked, which files are refused."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from fake_core import made_catalogue
from lab import Lab, group, lab_in, plan_of, point
from landscapes import around
from tierscope.record.experiment import Experiment, Group
from tierscope.record.record import Record
from tierscope.record.work.line import LineWork
from tierscope.run.calibrate import ways_of
from tierscope.run.candidates import Candidate
from tierscope.run.walks import Walks
from tierscope.run.winners import LARGEST, OLDEST_DAYS, Winner, Winners, key_of, winners_file

FACTS = ("made CPU", "0x1", "abc")
VARIANTS = ways_of(group(), made_catalogue().variants("triad")).all
BEST = next(v for v in VARIANTS if v.work.prefetch_bytes == 256)
POINT = point(calibrate=True)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    found = winners_file(*FACTS)
    assert found
    return found


def here(path: Path) -> Winners:
    return Winners(path, *FACTS)


def run(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch, best: Candidate = BEST) -> tuple[Lab, Record]:
    """One run of a machine on which one variant is the fastest."""

    def speed(one: Group) -> float:
        return around(best, Candidate(one.workload.isa, one.workload.of(LineWork)))

    lab = lab_in(tmp_path, monkeypatch)
    lab.core.speed = speed
    lab.walks = Walks(made_catalogue(), here(path))
    lab(plan_of(POINT))
    (record,) = lab.records
    return lab, record


def test_a_variant_that_a_search_found_is_checked_and_used_by_the_next_run(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first = run(tmp_path / "1", path, monkeypatch)
    lab, second = run(tmp_path / "2", path, monkeypatch)
    assert first.variant_from.startswith("searched here")
    assert second.variant_from == f"cache of {datetime.now(UTC).date()}, checked here"
    assert [trial.workload.work for trial in second.calibration] == [BEST.work, VARIANTS[0].work]
    assert second.groups[0].prefetch_bytes == 256
    assert sum(step == "measure 0.005" for step in lab.core.log) < 20


def test_a_kept_variant_that_is_slower_here_is_searched_again(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "1", path, monkeypatch)
    other = next(v for v in VARIANTS if v.work.prefetch_bytes == 2048 and v.work.streams == 4)
    _, second = run(tmp_path / "2", path, monkeypatch, best=other)
    assert second.variant_from.startswith("searched here")
    assert second.calibration[0].workload.work == other.work
    kept = here(path).of(POINT, VARIANTS)
    assert kept is not None
    assert kept.candidate == other


@pytest.mark.parametrize(
    "other",
    [
        point(group(cpus=(0, 1))),
        point(group("copy")),
        point(msgspec.structs.replace(group(), target=group().target.on("4k"))),
        point(group("chase", (3,)), group()),
    ],
    ids=["threads", "kernel", "pages", "beside another group"],
)
def test_a_variant_is_kept_for_one_kind_of_group(other: Experiment, path: Path) -> None:
    here(path).add(POINT, BEST, 1.1)
    assert here(path).of(POINT, VARIANTS)
    assert here(path).of(other, VARIANTS) is None


@pytest.mark.parametrize("other", [("other CPU", "0x1", "abc"), ("made CPU", "0x2", "abc"), ("made CPU", "0x1", "d")])
def test_another_processor_microcode_or_core_has_another_file(other: tuple[str, str, str], path: Path) -> None:
    assert winners_file(*other) != path


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"{", "damaged"),
        (b"\xff" * 50, "damaged"),
        (b"[" * 5000, "damaged"),
        (b'{"format":1,"model":"made CPU","microcode":"0x1","core":"abc","winners":{"a":{"isa":3}}}', "damaged"),
        (b'{"format":1,"model":"other CPU","microcode":"0x1","core":"abc","winners":{}}', "another processor"),
        (b'{"format":2,"model":"made CPU","microcode":"0x1","core":"abc","winners":{}}', "another format"),
        (b" " * (LARGEST + 1), "bytes"),
    ],
    ids=["cut off", "no text", "deep", "wrong type", "another processor", "another format", "large"],
)
def test_a_file_that_is_not_ours_is_refused_with_a_next_step(content: bytes, why: str, path: Path) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    winners = here(path)
    assert winners.refused is not None
    assert why in winners.refused.message
    assert str(path) in winners.refused.next_step
    assert winners.of(POINT, VARIANTS) is None
    winners.add(POINT, BEST, 1.1)
    assert here(path).refused is None


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_a_plain_file_is_read(kind: str, path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    if kind == "link":
        here(tmp_path / "other").add(POINT, BEST, 1.1)
        path.symlink_to(tmp_path / "other")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert here(path).refused is not None


def kept(path: Path, **changes: object) -> Winners:
    """Winners with one variant that is changed."""
    today = datetime.now(UTC).date()
    one = msgspec.structs.replace(Winner(BEST.isa, BEST.work, today, 1.1), **changes)
    content = {"format": 1, "model": FACTS[0], "microcode": FACTS[1], "core": FACTS[2], "winners": {key_of(POINT): one}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(content))
    return here(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"work": LineWork(streams=7)},
        {"isa": "other"},
        {"gain": -1.0},
        {"gain": 1e9},
        {"found": datetime.now(UTC).date() + timedelta(days=3)},
    ],
    ids=["no such layout", "no such ISA", "no gain", "too much gain", "from the future"],
)
def test_a_variant_that_no_search_can_have_found_is_not_used_and_the_run_states_it(
    changes: dict[str, object], path: Path
) -> None:
    winners = kept(path, **changes)
    assert winners.of(POINT, VARIANTS) is None
    assert winners.refused is not None


def test_an_old_variant_is_searched_again(path: Path) -> None:
    old = datetime.now(UTC).date() - timedelta(days=OLDEST_DAYS + 1)
    assert kept(path, found=old).of(POINT, VARIANTS) is None
    assert kept(path).of(POINT, VARIANTS) is not None


def test_a_run_states_a_refused_file_once(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{")
    lab = lab_in(tmp_path, monkeypatch)
    lab.walks = Walks(made_catalogue(), here(path))
    result = lab(plan_of(POINT, point(group("copy"), calibrate=True)))
    assert [warning.code for warning in result.warnings] == ["variants"]


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    winners = here(tmp_path / "file" / "below" / "variants.json")
    winners.add(POINT, BEST, 1.1)
    assert winners.refused is None
