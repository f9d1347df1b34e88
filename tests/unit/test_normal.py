"""Is a machine normal: entries without names, bands of similar machines, verdicts, and what is refused."""

import json
from pathlib import Path

import msgspec
import numpy as np
import pytest

from made import Maker, add_groups, add_latency, add_stream
from said import say
from tierscope.compare.number import Number
from tierscope.errors import Exit, ResultError, UsageError
from tierscope.normal import store
from tierscope.normal.band import FEWEST, Band, Beside, Normal, _band, bands_of, normal
from tierscope.normal.entry import SCHEMA, Entry, Kind, Sure, entry_of, kind_of, read_entries
from tierscope.normal.kept import kept
from tierscope.normal.text import band_words, data, sentence
from tierscope.record.background import Background
from tierscope.record.machine import Cache
from tierscope.record.result import Run
from tierscope.tables import tables

KIND = Kind(family="GenuineIntel:6:143:8", cpus=4, packages=1, nodes=1, guest=False)

LIKE = Kind(family="f", cpus=2, packages=1, nodes=1, guest=True)


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    maker = Maker(tmp_path_factory.mktemp("normal") / "run")
    add_stream(maker)
    add_latency(maker)
    return maker.save("quick")


def entry(
    machine: int, value: float, kind: Kind = KIND, day: str = "2026-11-01", point: str = "triad, 1 thread"
) -> Entry:
    number = Sure(measure="stream", point=point, unit="B/s", value=value, low=value * 0.99, high=value * 1.01)
    return Entry(
        schema=SCHEMA,
        machine=f"{machine:012x}",
        kind=KIND,
        suite="stream",
        day=day,
        software="0.2.0",
        numbers=(number,),
    )


def like(run: Run, machines: int, factor: float = 1.0) -> list[Entry]:
    """Entries of machines of the run's kind, whose numbers are 1 % apart around `factor` times those of the run."""
    own = entry_of(run)
    found = []
    for machine in range(machines):
        scale = factor * (1 + 0.01 * (machine - (machines - 1) / 2))
        numbers = tuple(
            msgspec.structs.replace(one, value=one.value * scale, low=one.low * scale, high=one.high * scale)
            for one in own.numbers
        )
        found.append(msgspec.structs.replace(own, machine=f"{machine:012x}", numbers=numbers))
    return found


def test_an_entry_has_the_conclusive_numbers_and_no_name(run: Run) -> None:
    found = entry_of(run)
    assert found.numbers
    assert found.kind == kind_of(run.result.machine)
    text = store.document([found]).decode()
    assert run.result.machine.hostname not in text
    assert str(run.path) not in text
    assert read_entries(text.encode(), "text") == [found]


def test_a_run_of_another_origin_shows_nothing_of_machines(tmp_path: Path, run: Run) -> None:
    for origin in ("simulated", "emulated", "imported"):
        other = Run(path=run.path, result=msgspec.structs.replace(run.result, origin=origin))
        with pytest.raises(UsageError, match=origin):
            entry_of(other)


def test_a_band_is_of_each_machine_once_with_its_newest_number() -> None:
    entries = [entry(machine, 10e9 + machine * 1e9) for machine in range(6)]
    entries += [entry(0, 99e9, day="2026-10-01"), entry(1, 11e9, day="2026-10-01")]
    (band,) = bands_of(entries).values()
    assert band.machines == 6
    assert band.low == pytest.approx(11e9)
    assert band.middle == pytest.approx(12.5e9)
    assert band.high == pytest.approx(14e9)


@pytest.mark.parametrize(
    ("low", "value", "high", "conclusive", "verdict"),
    [(9.0, 9.5, 10.5, True, "normal"), (8.0, 9.0, 9.9, True, "low"), (20.1, 21.0, 22.0, True, "high"),
     (8.0, 9.0, 9.9, False, "inconclusive"), (19.0, 21.0, 23.0, True, "normal")],
)  # fmt: skip
def test_a_verdict_asks_for_the_whole_interval(
    low: float, value: float, high: float, conclusive: bool, verdict: str
) -> None:
    number = Number(value, low, high, conclusive)
    row = Beside("stream", "triad", "B/s", False, number, Band(10.0, 15.0, 20.0, FEWEST, 2.7, 0.2, (10.0, 20.0)))
    assert row.verdict == verdict
    assert row.worse == (verdict == "low")
    wait = Beside("latency", "1 GiB", "s", True, number, Band(10.0, 15.0, 20.0, FEWEST, 2.7, 0.2, (10.0, 20.0)))
    assert wait.worse == (verdict == "high")
    few = Beside("stream", "triad", "B/s", False, number, Band(10.0, 15.0, 20.0, FEWEST - 1, 2.7, 0.2, (10.0, 20.0)))
    assert few.verdict in ("not known", "inconclusive")


