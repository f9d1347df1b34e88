"""This machine and each tier as simulated machines: each has the same cores, which give the bounds."""

import errno
import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from made import MEMORY_S, Maker, Teamwork, add_latency, add_stream
from made_core import MadeCore, add_core
from made_machine import made_machine
from made_tlb import MadeTlb, add_probe, add_tlb
from tierscope.errors import MachineError, UsageError
from tierscope.predict.program import here as runs_of
from tierscope.predict.program.cores import COUNT
from tierscope.predict.program.front_end import UNPROBED
from tierscope.predict.program.here import runs_here
from tierscope.predict.program.machines import PREFETCHERS, places
from tierscope.predict.program.machines import SMALL_PAGE as PAGE
from tierscope.predict.program.place import Here
from tierscope.record.experiment import Schedule
from tierscope.record.machine import Machine
from tierscope.record.result import Run, load
from tierscope.simulated.measured import measured
from tierscope.suites.core.table import Core
from tierscope.suites.latency.table import Latency
from tierscope.units import KiB, MiB, parse_bytes

pytestmark = pytest.mark.slow

MACHINE = made_machine(2)
EAGER, LAZY = UNPROBED.eager, UNPROBED.lazy


def levels(folder: Path) -> Run:
    maker = Maker(folder)
    add_latency(maker)
    add_stream(maker, ("read",))
    return maker.save("latency", MACHINE)


def core(folder: Path, made: MadeCore, **words: str) -> Run:
    maker = Maker(folder)
    add_core(maker, made, **words)
    return maker.save("core", MACHINE)


def placed(folder: Path, *probed: Run) -> Here:
    machines = folder / "machines"
    machines.mkdir()
    return places([levels(folder / "run"), *probed], ["read=350ns", "flat"], machines, PAGE)


def words_of(word: str) -> dict[str, str]:
    """Return key -> value of the words behind the file of a machine; the last of a key counts."""
    return dict(part.split("=") for part in word.split(",")[1:])


@pytest.fixture
def here(tmp_path: Path) -> Here:
    return placed(tmp_path)


def test_each_tier_has_the_cores_of_this_machine(here: Here) -> None:
    assert [one.name for one in here.tiers] == ["read=350ns", "flat"]
    for place in (here.own, *here.tiers):
        assert place.word.endswith(PREFETCHERS[0] + EAGER)
        own = place.word.removesuffix(EAGER)
        assert place.others[: place.readings] == tuple(own + reading for reading in UNPROBED.others)
        assert len(place.others) == place.readings + COUNT
        assert [word.partition(",")[2] for word in place.words] == [word.partition(",")[2] for word in here.own.words]


def test_eager_and_lazy_readings_have_all_machines_of_the_own_core(tmp_path: Path) -> None:
    machines = tmp_path / "machines"
    machines.mkdir()
    here = places([levels(tmp_path / "run")], ["read=350ns", "flat"], machines, PAGE, contours=True)
    again = here.read_otherwise()
    assert again.read_otherwise() == here
    own = [here.own, *here.tiers, *here.grid]
    words = [here.instant, *here.ends, *(one.word for one in own)]
    others = [again.instant, *again.ends, *(one.word for one in (again.own, *again.tiers, *again.grid))]
    assert others == [word.replace(EAGER, LAZY) for word in words]
    assert LAZY not in "".join(words)
    for one, other in zip((here.own, *here.tiers), (again.own, *again.tiers), strict=True):
        assert other.words == [one.words[1], one.words[0], *one.words[2:]]


def read_of(word: str) -> float:
    """Return the latency in ns of the memory of a machine, as its file changes it."""
    first = Path(word.partition(",")[0]).read_text().splitlines()[0]
    return float(first.partition("memory.memory.read=")[2].partition("ns")[0])


def test_the_memory_here_is_replayed_at_both_ends_of_its_latency(here: Here) -> None:
    low, high = map(read_of, here.ends)
    assert 0 < low < high
    assert [word.partition(",")[2] for word in here.ends] == [here.own.word.partition(",")[2]] * 2


