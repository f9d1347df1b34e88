"""Loop variants that are kept for later runs: what they depend on, how they are checked, which files are refused."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from fake_core import made_catalogue
from lab import Lab, group, lab_in, plan_of, point
from landscapes import slopes
from tierscope.record.experiment import Experiment, Group
from tierscope.record.record import Record
from tierscope.record.work.line import LineWork
from tierscope.run.candidates import Candidate
from tierscope.run.winners import LARGEST, OLDEST_DAYS, Winner, Winners, key_of, winners_file

FACTS = ("made CPU", "0x1", "abc")
ENTRIES = made_catalogue().variants("triad")
BEST = Candidate("avx512", LineWork(streams=4, unroll=1, prefetch_bytes=256, prefetchw_bytes=256))
OTHER = Candidate("avx512", LineWork(streams=1, unroll=4, prefetch_bytes=2048, prefetchw_bytes=1024))
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
        return slopes(best, Candidate(one.workload.isa, one.workload.of(LineWork)))

    lab = lab_in(tmp_path, monkeypatch)
    lab.core.speed = speed
    lab.winners = here(path)
    lab(plan_of(POINT))
    (record,) = lab.records
    return lab, record


def test_a_variant_that_a_search_found_is_where_the_next_run_begins(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, first = run(tmp_path / "1", path, monkeypatch)
    _, second = run(tmp_path / "2", path, monkeypatch)
    assert first.variant_from.startswith("searched: ")
    assert second.variant_from.startswith(f"kept since {datetime.now(UTC).date()}: nothing was faster in ")
    assert [run.calibration[0].workload.work for run in (first, second)] == [BEST.work, BEST.work]
    assert second.groups[0].prefetch_bytes == 256
    assert len(second.calibration) < len(first.calibration)


def test_a_kept_variant_that_is_slower_here_gives_way(
    tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path / "1", path, monkeypatch)
    _, second = run(tmp_path / "2", path, monkeypatch, best=OTHER)
    assert second.variant_from.endswith("trials here, faster than the kept one")
    assert second.calibration[0].workload.work == OTHER.work
    kept = here(path).of(POINT, ENTRIES)
    assert kept is not None
    assert kept.candidate == OTHER


@pytest.mark.parametrize(
    "other",
    [
        point(group(cpus=(0, 1))),
        point(group("copy")),
        point(msgspec.structs.replace(group(), target=group().target.on("4k"))),
        point(group("chase", (3,)), group()),
    ],
    ids=["threads", "kernel", "pages", "with another group"],
)
def test_a_variant_is_kept_for_one_kind_of_group(other: Experiment, path: Path) -> None:
    here(path).add(POINT, BEST)
    assert here(path).of(POINT, ENTRIES)
    assert here(path).of(other, ENTRIES) is None


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
    assert winners.of(POINT, ENTRIES) is None
    winners.add(POINT, BEST)
    assert here(path).refused is None


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_a_plain_file_is_read(kind: str, path: Path, tmp_path: Path) -> None:
    path.parent.mkdir(parents=True)
    if kind == "link":
        here(tmp_path / "other").add(POINT, BEST)
        path.symlink_to(tmp_path / "other")
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    assert here(path).refused is not None


def kept(path: Path, **changes: object) -> Winners:
    """Winners with one variant that is changed."""
    today = datetime.now(UTC).date()
    one = msgspec.structs.replace(Winner(BEST.isa, BEST.work, today), **changes)
    content = {"format": 1, "model": FACTS[0], "microcode": FACTS[1], "core": FACTS[2], "winners": {key_of(POINT): one}}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(content))
    return here(path)


@pytest.mark.parametrize(
    "changes",
    [
        {"work": LineWork(streams=7)},
        {"isa": "other"},
        {"work": LineWork(streams=4, unroll=1, prefetch_bytes=300)},
        {"found": datetime.now(UTC).date() + timedelta(days=3)},
    ],
    ids=["no such layout", "no such ISA", "no power of two", "from the future"],
)
def test_a_variant_that_no_search_can_have_found_is_not_used_and_the_run_states_it(
    changes: dict[str, object], path: Path
) -> None:
    winners = kept(path, **changes)
    assert winners.of(POINT, ENTRIES) is None
    assert winners.refused is not None


def test_an_old_variant_is_searched_again(path: Path) -> None:
    old = datetime.now(UTC).date() - timedelta(days=OLDEST_DAYS + 1)
    assert kept(path, found=old).of(POINT, ENTRIES) is None
    assert kept(path).of(POINT, ENTRIES) is not None


def test_a_run_states_a_refused_file_once(tmp_path: Path, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{")
    lab = lab_in(tmp_path, monkeypatch)
    lab.winners = here(path)
    result = lab(plan_of(POINT, point(group("copy"), calibrate=True)))
    assert [warning.code for warning in result.warnings] == ["variants"]


def test_a_folder_that_cannot_be_written_stops_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    winners = here(tmp_path / "file" / "below" / "variants.json")
    winners.add(POINT, BEST)
    assert winners.refused is None
