"""Points of equal keys whose footprints differ: no verdict where the smaller one may be in a cache."""

import io
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from made import Maker, Teamwork, made_machine, one_group
from tierscope.compare.footprints import comparable
from tierscope.compare.history import history
from tierscope.compare.history_text import UNLIKE, show
from tierscope.compare.two import compared
from tierscope.record import result as results
from tierscope.record.machine import Machine
from tierscope.record.result import Run
from tierscope.units import GiB, MiB


def of_cache(size: int) -> Machine:
    """A machine whose largest cache has this many bytes; 0: none is reported."""
    made = made_machine(2)
    caches = tuple(msgspec.structs.replace(one, size_bytes=size) for one in made.identity.caches if one.level == 3)
    return msgspec.structs.replace(made, identity=msgspec.structs.replace(made.identity, caches=caches if size else ()))


def measured(path: Path, footprint: int, rate: float = 1e8, cache: int = 64 * MiB) -> Run:
    maker = Maker(path)
    for kernel, size in (("read", footprint), ("triad", 8 * GiB)):
        group = one_group(kernel, (0,), size)
        maker.add("stream", {"kernel": kernel, "threads": 1}, (group,), (Teamwork((rate,)),), preempted=0.0)
    run = maker.save("stream")
    results.save_result(run.path, msgspec.structs.replace(run.result, machine=of_cache(cache)))
    return results.load(run.path)


@pytest.mark.parametrize(
    ("sizes", "cache", "allowed"),
    [
        ((GiB, 2 * GiB), 64 * MiB, True),
        ((256 * MiB, GiB), 64 * MiB, True),
        ((255 * MiB, GiB), 64 * MiB, False),
        ((MiB, MiB), 64 * MiB, True),
        ((None, MiB), 64 * MiB, True),
        ((GiB, 2 * GiB), 0, False),
        ((MiB, 2 * MiB - 1), 64 * MiB, True),
    ],
)
def test_other_sizes_compare_only_far_beyond_the_cache(
    tmp_path: Path, sizes: tuple[int | None, ...], cache: int, allowed: bool
) -> None:
    run = measured(tmp_path / "run", GiB, cache=cache)
    assert comparable(sizes, (run, run)) is allowed


def verdicts(rows: list[dict[str, object]]) -> dict[object, object]:
    return {row["kernel"]: row["verdict"] for row in rows}


def test_a_cache_is_never_called_faster_than_memory(tmp_path: Path) -> None:
    before, after = measured(tmp_path / "a", GiB), measured(tmp_path / "b", 16 * MiB, rate=3e8)
    rows, notes = compared(before, after, None, None)
    assert verdicts(rows) == {"read": "inconclusive", "triad": "faster"}
    read = next(row for row in rows if row["kernel"] == "read")
    assert (read["before_footprint_bytes"], read["after_footprint_bytes"]) == (GiB, 16 * MiB)
    assert any("footprints of 1 of 2 points differ, as 1 GiB before and 16 MiB after" in note for note in notes)


def test_equal_footprints_have_no_note(tmp_path: Path) -> None:
    rows, notes = compared(measured(tmp_path / "a", GiB), measured(tmp_path / "b", GiB, rate=3e8), None, None)
    assert verdicts(rows) == {"read": "faster", "triad": "faster"}
    assert not any("footprint" in note for note in notes)
    assert not any("before_footprint_bytes" in row for row in rows)


def test_a_history_calls_no_change_from_a_cache_to_memory(tmp_path: Path) -> None:
    sizes = [16 * MiB] * 4 + [GiB] * 4
    runs = [measured(tmp_path / f"r{n}", size, rate=3e8 if n < 4 else 1e8) for n, size in enumerate(sizes)]
    read, triad = history(runs, 0.02).series
    assert (read.judged, read.changes) == (False, ())
    assert len(triad.changes) == 1
    show(history(runs, 0.02), console := Console(record=True, width=200, file=io.StringIO()))
    assert UNLIKE in console.export_text()