@pytest.mark.parametrize(
    ("machines", "words"),
    [
        (1, "10.0 GB/s, the one similar machine"),
        (FEWEST - 1, "10.0 GB/s to 13.0 GB/s, all 4 similar machines"),
        (FEWEST, "10.8 GB/s to 13.2 GB/s, 20 to 80 % of 5 machines"),
    ],
)
def test_fewer_machines_than_a_band_needs_are_named_as_what_they_are(machines: int, words: str) -> None:
    (band,) = bands_of([entry(machine, 10e9 + machine * 1e9) for machine in range(machines)]).values()
    assert band_words(band, "B/s") == words
    own = Number(1e9, 0.99e9, 1.01e9, True)
    row = Beside("stream", "triad, 1 thread", "B/s", False, own, band)
    (point,) = data(Normal(KIND, (row,), machines, 0))["points"]
    few = machines < FEWEST
    assert (point["band_low"] is None, point["verdict"], row.worse) == (few, "not known" if few else "low", not few)
    assert len(point["values"]) == point["machines"] == machines


@pytest.mark.parametrize(
    ("value", "less_is_better", "far"),
    [(9.5, False, False), (6.5, False, True), (40.0, False, False), (10.5, True, False), (15.5, True, True)],
)
def test_far_is_outside_of_what_one_more_machine_may_show(value: float, less_is_better: bool, far: bool) -> None:
    """Nine machines around 10, whose logarithms scatter by 0.1: 20 numbers ask for 3.83 times sqrt(1 + 1/9) of that."""
    number = Number(value, value * 0.99, value * 1.01, True)
    band = Band(9.2, 10.0, 10.9, 9, np.log(10.0), 0.1, (9.0, 11.0))
    assert Beside("stream", "triad", "1", less_is_better, number, band).far(20) == far


@pytest.mark.parametrize("machines", [FEWEST, 12, 40])
@pytest.mark.parametrize("alike", [0.0, 1.0])
def test_a_machine_like_the_others_is_seldom_called_unusual(machines: int, alike: float) -> None:
    """The alarms of 400 machines like the others, with 30 numbers that scatter by 10 %, independently or in step."""
    rng = np.random.default_rng(1995)
    alarms = 0
    for _ in range(400):
        own, step = rng.standard_normal((machines + 1, 30)), rng.standard_normal((machines + 1, 1))
        values = np.exp(0.1 * (alike * step + (1 - alike) * own))
        rows = tuple(
            Beside("stream", str(point), "B/s", False, Number(own, own, own, True), _band(those))
            for point, (own, *those) in enumerate(values.T.tolist())
        )
        alarms += bool(Normal(LIKE, rows, machines, 0).odd)
    assert alarms <= 0.075 * 400


def test_a_machine_half_as_fast_as_twelve_that_scatter_by_a_tenth_is_unusual() -> None:
    rng = np.random.default_rng(1995)
    found = 0
    for _ in range(100):
        values = np.exp(0.1 * rng.standard_normal((13, 30)))
        values[0, 3] *= 0.5
        rows = tuple(
            Beside("stream", str(point), "B/s", False, Number(own, own, own, True), _band(those))
            for point, (own, *those) in enumerate(values.T.tolist())
        )
        found += "3" in [row.point for row in Normal(LIKE, rows, 12, 0).odd]
    assert found >= 85