def test_a_tier_without_a_latency_has_that_of_the_memory_here(tmp_path: Path) -> None:
    machines = tmp_path / "machines"
    machines.mkdir()
    here = places([levels(tmp_path / "run")], ["read=350ns", "bandwidth=5GB/s", "flat"], machines, PAGE)
    assert [one.as_here for one in here.tiers] == [False, True, False]


def test_the_lines_of_the_last_cache_are_those_that_were_measured(here: Here, tmp_path: Path) -> None:
    last = measured([levels(tmp_path / "again")]).shapes[-1]
    assert here.last_lines == last.size_bytes / last.line_bytes > 1000


def test_the_core_is_that_of_the_nearest_cache(here: Here) -> None:
    cycles = {word for place in (here.own, *here.tiers) for word in place.word.split(",") if "cycle=" in word}
    assert len(cycles) == 1


def numbers_of(here: Here, key: str) -> list[int]:
    """Return this parameter of all cores but the own one, in order."""
    return sorted(int(words_of(word)[key]) for word in here.own.others[here.own.readings :])


def test_a_core_that_was_not_probed_is_between_a_small_and_a_large_one(here: Here) -> None:
    assert set(numbers_of(here, "core.width")) == {2, 3, 4, 5, 6, 7, 8}
    for key, low, high in (("core.reorder", 64, 512), ("core.wrong_guess", 12, 20), ("cpu.loads", 8, 48)):
        values = numbers_of(here, key)
        assert low <= values[0] < low * (high / low) ** 0.1
        assert high * (low / high) ** 0.1 < values[-1] <= high
    kinds = [words_of(word).get("cache.1.prefetch", "none") for word in here.own.others]
    assert {kind: kinds.count(kind) for kind in kinds} == {"stride": 11, "next-line": 3, "none": 3}
    paths = [words_of(word)["core.wrong_path"] for word in here.own.others]
    assert paths == ["0", "1", "0", *paths[3:-2], "0", "1"]  # the own core, those between, the small and the large one
    assert paths.count("1") == 8
    assert any("`tierscope run core` narrows them" in note for note in here.notes)


def test_a_probed_core_replaces_the_range(tmp_path: Path) -> None:
    """All that was found is within its interval, in the own core and in all others."""
    made = MadeCore()
    here = placed(tmp_path, core(tmp_path / "core", made))
    own = words_of(here.own.word)
    truth = {"core.width": made.width, "core.reorder": made.reorder, "core.store_buffer": made.stores,
             "core.wrong_guess": made.miss - 2, "cpu.loads": made.lines}  # fmt: skip
    assert {key: int(own[key]) for key in truth} == truth
    assert float(own["cpu.cycle"].removesuffix("ns")) == pytest.approx(made.cycle_s * 1e9, rel=0.01)
    for key, value in truth.items():
        values = numbers_of(here, key)
        assert values[0] <= value <= values[-1]
        assert values[-1] - values[0] <= 0.2 * value
    assert any(
        "`run core` found it" in note and "loads 12, page walks 4, width 4, reorder 160" in note for note in here.notes
    )


def test_a_parameter_that_was_not_found_keeps_its_range(tmp_path: Path) -> None:
    here = placed(tmp_path, core(tmp_path / "core", MadeCore(), probes="guess"))
    own = words_of(here.own.word)
    assert "core.reorder" not in own
    assert numbers_of(here, "core.reorder")[0] < 80
    assert numbers_of(here, "core.reorder")[-1] > 410
    assert own["core.wrong_guess"] == "16"
    values = numbers_of(here, "core.wrong_guess")
    assert values[0] <= 16 <= values[-1] < 20


