"""The drift that earlier runs of a machine show is in the intervals of later runs, and is stored with them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean

import msgspec
import numpy as np
import pytest

from fake_core import FakeCore, put_in_place
from made_machine import made_machine
from tierscope.plans import suites
from tierscope.record.background import Background
from tierscope.record.earlier import Between, Earlier
from tierscope.record.experiment import Group
from tierscope.record.result import Run, load, load_manifest
from tierscope.report.content import gather
from tierscope.report.doubtful import ENOUGH_RUNS, less_precision, more_visits, next_step, why
from tierscope.report.top.top import top
from tierscope.run import earlier, planned, start
from tierscope.run.earlier import LARGEST, MOST, OLDEST, EarlierRuns, earlier_file
from tierscope.run.measuring import earlier_for
from tierscope.stats.between_runs import FEWEST, GUEST, Once, apart, between_of, is_shown, until_known
from tierscope.stats.drift import Drift, drift_of
from tierscope.stats.median import Interval
from tierscope.stats.visited import BETWEEN, NOT_YET, SLOWLY
from tierscope.stats.visits import Pooled, pool, spread
from tierscope.tables import tables

SEED = 1995
POINTS, VISITS = 6, 3
VISIT, WITHIN = 0.01, 0.002  # standard deviations of log(median)
Z = 1.96
KERNELS = "copy,scale,add,triad,update"


# what the numbers of several runs show


def test_runs_that_differ_as_their_own_visits_explain_show_no_drift() -> None:
    rng = np.random.default_rng(SEED)
    points = [[Once(float(log), 1e-4) for log in rng.normal(0, 1e-2, 8)] for _ in range(400)]
    found = between_of(points)
    assert found.variance < 5e-6
    assert found.degrees == 7


def test_the_drift_between_runs_is_what_is_left() -> None:
    rng = np.random.default_rng(SEED)
    points = [[Once(float(log), 1e-4) for log in rng.normal(0, 5e-2, 8)] for _ in range(400)]
    assert between_of(points).variance == pytest.approx(25e-4 - 1e-4, rel=0.1)


def test_one_run_shows_nothing() -> None:
    assert between_of([[Once(1.0, 1e-4)], [Once(2.0, 1e-4)]]) == Between()
    assert between_of([]) == Between()


def test_many_points_of_two_runs_are_two_runs() -> None:
    assert between_of([[Once(1.0, 0.0), Once(1.1, 0.0)]] * 50).degrees == 1


@pytest.mark.parametrize("runs", [2, 3, 8])
def test_a_point_that_changes_by_half_is_apart_from_those_that_repeat(runs: int) -> None:
    rng = np.random.default_rng(SEED)
    points = [[Once(float(log), 1e-4) for log in rng.normal(0, 1e-2, runs)] for _ in range(9)]
    end = [Once(0.5 * (number % 2), 1e-3) for number in range(runs)]
    found = apart([*points, end])
    assert 9 in found
    assert len(found) <= 2
    wide = [replace(one, variance=0.2) for one in end]  # its own visits explain it, and it is unlike the others
    assert apart([*points, wide]) == found
    assert between_of([wide]).variance == 0


def test_an_odd_point_in_two_runs_does_not_show_its_kind() -> None:
    quiet = [Once(1.0, 1e-4)]
    odd = [Once(1.0, 1e-4), Once(1.6, 1e-4)]
    assert not is_shown([quiet, odd])
    assert not is_shown([quiet, odd, odd])
    assert is_shown([odd] * 3)
    assert is_shown([odd * 2])  # as many runs as replace what is assumed
    assert not is_shown([])


@pytest.mark.parametrize("count", [1, 2])
def test_few_points_that_drift_keep_their_own_drift(tmp_path: Path, count: int) -> None:
    """Their kind is not shown, and their own runs differ by 13 %."""
    now = datetime.now(UTC)
    logs = (math.log(10.0), math.log(11.5), math.log(13.0))
    found = [earlier.Found(now - timedelta(hours=3 - number), log, 1e-6) for number, log in enumerate(logs)]
    points = {f"key{number}": earlier.Point(("latency hop 1", "latency hop"), found) for number in range(count)}
    path = tmp_path / "kept.json"
    path.write_bytes(
        msgspec.json.encode(points | {"other": earlier.Point(("latency hop 1", "latency hop"), found[:1])})
    )
    shown = {one.kind: one for one in EarlierRuns(path, now).shown().kinds}
    assert set(shown) == {f"key{number}" for number in range(count)}
    assert all(math.sqrt(one.variance) == pytest.approx(0.13, abs=0.01) for one in shown.values())


def test_points_of_one_kind_are_seldom_apart_also_if_they_change_together() -> None:
    rng = np.random.default_rng(SEED)
    for common in (0.0, 0.05):
        found = []
        for _ in range(300):
            together = rng.normal(0, common, 4)
            points = [[Once(float(one), 1e-5) for one in together + rng.normal(0, 0.01, 4)] for _ in range(10)]
            found.append(len(apart(points)))
        assert mean(found) < 0.25  # of ten points


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_points_have_none_apart(count: int) -> None:
    assert apart([[Once(0.0, 1e-4), Once(0.1 * place, 1e-4)] for place in range(count)]) == set()
    assert apart([]) == set()


def test_points_that_are_alike_to_their_own_kind_are_not_apart_a_larger_one(tmp_path: Path) -> None:
    rng, path = np.random.default_rng(SEED), tmp_path / "earlier.json"
    now = datetime.now(UTC)

    def point(kind: str, changes: float) -> dict[str, object]:
        runs = [
            {"started": (now - timedelta(hours=number)).isoformat(), "log": float(log), "variance": 1e-6}
            for number, log in enumerate(rng.normal(0, changes, 4))
        ]
        return {"kinds": [kind, "all"], "runs": runs}

    near = {f"near {number}": point("near", 0.002) for number in range(9)}
    far = {f"far {number}": point("far", 0.05) for number in range(4)}
    path.write_bytes(msgspec.json.encode(near | far))
    shown = {one.kind: one for one in EarlierRuns(path).shown().kinds}
    assert shown.keys() == {"near", "far", "all"}
    assert shown["far"].variance > 100 * shown["near"].variance


@pytest.mark.usefixtures("cache")
def test_a_point_at_the_end_of_a_cache_has_a_drift_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured(tmp_path / "run", monkeypatch)
    path = tmp_path / "earlier.json"
    first = EarlierRuns(path)
    first.add(run)
    known = msgspec.json.decode(path.read_bytes())
    end, *others = known
    for number in range(3):
        for key, point in known.items():
            (one, *_) = point["runs"]
            moved = 0.4 * (number % 2) if key == end else 0.001 * number
            then = datetime.fromisoformat(one["started"]) - timedelta(hours=1 + number)
            point["runs"].append({**one, "started": then.isoformat(), "log": one["log"] + moved})
    path.write_bytes(msgspec.json.encode(known))
    shown = {one.kind: one for one in EarlierRuns(path).shown().kinds}
    assert shown[end].variance > 0.03
    assert not set(others) & set(shown)
    (kind, larger) = known[end]["kinds"]
    assert shown[kind].variance < 1e-4 < shown[larger].variance
    halves = [
        row.bandwidth.relative for row in tables["stream"].rows(seen(run, EarlierRuns(path).shown())) if row.bandwidth
    ]
    assert max(halves) > 5 * sorted(halves)[-2]


@pytest.mark.parametrize("degrees", [0.0, 1.0, 2.0, 3.0, 9.0])
def test_earlier_runs_replace_what_is_assumed_of_a_guest(degrees: float) -> None:
    known = Between(kind="stream line", variance=0.1**2, degrees=degrees)
    both = until_known(known, GUEST)
    assert until_known(known, None) == known
    if degrees >= GUEST.degrees:
        assert both == known
        return
    share = 1 - degrees / GUEST.degrees
    assert both.degrees == GUEST.degrees
    assert both.variance == pytest.approx(share * GUEST.variance + (1 - share) * known.variance)
    assert both.kind == (GUEST.kind if share > 0.5 else known.kind)


# coverage


Drifting = Callable[[np.random.Generator, int], Sequence[float]]


def independent(rng: np.random.Generator, count: int) -> Sequence[float]:
    return list(map(float, rng.normal(0, 0.04, count)))


def wandering(rng: np.random.Generator, count: int) -> Sequence[float]:
    """Each run begins where the one before ended, as on a host that becomes busier for a while."""
    steps = rng.normal(0, 0.04 * math.sqrt(1 - 0.7**2), count)
    found = [float(rng.normal(0, 0.04))]
    for step in steps[1:]:
        found.append(0.7 * found[-1] + float(step))
    return found


def constant(_: np.random.Generator, count: int) -> Sequence[float]:
    return [0.0] * count


def pooled(rng: np.random.Generator, slow: float, between: Between | None) -> list[Pooled]:
    """One run: its points drift together by `slow`, and each by its visits."""
    visits = [
        [Interval(m * (1 - Z * WITHIN), m, m * (1 + Z * WITHIN), 100) for m in map(float, np.exp(slow + one))]
        for one in rng.normal(0, math.hypot(VISIT, WITHIN), (POINTS, VISITS))
    ]
    drift: Drift | None = drift_of([one for own in visits if (one := spread(own, 0.95, range(VISITS)))])
    return [found for own in visits if (found := pool(own, drift, 0.95, between)) is not None]


def coverage(drifting: Drifting, first: int, *, looks: bool = True, machines: int = 150) -> tuple[float, float]:
    """Return how many intervals contain the truth, 1, from the run `first` on, of four; and their mean half-width."""
    rng = np.random.default_rng(SEED)
    inside, widths = [], []
    for _ in range(machines):
        kept: list[list[Once]] = [[] for _ in range(POINTS)]
        for number, slow in enumerate(drifting(rng, first + 4)):
            found = pooled(rng, slow, between_of(kept) if looks else None)
            if number >= first:
                inside += [one.interval.low <= 1 <= one.interval.high for one in found]
                widths += [one.interval.relative for one in found]
            for own, one in zip(kept, found, strict=True):
                own.append(one.own)
    return mean(inside), mean(widths)


@pytest.mark.slow
@pytest.mark.parametrize(("drifting", "least"), [(independent, 0.92), (wandering, 0.8)])
def test_after_some_runs_intervals_contain_what_a_run_alone_does_not_see(drifting: Drifting, least: float) -> None:
    """Runs that follow each other show less of a drift than the same number of runs far apart."""
    blind, _ = coverage(drifting, 8, looks=False)
    assert blind < 0.6
    seen, _ = coverage(drifting, 8)
    assert least <= seen <= 0.99


@pytest.mark.slow
def test_the_assumption_counts_less_after_more_runs() -> None:
    """The first runs allow for a drift that nobody has seen; later ones are hardly wider than without it."""
    _, without = coverage(constant, 0, looks=False)
    contained, early = coverage(constant, 0)
    assert contained > 0.97
    _, late = coverage(constant, 16)
    assert late < 1.35 * without < early


def test_without_earlier_runs_a_drift_as_large_as_that_between_visits_is_contained() -> None:
    rng = np.random.default_rng(SEED)
    runs = [pooled(rng, float(rng.normal(0, VISIT)), Between()) for _ in range(100)]
    inside = [one.interval.low <= 1 <= one.interval.high for run in runs for one in run]
    assert 0.93 <= mean(inside) <= 0.99


def test_a_guest_is_assumed_to_change_more_than_its_visits_show() -> None:
    """All visits of a run meet the same neighbours: a drift that only earlier runs could have shown."""
    drifts = (math.sqrt(GUEST.variance), 2 * math.sqrt(GUEST.variance))
    found = []
    for sd in drifts:
        inside = {"assumed": 0, "visits": 0}
        rng = np.random.default_rng(SEED)
        for slow in map(float, rng.normal(0, sd, 200)):
            state = rng.bit_generator.state
            for name, between in (("assumed", until_known(Between(), GUEST)), ("visits", Between())):
                rng.bit_generator.state = state
                inside[name] += sum(one.interval.low <= 1 <= one.interval.high for one in pooled(rng, slow, between))
        found.append({name: count / (200 * POINTS) for name, count in inside.items()})
    assert found[0]["visits"] < 0.9 < found[0]["assumed"]
    assert found[1]["visits"] + 0.1 < found[1]["assumed"]


@pytest.mark.parametrize("sd", [0.045, 0.07])
def test_what_is_assumed_of_a_guest_does_not_hide_what_its_visits_show(sd: float) -> None:
    rng = np.random.default_rng(SEED)
    for _ in range(20):
        logs = rng.normal(0, sd, VISITS)
        visits = [Interval(m * (1 - Z * WITHIN), m, m * (1 + Z * WITHIN), 100) for m in map(float, np.exp(logs))]
        without, assumed = (pool(visits, None, 0.95, one) for one in (Between(), until_known(Between(), GUEST)))
        assert without
        assert assumed
        if without.drift > GUEST.variance:
            assert assumed == without
        else:
            assert assumed.slow_share >= without.slow_share


def test_the_parts_of_an_interval_are_shares_of_one_whole() -> None:
    for between in (None, Between(), Between(variance=0.04**2, degrees=9)):
        for one in pooled(np.random.default_rng(SEED), 0.0, between):
            assert 0 <= one.between_share <= one.between_share + one.slow_share <= 1
            assert (one.slow_share > 0) == (between is not None)


# the file


def measured(
    path: Path, monkeypatch: pytest.MonkeyPatch, speed: float = 1.0, between: float = 0.0, kernels: str = KERNELS
) -> Run:
    """A run of five kernels on a made machine. speed: of all of it; between: of its visits, standard deviation."""
    core = FakeCore()
    alone = core.speed

    def drifting(group: Group) -> float:
        rng = np.random.default_rng([core.log.count("start"), *group.workload.kernel.encode()])
        return float(alone(group) * speed * np.exp(rng.normal(0, between)))

    core.speed = drifting
    put_in_place(core, monkeypatch)
    monkeypatch.setattr(planned, "this_machine", lambda *_: made_machine(2))
    options = suites["stream"].read({"kernels": kernels, "threads": "1", "array": "64MiB"})
    directory, manifest = start.begin("stream", options, "", ("tierscope",), path)
    start.execute(directory, manifest)
    return load(directory)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache/tierscope/earlier"


def several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, speeds: Sequence[float]) -> list[Run]:
    """Runs that start a minute apart."""
    found: list[Run] = []
    began: datetime = datetime.now(UTC) - timedelta(hours=2)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return began + timedelta(minutes=len(found))

    monkeypatch.setattr(start, "datetime", Clock)
    for number, speed in enumerate(speeds):
        found.append(measured(tmp_path / f"run-{number}", monkeypatch, speed, 0.001))
    return found


def half(run: Run) -> float:
    """Return the mean half-width of its bandwidths."""
    spans = [
        (row["bandwidth_low"], row["bandwidth_high"], row["bandwidth_bytes_per_s"])
        for row in tables["stream"].flat(run)
    ]
    return mean((float(high) - float(low)) / 2 / float(middle) for low, high, middle in spans)  # type: ignore[arg-type]


@pytest.mark.usefixtures("cache")
def test_a_run_contains_what_earlier_ones_showed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    speeds = [1.0, 1.06, 0.97, 1.02, 0.94]
    runs = several(tmp_path, monkeypatch, speeds)
    assert [run.result.earlier.runs for run in runs if run.result.earlier] == list(range(len(speeds)))
    assert half(runs[0]) < 0.02
    assert 0.06 < half(runs[-1]) < 0.3
    rows = tables["stream"].flat(runs[-1])
    assert all("since the machine changes from run to run" in str(row["reasons"]) for row in rows)
    assert all(float(str(row["slow_share"])) > 0.9 for row in rows)


def test_a_stored_run_has_the_same_verdict_without_the_file(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = several(tmp_path, monkeypatch, [1.0, 1.06, 0.97])[-1]
    before = tables["stream"].flat(run)
    for file in cache.iterdir():
        file.unlink()
    assert tables["stream"].flat(load(run.path)) == before


@pytest.mark.usefixtures("cache")
def test_a_run_that_is_resumed_has_not_seen_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (run,) = several(tmp_path, monkeypatch, [1.0])
    start.resume(run.path)
    assert load(run.path).result.earlier == Earlier()
    kept = EarlierRuns(earlier_file(run.result.machine))
    assert kept.shown().runs == 1
    kept.add(run)
    assert EarlierRuns(earlier_file(run.result.machine)).shown().runs == 1


@pytest.mark.usefixtures("cache")
def test_points_with_doubts_are_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured(tmp_path / "run", monkeypatch)
    busy = Background(cpus=2.0)
    doubted = [tuple(msgspec.structs.replace(r, background=busy) for r in records)
               for records in (run.result.records, run.result.visits)]  # fmt: skip
    result = msgspec.structs.replace(run.result, records=doubted[0], visits=doubted[1])
    path = tmp_path / "kept.json"
    EarlierRuns(path).add(Run(path=run.path, result=result))
    assert EarlierRuns(path).shown() == Earlier()
    EarlierRuns(path).add(Run(path=run.path, result=msgspec.structs.replace(run.result, complete=False)))
    assert EarlierRuns(path).shown() == Earlier()
    EarlierRuns(path).add(run)
    assert EarlierRuns(path).shown().runs == 1


def kept(path: Path, runs: Sequence[tuple[datetime, float]]) -> None:
    found = [earlier.Found(began, log, 1e-4) for began, log in runs]
    points = {f"key{number}": earlier.Point(("stream line",), found) for number in range(FEWEST)}
    path.write_bytes(msgspec.json.encode(points))


def test_old_runs_are_forgotten_and_those_of_the_future_ignored(tmp_path: Path) -> None:
    now = datetime.now(UTC)
    path = tmp_path / "kept.json"
    ages = (OLDEST + timedelta(hours=1), timedelta(days=2), timedelta(hours=1), -timedelta(hours=1))
    kept(path, [(now - age, number / 10) for number, age in enumerate(ages)])
    found = EarlierRuns(path, now).shown()
    assert (found.runs, found.since) == (2, (now - timedelta(days=2)).isoformat(timespec="seconds"))
    assert [(one.kind, one.degrees) for one in found.kinds] == [("stream line", 1)]
    assert found.kinds[0].variance == pytest.approx(0.1**2 / 2 - 1e-4)


def test_the_latest_runs_of_a_point_are_kept(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured(tmp_path / "run", monkeypatch)
    (file,) = cache.iterdir()
    now = datetime.now(UTC)
    points = msgspec.json.decode(file.read_bytes(), type=dict[str, earlier.Point])
    for point in points.values():
        point.runs = [earlier.Found(now - timedelta(minutes=60 - n), 0.0, 1e-4) for n in range(MOST)]
    file.write_bytes(msgspec.json.encode(points))
    EarlierRuns(file).add(run)
    after = msgspec.json.decode(file.read_bytes(), type=dict[str, earlier.Point])
    assert {len(point.runs) for point in after.values()} == {MOST}
    assert all(point.runs[-1].log > 0 for point in after.values())


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"a":{"kinds":["x"],"runs":[{"started":"2026","log":1,"variance":1}]}}', "\xff", "[" * 99999,
     '{"a":{"kinds":["x"],"runs":[{"started":"2026-01-01T00:00:00","log":1,"variance":1}]}}',
     '{"a":{"kinds":["x"],"runs":[{"started":"2026-01-01T00:00:00Z","log":1,"variance":-1}]}}'],
)  # fmt: skip
def test_a_damaged_file_is_ignored(tmp_path: Path, text: str) -> None:
    path = tmp_path / "kept.json"
    path.write_text(text, encoding="latin-1")
    assert EarlierRuns(path, datetime(2026, 1, 2, tzinfo=UTC)).shown() == Earlier()


def test_a_file_that_is_much_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "kept.json"
    kept(path, [(datetime.now(UTC), 1.0)])
    assert EarlierRuns(path).shown().runs == 1
    with path.open("ab") as file:
        file.truncate(LARGEST + 1)
    assert EarlierRuns(path).shown() == Earlier()


def test_a_folder_that_cannot_be_written_stops_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "earlier").write_text("a file where a folder should be")
    EarlierRuns(tmp_path / "earlier/kept.json").add(measured(tmp_path / "run", monkeypatch))
    assert (tmp_path / "earlier").read_text().startswith("a file")


@pytest.mark.usefixtures("cache")
def test_machines_of_one_kind_that_share_a_home_have_two_files() -> None:
    machine = made_machine(2)
    files = {earlier_file(msgspec.structs.replace(machine, hostname=name)) for name in ("node1", "node2")}
    assert len(files) == 2
    assert None not in files


def test_a_simulated_machine_has_no_earlier_runs(tmp_path: Path) -> None:
    manifest = start.begin(
        "stream", suites["stream"].read({"target": "sim:optane100", "kernels": "read", "array": "64MiB"}), "",
        ("tierscope",), tmp_path / "run",
    )[1]  # fmt: skip
    assert earlier_for(manifest) is None


# what a reader sees


def seen(run: Run, known: Earlier | None) -> Run:
    """The same run, as if it had begun after others."""
    return Run(path=run.path, result=msgspec.structs.replace(run.result, earlier=known))


KNOWN = Earlier(
    runs=12, since="2026-11-20T00:00:00+00:00", kinds=(Between(kind="stream line", variance=0.01, degrees=11),)
)


@pytest.mark.usefixtures("cache")
def test_only_a_guest_is_assumed_to_change_and_only_what_it_shares(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = measured(tmp_path / "run", monkeypatch)
    assert run.result.earlier == Earlier()
    identity = run.result.machine.identity
    machine = msgspec.structs.replace(run.result.machine, identity=msgspec.structs.replace(identity, hypervisor="KVM"))
    manifest = msgspec.structs.replace(load_manifest(run.path), machine=machine)
    found = earlier_for(manifest)
    assert found
    assert found.shown() == Earlier(assumed=GUEST)
    guest, bare = seen(run, Earlier(assumed=GUEST)), seen(run, Earlier())
    assert half(guest) > half(bare) + 0.02
    assert all(row.reasons and row.reasons[-1].endswith(NOT_YET) for row in tables["stream"].rows(guest))
    own = [msgspec.structs.replace(one, size_bytes=1 << 40) for one in identity.caches]
    private = msgspec.structs.replace(
        run.result.machine, identity=msgspec.structs.replace(identity, caches=tuple(own), cpus=identity.cpus[:1])
    )
    inside = [Run(path=one.path, result=msgspec.structs.replace(one.result, machine=private)) for one in (guest, bare)]
    assert half(inside[0]) == half(inside[1])


def sure(run: Run) -> str:
    (text,) = (one.text for one in top(gather(run)).answers if one.question == "How sure?")
    return text


def test_the_top_states_what_the_intervals_contain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured(tmp_path / "run", monkeypatch)
    dated = Run(path=run.path, result=msgspec.structs.replace(run.result, started="2026-11-23T00:00:00+00:00"))
    assert "not slower changes" in sure(seen(dated, None))
    assert "as much again for slower changes, since no earlier runs" in sure(seen(dated, Earlier()))
    assert "slower changes as on other virtual machines (3 %) until four runs" in sure(
        seen(dated, Earlier(assumed=GUEST))
    )
    assert "slower changes as 12 earlier runs of 3 days show them" in sure(seen(dated, KNOWN))


def test_the_advice_is_to_run_again_until_the_drift_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = measured(tmp_path / "run", monkeypatch, between=0.03)
    first = gather(seen(run, Earlier()))
    assert BETWEEN in why(first)
    assert "0 earlier runs of this machine are known" in next_step(first)
    assert more_visits(first) == {}
    scattered = measured(tmp_path / "scattered", monkeypatch, between=0.1)
    assert BETWEEN in why(
        gather(seen(scattered, Earlier(assumed=GUEST)))
    )  # visits that differ more than a guest is assumed to
    for runs in (0, 7):  # of other suites
        guest = gather(seen(run, Earlier(runs=runs, assumed=GUEST)))
        assert "changes of this machine from run to run are not known yet" in why(guest)
        assert next_step(guest).startswith("repeat it: four runs of the same points")
    known = gather(seen(run, KNOWN))
    assert KNOWN.runs >= ENOUGH_RUNS
    assert SLOWLY in why(known)
    (precision,) = less_precision(known).values()
    assert f"ask for a precision that this machine has (precision={precision})" in next_step(known)
    found = [row.bandwidth for row in tables["stream"].rows(known.run) if row.bandwidth]
    assert sum(one.relative <= float(precision.strip("%")) / 100 for one in found) >= 0.75 * len(found)
    assert any(f"precision={precision}" in step.command for step in top(known).steps)
    assert more_visits(gather(seen(run, None)))