def test_only_machines_of_the_same_kind_count_and_never_the_machine_itself(run: Run) -> None:
    own, others = entry_of(run), like(run, FEWEST)
    kind = own.kind
    unlike = [
        msgspec.structs.replace(one, machine=f"{100 + number:012x}", kind=msgspec.structs.replace(kind, **change))
        for number, (one, change) in enumerate(
            (others[0], change)
            for change in ({"family": "other:1:2:3"}, {"cpus": kind.cpus + 1}, {"packages": 9}, {"nodes": 9},
                           {"guest": not kind.guest})
        )
    ]  # fmt: skip
    found = normal(run, [own, *unlike])
    assert (found.machines, found.others) == (0, 5)
    assert {row.verdict for row in found.rows} <= {"not known", "inconclusive"}
    assert sentence(found).startswith("Not known: no similar machine is known")
    found = normal(run, [own, *unlike, *others])
    assert found.machines == FEWEST
    sure = [row for row in found.rows if row.number.conclusive]
    assert {row.verdict for row in sure} == {"normal"}
    assert sentence(found).startswith("Yes")


def test_a_machine_that_is_slower_than_its_like_is_named_with_its_worst_numbers(run: Run) -> None:
    faster = [
        msgspec.structs.replace(one, numbers=tuple(_better(number) for number in one.numbers)) for one in like(run, 7)
    ]
    found = normal(run, faster)
    assert all(row.worse for row in found.rows if row.number.conclusive)
    assert sentence(found).startswith("No")


def _better(one: Sure) -> Sure:
    scale = 0.5 if one.unit == "s" else 2.0
    return msgspec.structs.replace(one, value=one.value * scale, low=one.low * scale, high=one.high * scale)


def test_the_command_adds_shares_imports_and_shows(tmp_path: Path, run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    folder = str(run.path)
    assert say(capfd, "normal", folder)[0] == Exit.INCONCLUSIVE
    assert say(capfd, "normal", "add", folder)[0] == Exit.GOOD
    assert len(store.own()) == 1
    assert say(capfd, "normal", "add", folder)[0] == Exit.GOOD
    assert len(store.own()) == 1  # the same machine and suite
    shared = tmp_path / "here.json"
    assert say(capfd, "normal", "share", folder, str(shared))[0] == Exit.GOOD
    assert read_entries(shared.read_bytes(), "shared") == store.own()
    others = tmp_path / "others.json"
    others.write_bytes(store.document(like(run, 6)))
    assert say(capfd, "normal", "import", str(others))[0] == Exit.GOOD
    status, out, _ = say(capfd, "normal", folder)
    assert status == Exit.GOOD
    assert "Yes" in out
    status, out, _ = say(capfd, "normal", folder, "--json")
    assert json.loads(out)["machines"] == 6


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "not a reference set"),
        ('{"schema": 1}', "not a reference set"),
        ('[{"schema": 99, "anything": "new"}]', "newer version"),
        ('[{"schema": 1, "machine": "0"}, {"schema": 99}]', "newer version"),
        ("[" * 100_000, "not a reference set"),
        ('[{"schema": 1, "hostname": "db-7"}]', "not a reference set"),
    ],
)
def test_a_set_that_is_damaged_newer_or_has_other_keys_is_refused(text: str, why: str) -> None:
    with pytest.raises(ResultError, match=why):
        read_entries(text.encode(), "set.json")


@pytest.mark.parametrize(
    "change",
    [
        {"hostname": "db-7.example"}, {"suite": "<script>alert(1)</script>"}, {"machine": "db-7"},
        {"day": "2026-11-01\n"}, {"software": "x" * 500}, {"suite": "\x1b[2J"}, {"software": "0.2.0 on db-7.example"},
        {"conditions": "db-7.example was idle"}, {"suite": "db-7.example"}, {"software": "7.example"},
    ],
)  # fmt: skip
def test_names_of_hosts_markup_and_control_letters_do_not_pass(change: dict[str, str]) -> None:
    made = json.loads(store.document([entry(1, 1e9)]))
    made[0].update(change)
    with pytest.raises(ResultError):
        read_entries(json.dumps(made).encode(), "set.json")