def test_a_bound_leaves_the_large_end_open(tmp_path: Path) -> None:
    """The reorder buffer of 40 fills before the store buffer of 60, which is at least 38 then."""
    here = placed(tmp_path, core(tmp_path / "core", MadeCore(reorder=40, stores=60), probes="window,store"))
    stores = numbers_of(here, "core.store_buffer")
    assert stores[0] <= 40
    assert 100 < stores[-1] <= 112
    assert numbers_of(here, "core.reorder")[-1] <= 42


@pytest.mark.parametrize(
    ("made", "order"),
    [
        (MadeCore(), (0, 1, 2)),
        (MadeCore(depth=0, next_line=True), (1, 2, 0)),
        (MadeCore(depth=0), (2, 1, 0)),
    ],
)
def test_the_kind_of_prefetcher_that_was_found_is_the_own_one(
    tmp_path: Path, made: MadeCore, order: tuple[int, ...]
) -> None:
    here = placed(tmp_path, core(tmp_path / "core", made, probes="fetch"))
    own, *others = [words_of(word).get("cache.1.prefetch", "none") for word in here.own.words]
    kinds = [("stride", "next-line", "none")[kind] for kind in order]
    assert own == kinds[0]
    assert [others.count(kind) for kind in kinds] == [11, 3, 3]  # the small and the large core have the likely kind


