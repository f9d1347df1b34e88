"""Objects of a program: grouped by stacks, chosen for a size, and reported with bounds."""

import io
import itertools

import numpy as np
import pytest
from rich.console import Console

from tierscope.errors import MachineError
from tierscope.predict.objects import symbols
from tierscope.predict.objects.choice import best, bytes_of, growing
from tierscope.predict.objects.objects import ProgramObject, moved_bytes, objects_of, shares
from tierscope.predict.objects.placed import OTHER_WAY, STATIC, Again, Ends, Placed, placed
from tierscope.predict.objects.stored import placements
from tierscope.predict.objects.symbols import Frame, named, parsed
from tierscope.predict.objects.text import show, waits
from tierscope.predict.program.anchor import anchor
from tierscope.predict.program.mixture import mixed
from tierscope.predict.program.native import Native
from tierscope.simulated import tracer
from tierscope.simulated.replay import Traced
from tierscope.stats.median import Interval

PLACES = (
    ("rest\t", 0, 0),
    ("data\t/lib/libc.so.6", 100, 1),
    ("site\t/none/p+0x10\t/none/p+0x20", 1000, 2),
    ("site\t/none/p+0x10\t/none/p+0x30", 3000, 4),
)


def of(seconds: float, *waits: float, places: tuple[tuple[str, int, int], ...] = PLACES) -> Traced:
    used = tuple((number, wait, 2.0, 1.0) for number, wait in enumerate(waits))
    return Traced(machine="sim:m", instructions=2_000_000, loads=1, stores=1, counters={}, seconds=seconds, ended=0,
                  places=places, objects=used, parts=((0, 2_000_000, seconds),))  # fmt: skip


def one(size: int, name: str = "a") -> ProgramObject:
    return ProgramObject(name, "site", (name,), size, 1, (1,), (name,))


def test_the_objects_are_places_and_static_data() -> None:
    found = objects_of(of(1.0))
    assert [(one.name, one.bytes, one.allocations) for one in found] == [
        ("p+0x10 < p+0x30", 3000, 4),
        ("p+0x10 < p+0x20", 1000, 2),
        ("static data of libc.so.6", 100, 1),
    ]
    assert found[0].names == ("site\t/none/p+0x10\t/none/p+0x30",)


def test_static_data_that_exec_loads_again_are_one_object() -> None:
    """A set is moved by name, so each name has one object. Never are both there."""
    places = (("rest\t", 0, 0), ("data\t", 100, 1), ("data\t/lib/a.so", 10, 1), ("data\t", 300, 1))
    found = objects_of(of(1.0, places=places))
    assert [(one.name, one.bytes, one.allocations, one.places, one.names) for one in found] == [
        ("static data of the program", 300, 2, (1, 3), ("data\t",)),
        ("static data of a.so", 10, 1, (2,), ("data\t/lib/a.so",)),
    ]