@pytest.mark.parametrize(
    ("part", "change"),
    [
        ("kind", {"family": "db-7.example"}), ("kind", {"family": "/home/me"}), ("number", {"measure": "db-7.example"}),
        ("number", {"unit": "db-7"}), ("number", {"point": "read on db-7.example"}),
        ("number", {"point": "read, 10.0.0.7"}), ("number", {"point": "cmd /home/me/solve"}),
        ("number", {"point": "solve.exe"}), ("number", {"point": "me@db"}), ("number", {"low": 2e9}),
    ],
)  # fmt: skip
def test_no_text_of_an_entry_has_space_for_an_address_or_a_path(part: str, change: dict[str, object]) -> None:
    made = json.loads(store.document([entry(1, 1e9)]))
    {"kind": made[0]["kind"], "number": made[0]["numbers"][0]}[part].update(change)
    with pytest.raises(ResultError):
        read_entries(json.dumps(made).encode(), "set.json")


def test_commands_of_the_user_and_arrays_in_a_cache_are_not_kept(tmp_path: Path, run: Run) -> None:
    assert {"stream", "latency"} <= set(kept(run))
    cache = Cache(level=3, kind="Unified", size_bytes=1 << 40, ways=16, line_bytes=64, cpus=(0,))
    identity = msgspec.structs.replace(run.result.machine.identity, caches=(cache,))
    machine = msgspec.structs.replace(run.result.machine, identity=identity)
    large = Run(path=run.path, result=msgspec.structs.replace(run.result, machine=machine))
    assert set(kept(large)) == {"latency"}  # its points name their footprints
    maker = Maker(tmp_path / "own")
    add_groups(maker)
    assert kept(maker.save("groups")) == {}
    assert all(
        column.private
        for table, key in (("neighbors", "command"), ("response", "command"), ("prediction", "command"))
        for column in tables[table].columns
        if column.name == key
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("add",), "normal add needs RUN"), (("share", "runs/A"), "needs RUN and FILE"), (("import",), "needs FILE"),
        (("share", "a", "b", "c"), "needs RUN and FILE"), (("add", "a", "--json"), "leave out --json"),
    ],
)  # fmt: skip
def test_a_word_without_what_it_needs_is_not_taken_for_a_run(
    words: tuple[str, ...], why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    status, _, err = say(capfd, "normal", *words)
    assert status == Exit.USAGE
    assert why in err


@pytest.mark.parametrize("value", ["1e400", "-1", "0", "NaN"])
def test_numbers_that_nothing_can_have_are_refused(value: str) -> None:
    text = store.document([entry(1, 1234567.0)]).decode().replace("1234567.0", value)
    with pytest.raises(ResultError):
        read_entries(text.encode(), "set.json")


def test_a_damaged_set_of_the_user_is_named_and_not_changed(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    store.place().parent.mkdir(parents=True)
    store.place().write_text("{")
    status, _, err = say(capfd, "normal", "add", str(run.path))
    assert status == Exit.USAGE
    assert "normal.json" in err
    assert store.place().read_text() == "{"


def test_the_shipped_set_has_own_measurements_with_their_conditions() -> None:
    shipped = store.known()
    assert shipped
    for one in shipped:
        assert one.numbers
        assert "other programs used" in one.conditions
        assert not [number for number in one.numbers if "moment" in number.point]
        assert all(number.low <= number.value <= number.high for number in one.numbers)


def test_a_set_of_the_first_version_has_no_conditions_and_is_read() -> None:
    made = json.loads(store.document([entry(1, 1e9)]))
    made[0] |= {"schema": 1}
    del made[0]["conditions"]
    (found,) = read_entries(json.dumps(made).encode(), "set.json")
    assert found.conditions == ""
    made[0] |= {"schema": SCHEMA, "conditions": "<b>quiet</b>"}
    with pytest.raises(ResultError):
        read_entries(json.dumps(made).encode(), "set.json")


def test_an_entry_states_what_other_programs_used(run: Run) -> None:
    records = [msgspec.structs.replace(one, background=Background(cpus=0.125)) for one in run.result.records]
    watched = Run(path=run.path, result=msgspec.structs.replace(run.result, records=tuple(records), visits=()))
    words = f"other programs used 0.12 CPUs (mean of {len(records)} visits)"
    assert entry_of(watched).conditions == words


def test_two_runs_at_the_same_time_are_refused(run: Run, capfd: pytest.CaptureFixture[str]) -> None:
    status, _, err = say(capfd, "normal", str(run.path), str(run.path))
    assert status == Exit.USAGE
    assert "normal add" in err