@pytest.fixture
def stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs of this machine below `runs/`, none of them a run of core; it is a made one."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runs_of, "this_machine", lambda _: MACHINE)
    monkeypatch.setattr(runs_of, "_made", lambda suite, *_: levels(tmp_path / f"{suite}-made"))
    monkeypatch.setattr(runs_of, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(runs_of, "_now", lambda row: row.latency)
    return tmp_path / "runs"


def visit_again(maker: Maker) -> None:
    """Let the plan of all points have five visits."""
    maker.records[:] = [
        msgspec.structs.replace(one, experiment=msgspec.structs.replace(one.experiment, schedule=Schedule(visits=5)))
        for one in maker.records
    ]


def changed(run: Run, **fields: object) -> Run:
    return msgspec.structs.replace(run, result=msgspec.structs.replace(run.result, **fields))


def test_a_stored_run_that_visited_a_core_once_is_not_used(tmp_path: Path) -> None:
    """Versions until 0.2.0 did so: another guest on the core did not show."""
    maker = Maker(tmp_path)
    add_core(maker, MadeCore(), probes="width,window,load,spread,translation,code")
    run = maker.save("core", MACHINE)
    words = {**run.result.options, "probes": "lines,spread"}
    assert not runs_of._serves(changed(run, options=words))
    visit_again(maker)
    assert runs_of._serves(changed(run, options=words, records=tuple(maker.records)))


@pytest.mark.parametrize(("train", "tried", "serves"), [(0, 6, False), (0, 62, True), (3, 6, True)])
def test_a_stored_run_that_gave_up_after_few_visits_is_not_used(
    tmp_path: Path, train: int, tried: int, serves: bool
) -> None:
    """Versions until 0.2.0 took a prefetcher that waits for twelve visits or more for none. train: 0: there is none."""
    maker = Maker(tmp_path)
    add_core(
        maker,
        MadeCore(train=train, depth=4 if train else 0),
        probes="width,window,load,spread,lines,kind,translation,code",
    )
    visit_again(maker)
    run = maker.save("core", MACHINE)
    records = [
        one for one in run.result.records if getattr(one.experiment.groups[0].workload.work, "train", 0) <= tried
    ]
    words = {**run.result.options, "probes": "lines,spread"}
    assert runs_of._serves(changed(run, options=words, records=tuple(records))) == serves


@pytest.mark.parametrize(("machine", "used"), [(MACHINE, True), (made_machine(4), False)])
def test_a_stored_run_of_core_is_used_if_it_is_of_this_machine(stored: Path, machine: Machine, used: bool) -> None:
    maker = Maker(stored / "2026-01-02-core-1")
    add_core(maker, MadeCore(), probes="width,window,load,spread,translation,code")
    visit_again(maker)
    maker.save("core", machine)
    found = [run.result.suite for run in runs_here((), print)]
    assert ("core" in found) == used


def test_a_stored_run_of_core_without_lines_in_flight_is_not_used(stored: Path) -> None:
    maker = Maker(stored / "2026-01-02-core-1")
    add_core(maker, MadeCore(), probes="width,window,load,spread,translation,code")
    visit_again(maker)
    maker.save("core", MACHINE)
    run = load(stored / "2026-01-02-core-1")
    for probes, serves in (
        ("width,guess,spread", False),
        ("width,lines,kind,spread", True),
        ("flight,spread", True),
        ("flight", False),
    ):
        words = {**run.result.options, "probes": probes}
        assert runs_of._serves(changed(run, options=words)) == serves
    without = [record for record in run.result.records if record.experiment.table != "core_code"]
    assert not runs_of._serves(changed(run, records=without)), (
        "versions until 0.2.0 did not look for how instructions come"
    )


def test_a_stored_run_that_timed_many_large_pages_together_is_not_used(tmp_path: Path) -> None:
    """Versions until 0.2.0 did so: pages in parts among others did not show."""
    maker = Maker(tmp_path)
    add_tlb(maker, MadeTlb(((96, 6),), (2e-9,), 2 * MiB), (8, 16), pages="thp")
    first = maker.records[0].experiment
    labels = {**first.labels, "layout": "parts", "part_bytes": 4 * KiB}
    maker.add("tlb", labels, first.groups, (Teamwork((1e9,), noise=0.005),), count=60)
    assert not runs_of._serves(maker.save("tlb"))


@pytest.mark.parametrize(
    ("pages", "parts", "serves"), [("4k", False, True), ("thp", False, False), ("thp", True, True)]
)
def test_a_stored_run_of_large_pages_that_did_not_look_for_parts_is_not_used(
    tmp_path: Path, pages: str, *, parts: bool, serves: bool
) -> None:
    maker = Maker(tmp_path)
    add_tlb(maker, MadeTlb(((96, 6),), (2e-9,), 4 * KiB if pages == "4k" else 2 * MiB), (8, 16), pages=pages)
    if parts:
        add_probe(maker, [False] * 32)
    assert runs_of._serves(maker.save("tlb")) == serves


def test_loops_of_the_core_visit_as_much_as_the_last_cache_that_the_staircase_shows(
    stored: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A virtual machine may report one that is much larger."""
    made: list[tuple[str, dict[str, str]]] = []

    def make(suite: str, *words: Any) -> Run:
        made.append((suite, *words[3:]))
        return levels(stored.parent / f"{suite}-made")

    monkeypatch.setattr(runs_of, "_made", make)
    runs = runs_here((), print)
    last = measured(runs[:3]).shapes[-1].size_bytes
    (memory,) = [words["memory"] for suite, words in (one for one in made if len(one) > 1) if suite == "core"]
    assert parse_bytes(memory) == max(round(16 * last / MiB) * MiB, 64 * MiB)


def test_a_named_run_of_core_is_used(stored: Path) -> None:
    run = core(stored / "mine", MadeCore(), probes="guess")
    assert [one.path for one in runs_here((run,), print)] == [run.path]


def test_a_tier_states_its_latency_and_bandwidth_over_those_here(here: Here) -> None:
    given, simulated = here.tiers
    assert given.over == pytest.approx(350e-9 / MEMORY_S, rel=0.05)
    assert given.bandwidth_over == pytest.approx(1.0)
    assert (simulated.over, simulated.bandwidth_over) == (None, None)


def test_a_run_that_was_stopped_is_removed_before_it_is_made_again(tmp_path: Path) -> None:
    stopped = tmp_path / "latency"
    (stopped / "samples").mkdir(parents=True)
    (stopped / "manifest.json").write_text("{}")
    runs_of._clear(stopped, "latency")
    assert not stopped.exists()
    runs_of._clear(stopped, "latency")  # nothing is there


def test_a_run_that_another_process_makes_is_not_removed(tmp_path: Path) -> None:
    made = tmp_path / "latency"
    made.mkdir()
    (made / "manifest.json").write_text("{}")
    handle = os.open(made, os.O_RDONLY)  # as another process has it
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        with pytest.raises(UsageError, match="another tierscope measures latency of this machine now; wait"):
            runs_of._clear(made, "latency")
    finally:
        os.close(handle)
    assert (made / "manifest.json").read_text() == "{}"


def test_a_latency_without_memory_is_refused_before_other_suites_are_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maker = Maker(tmp_path / "made")
    add_latency(maker, [4096, 8192, 16384])  # all of it in one cache
    maker.save("latency", MACHINE)
    monkeypatch.setattr(runs_of, "_kept", lambda *_: tmp_path / "made")
    monkeypatch.setattr(runs_of, "_clear", lambda *_: None)
    monkeypatch.setattr(runs_of, "begin", lambda *_: (tmp_path / "made", None))
    monkeypatch.setattr(runs_of, "execute", lambda *_: None)
    with pytest.raises(MachineError, match="behind the caches; measure further"):
        runs_of._made("latency", MACHINE, "digest", print)
    rows = [msgspec.structs.replace(row, conclusive=False, reasons=("only 5 clean blocks: the machine is busy", "more"))
            for row in Latency().rows(load(tmp_path / "made"))]  # fmt: skip
    monkeypatch.setattr(runs_of.Latency, "rows", lambda *_: rows)
    with pytest.raises(MachineError) as refused:
        runs_of._made("latency", MACHINE, "digest", print)
    assert str(refused.value) == (
        "latency of this machine was measured, and shows no memory behind the caches: "
        f"{len(rows)} of {len(rows)} points are inconclusive "
        "(at 16 KiB: only 5 clean blocks: the machine is busy); repeat it on an idle machine, or name runs of this "
        "machine with --from"
    )


def test_a_kept_run_is_replaced_when_the_new_one_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that is stopped leaves the kept one, and the next one removes what it left."""
    kept = tmp_path / "core"
    old = core(kept, MadeCore(), probes="guess")

    def stopped(_: str, __: object, path: Path) -> Run:
        (path / "samples").mkdir(parents=True)
        raise KeyboardInterrupt

    monkeypatch.setattr(runs_of, "_kept", lambda *_: kept)
    monkeypatch.setattr(runs_of, "_measured", stopped)
    with pytest.raises(KeyboardInterrupt):
        runs_of._made("core", MACHINE, "digest", print)
    assert load(kept).result == old.result
    monkeypatch.setattr(runs_of, "_measured", lambda _, __, path: core(path, MadeCore(), probes="width"))
    made = runs_of._made("core", MACHINE, "digest", print)
    assert (made.path, load(kept).path) == (kept, kept)
    assert {row.parameter for row in Core().rows(made)} == {"cycle", "rate", "width"}
    assert [path.name for path in tmp_path.iterdir()] == ["core"]


@pytest.mark.parametrize("fails", ["path.rename", "owned"])
def test_a_new_run_that_cannot_be_moved_is_used_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: str
) -> None:
    kept = tmp_path / "core"
    old = core(kept, MadeCore(), probes="guess")
    monkeypatch.setattr(runs_of, "_kept", lambda *_: kept)
    monkeypatch.setattr(runs_of, "_measured", lambda _, __, path: core(path, MadeCore(), probes="width"))
    clear = runs_of._clear

    def refusing(path: Path, suite: str) -> None:
        if path.name.endswith(runs_of.OLD) and fails == "owned":
            raise UsageError("another tierscope measures core of this machine now")
        clear(path, suite)

    def unmovable(path: Path, to: Path) -> Path:
        raise OSError(errno.EACCES, "no", str(path))

    monkeypatch.setattr(runs_of, "_clear", refusing)
    if fails != "owned":
        monkeypatch.setattr(Path, "rename", unmovable)
    made = runs_of._made("core", MACHINE, "digest", print)
    assert made.path.name == "core.new"
    assert load(kept).result == old.result