def test_a_recursion_of_any_depth_is_one_object(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = {0x10: "get", 0x20: "tree", 0x21: "tree", 0x22: "tree", 0x30: "main", 0x40: "start"}

    def known(frames: set[Frame]) -> dict[Frame, Frame]:
        return {frame: Frame(frame.module, frame.offset, functions[frame.offset]) for frame in frames}

    monkeypatch.setattr("tierscope.predict.objects.objects.named", known)
    stacks = ([0x10, 0x20, 0x30, 0x40], [0x10, 0x20, 0x21, 0x30], [0x10, 0x20, 0x22, 0x21, 0x30], [0x10, 0x30])
    places = tuple(("site\t" + "\t".join(f"/none/p+{at:#x}" for at in stack), 10, 1) for stack in stacks)
    found = objects_of(of(1.0, places=(("rest\t", 0, 0), *places)))
    assert [(one.name, one.places) for one in found] == [("get < tree", (1, 2, 3)), ("get < main", (4,))]
    assert found[0].stack == ("get", "tree", "main")


def test_names_are_as_long_as_they_must_be() -> None:
    places = (("rest\t", 0, 0), *((f"site\t/none/p+0x1\t/none/p+0x2\t/none/p+{last}", 1, 1) for last in ("0x3", "0x4")))
    assert [one.name for one in objects_of(of(1.0, places=places))] == [
        "p+0x1 < p+0x2 < p+0x3",
        "p+0x1 < p+0x2 < p+0x4",
    ]


def test_shares_are_of_what_the_tier_adds() -> None:
    fast, slow = of(1.0, 0.1, 0.0, 0.2, 0.1), of(2.0, 0.2, 0.0, 0.9, 0.3)
    objects = objects_of(slow)
    share = shares(objects, slow, fast)
    assert share is not None
    assert share == pytest.approx([0.2, 0.7, 0.0])  # the rest has 0.1
    assert shares(objects, fast, slow) is None
    assert moved_bytes(objects[0], slow) == 3 * 64


def test_an_object_that_waits_less_on_the_tier_has_no_share() -> None:
    fast, slow = of(1.0, 0.1, 0.0, 0.5, 0.1), of(2.0, 0.1, 0.0, 0.4, 0.6)
    share = shares(objects_of(slow), slow, fast)
    assert share == pytest.approx([1.0, 0.0, 0.0])


@pytest.mark.parametrize("seed", range(20))
def test_no_other_set_of_that_size_is_better(seed: int) -> None:
    draw = np.random.default_rng(seed)
    objects = [one(int(size)) for size in draw.integers(1, 1 << 30, 8)]
    share = draw.dirichlet(np.ones(8))
    size = int(draw.integers(1, 1 << 32))
    found = best(objects, share, size)
    assert bytes_of(objects, found) <= size
    sets = itertools.chain.from_iterable(itertools.combinations(range(8), count) for count in range(9))
    most = max(share[list(chosen)].sum() for chosen in sets if bytes_of(objects, chosen) <= size)
    assert share[list(found)].sum() == pytest.approx(most, abs=0.002)  # objects below 0.1 % are left out


def test_nothing_fits_in_nothing() -> None:
    assert best([one(10)], np.array([1.0]), 0) == ()
    assert best([], np.array([]), 100) == ()


def test_sets_grow_by_share_per_byte_and_are_few() -> None:
    objects = [one(100), one(10), one(1000), one(10)]
    assert growing(objects, np.array([0.3, 0.5, 0.2, 0.0])) == [(), (1,), (0, 1), (0, 1, 2)]
    many = growing([one(10)] * 500, np.full(500, 1 / 500))
    assert len(many) < 40
    assert many[-1] == tuple(range(500))
    assert all(set(a) < set(b) for a, b in itertools.pairwise(many))


def test_a_share_of_the_way_is_taken_part_by_part() -> None:
    half = mixed(of(3.0), of(1.0), 0.5)
    assert half.seconds == 2.0
    assert half.parts == ((0, 2_000_000, 2.0),)
    assert mixed(of(3.0), of(1.0), 0.0).seconds == 3.0


HERE = Interval(1.0, 1.0, 1.0, 9)
OTHERS = ("far-1", "far-2", "far-3")  # cores but the own one
FIRST = {"near": of(1.0, 0.0, 0.0, 0.0, 0.0), "far": of(2.0, 0.0, 0.0, 0.75, 0.25)}


def placing(
    found: dict[str, Traced], tmp_path, again=None, fast: tuple[int, ...] = (), measured: float = 1.0
) -> Placed:  # type: ignore[no-untyped-def]
    time = Interval(measured, measured, measured, 9)
    here = anchor(Native(time, time, 0.0, 9), [found["near"]] * (1 + len(OTHERS)))
    found = dict.fromkeys(OTHERS, found["far"]) | found
    ends = Ends("far", ["near"] * (1 + len(OTHERS)), ["far", *OTHERS], found)
    (made,) = placed([ends], here, fast, Again(tmp_path, "here.toml", again or (lambda words: replayed(found, words))))
    return made


def replayed(found: dict[str, Traced], words) -> dict[str, Traced]:  # type: ignore[no-untyped-def]
    """Return a second trace in which each set saves a bit less than its waits."""
    times = {}
    for word in words:
        if ",objects=" not in word:
            times[word] = found[word]
            continue
        with open(word.partition(",objects=")[2]) as file:
            memory, *names = file.read().splitlines()
        assert memory == "here.toml"
        saved = {PLACES[2][0]: 0.7, PLACES[3][0]: 0.2}
        times[word] = of(2.0 - sum(saved.get(name, 0.0) for name in names))
    return times


def test_the_replay_gives_the_time_and_the_bounds_contain_the_waits(tmp_path) -> None:  # type: ignore[no-untyped-def]
    made = placing(FIRST, tmp_path, fast=(1500, 1))
    assert [point.bytes for point in made.curve] == [0, 1000, 4000]
    assert [point.answer.ratio for point in made.curve] == pytest.approx([2.0, 1.3, 1.1])
    assert [point.estimated for point in made.curve] == pytest.approx([0.0, 0.75, 1.0])
    low, high = made.curve[1].answer.low, made.curve[1].answer.high
    assert (low, high) == pytest.approx((1.25, 1.3))
    some, none = made.best
    assert (some.fast, some.bytes, some.answer.ratio) == (1500, 1000, pytest.approx(1.3))
    assert none.objects == ()


def test_sizes_that_round_to_one_text_differ_in_it_and_each_is_answered_once(tmp_path) -> None:  # type: ignore[no-untyped-def]
    made = placing(FIRST, tmp_path, fast=(8 << 20, 8 << 20, (8 << 20) + 1024))
    assert [point.fast for point in made.best] == [8 << 20, (8 << 20) + 1024]
    said = io.StringIO()
    show(made, Console(file=said, width=200))
    assert "With 8388608 B: these 2 of 3 objects" in said.getvalue()
    assert "With 8389632 B: these 2 of 3 objects" in said.getvalue()


def test_bounds_of_a_set_contain_one_more_core(tmp_path) -> None:  # type: ignore[no-untyped-def]
    cores = {name: of(time, 0.0, 0.0, 0.75, 0.25) for name, time in zip(OTHERS, (2.0, 2.1, 2.2), strict=True)}
    found = placing(FIRST | cores, tmp_path).curve[0].answer
    reach = 2.92 * 0.1 * (1 + 1 / 3) ** 0.5  # t with two degrees of freedom at 95 % on one side, for one more
    assert (found.low, found.high) == pytest.approx((2.1 - reach, 2.1 + reach), rel=0.002)


def test_what_is_found_is_shown_and_written(tmp_path) -> None:  # type: ignore[no-untyped-def]
    made = placing(FIRST, tmp_path, fast=(1500, 1))
    said = io.StringIO()
    show(made, Console(file=said, width=160))
    text = " ".join(said.getvalue().split())
    assert "75.0% 1000 B 2 192 B p+0x10 < p+0x20" in text
    assert (
        "With 1.46 KiB: this one of 3 objects, 1000 B, in the memory here: 1.30x (1.25 to 1.30) instead of 2.00x"
        in text
    )
    assert "With 1 B of the memory here: no object that waits for far fits" in text
    document = made.document()
    assert [row["ratio"] for row in document["curve"]] == pytest.approx([2.0, 1.3, 1.1])
    assert document["best"][0]["objects"] == ["p+0x10 < p+0x20"]
    assert document["objects"][1]["stack"] == ["p+0x10", "p+0x20"]


def test_what_is_stored_has_the_few_that_matter_and_the_others_together(tmp_path) -> None:  # type: ignore[no-untyped-def]
    made = placing(FIRST, tmp_path, fast=(1500,))
    (stored, refused) = placements([made, Placed("other", unknown=STATIC)])
    assert [(one.name, one.kind) for one in stored.objects] == [
        ("p+0x10 < p+0x20", "site"),
        ("p+0x10 < p+0x30", "site"),
        ("static data of libc.so.6", "data"),  # it waits for nothing, and moves bytes
        ("the rest", "rest"),
    ]
    assert sum(one.share for one in stored.objects) == pytest.approx(1)
    assert sum(one.moved_bytes for one in stored.objects) == 4 * 3 * 64
    assert [(one.fast_bytes, one.objects) for one in stored.sets] == [
        (None, ()),
        (None, (0,)),
        (None, (0, 1)),
        (1500, (0,)),
    ]
    assert [one.ratio for one in stored.sets] == pytest.approx([2.0, 1.3, 1.1, 1.3])
    assert (refused.objects, refused.unknown) == ((), STATIC)


def test_objects_of_one_name_are_distinguished_and_small_ones_are_joined() -> None:
    small = [one(8, f"s{i}") for i in range(30)]
    made = Placed("far", (one(1, "f"), one(2, "f"), *small), (0.5, 0.4, *(0.0001 for _ in small)),
                  (64.0, 64.0, *(0.0 for _ in small)), 200.0)  # fmt: skip
    (stored,) = placements([made])
    assert [one.name for one in stored.objects] == ["f", "f (2)", "30 other objects", "the rest"]
    assert stored.objects[2].bytes == 240
    assert stored.objects[3].moved_bytes == pytest.approx(72)
    assert stored.count == 32


def test_the_objects_of_one_machine_are_reported_by_their_waits() -> None:
    said = io.StringIO()
    Console(file=said, width=160).print(waits(of(2.0, 0.2, 0.0, 0.8, 0.3)))
    text = " ".join(said.getvalue().split())
    assert "40.0% 1000 B 2 192 B p+0x10 < p+0x20 15.0% 2.93 KiB 4 192 B p+0x10 < p+0x30" in text
    assert text.endswith("10.0% the rest: stacks and what is not an object")


def test_an_anchor_that_is_not_known_leaves_shares(tmp_path) -> None:  # type: ignore[no-untyped-def]
    made = placing(FIRST, tmp_path, fast=(1500,), measured=9.0)
    assert made.curve[1].answer.ratio is None
    assert made.curve[1].share == pytest.approx(0.7)
    said = io.StringIO()
    show(made, Console(file=said, width=160))
    assert "70% less added time by the model; the time itself is not known" in " ".join(said.getvalue().split())


def test_what_cannot_be_placed_has_a_reason(tmp_path) -> None:  # type: ignore[no-untyped-def]
    def never(_: object) -> dict[str, Traced]:
        raise AssertionError

    static = {name: of(time, 0.0, places=PLACES[:2]) for name, time in (("near", 1.0), ("far", 2.0))}
    assert placing(static, tmp_path, never).unknown == STATIC
    alike = {"near": FIRST["near"], "far": of(1.001, 0.0, 0.0, 0.1, 0.1)}
    assert "no object is worth a place" in placing(alike, tmp_path, never).unknown
    turned = placing(FIRST, tmp_path, lambda words: dict.fromkeys(words, of(1.0)))
    assert turned.unknown == OTHER_WAY
    said = io.StringIO()
    show(turned, Console(file=said, width=300))
    assert f"Objects on far: not known, because {OTHER_WAY}" in said.getvalue()


def test_a_frame_without_symbols_keeps_its_offset(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parsed("/lib/a+b.so+0x1f") == Frame("/lib/a+b.so", 0x1F)
    assert parsed("?+nothing").text == "?+nothing+0x0"
    frame = Frame("/no/such/module", 16)
    assert named([frame]) == {frame: frame}
    monkeypatch.setattr(symbols.shutil, "which", lambda _: None)
    assert named([frame])[frame].text == "module+0x10"


def test_a_tracer_without_its_library_is_refused(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    plugin = tmp_path / "tierscope-tracer.so"
    plugin.write_bytes(b"")
    monkeypatch.setenv("TIERSCOPE_TRACER", str(plugin))
    monkeypatch.setattr(tracer.shutil, "which", lambda name: f"/bin/{name}")
    monkeypatch.setattr(tracer, "runnable", list)
    monkeypatch.setattr(tracer.platform, "machine", lambda: "x86_64")
    with pytest.raises(MachineError, match="build the tracer again"):
        tracer.traced_words(["true"], 9, objects=True)
    (tmp_path / tracer.OBJECTS).write_bytes(b"")
    monkeypatch.setenv("LD_PRELOAD", "/lib/mine.so")
    words = tracer.traced_words(["true"], 9, objects=True)
    assert f"LD_PRELOAD={tmp_path / tracer.OBJECTS}:/lib/mine.so" in words
    assert "_TIERSCOPE_PRELOAD=/lib/mine.so" in words
