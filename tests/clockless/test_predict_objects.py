"""Objects of known use, placed: found by their call stacks, chosen by their waits, and replayed on two memories.

The truth is a core with hidden parameters, on which the same objects are really placed.
"""

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from needs import TRACER
from tierscope.predict.objects.choice import Set
from tierscope.predict.objects.objects import objects_of, shares
from tierscope.predict.objects.placed import STATIC, Again, Ends, Placed, placed
from tierscope.predict.program.anchor import anchor, seconds_of
from tierscope.predict.program.cores import cores
from tierscope.simulated.replay import Traced, replayed
from tierscope.simulated.trace import words_of
from two_memories import LIMIT_S, exactly, often, two_machines

pytestmark = TRACER

FOLDER = Path(__file__).parent
SMALL, LARGE = (
    {"core.width": width, "core.reorder": reorder, "core.store_buffer": stores, "cpu.loads": loads}
    for width, reorder, stores, loads in ((3.0, 160.0, 40.0, 12.0), (6.0, 400.0, 100.0, 24.0))
)
CORES = ("", *cores(SMALL, LARGE, [""]))
HIDDEN = ",core.width=5,core.reorder=300,core.store_buffer=70,cpu.loads=20"
ROUNDS = 3
Build = Callable[..., Path]
Replay = Callable[[Sequence[str]], dict[str, Traced]]


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    def made(source: Path, *words: str, compiler: str = "cc") -> Path:
        program = tmp_path_factory.mktemp("placed") / "program"
        subprocess.run([compiler, "-O1", "-g", "-pthread", *words, "-o", program, source], check=True)
        return program

    return made


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Return this machine and the tier, as words."""
    return two_machines(tmp_path_factory.mktemp("machines"))


def replay_of(program: Path, *words: str) -> Replay:
    def replay(machines: Sequence[str]) -> dict[str, Traced]:
        with tempfile.TemporaryFile() as said:
            found = replayed(words_of(machines), [str(program), *words], output=said.fileno(), limit_s=LIMIT_S,
                             objects=True)  # fmt: skip
        return dict(zip(machines, found, strict=True))

    return replay


@pytest.fixture(scope="module")
def replay(build: Build) -> Replay:
    return replay_of(build(FOLDER / "placed_program.c"), str(ROUNDS))


@pytest.fixture(scope="module")
def found(
    replay: Replay, machines: tuple[str, str], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Placed, dict[Set, float]]:
    """Return the placement that is predicted, and the true ratio of each set, on the hidden core."""
    near, far = machines
    first = replay([near + core for core in (HIDDEN, *CORES)] + [far + core for core in (HIDDEN, *CORES)])
    first = {word: often(one) for word, one in first.items()}
    here = anchor(exactly(first[near + HIDDEN]), [first[near + core] for core in CORES])
    ends = Ends("far", [near + core for core in CORES], [far + core for core in CORES], first)
    folder = tmp_path_factory.mktemp("sets")

    def again(words: Sequence[str]) -> dict[str, Traced]:
        return {word: often(one) for word, one in replay(words).items()}

    (made,) = placed([ends], here, (3 << 19, 64, 1 << 40), Again(folder, near, again))

    words = {}
    for number, chosen in enumerate({point.objects for point in (*made.curve, *made.best)}):
        path = folder / f"truth-{number}.txt"
        path.write_text("\n".join([near, *(name for i in chosen for name in made.objects[i].names)]) + "\n")
        words[chosen] = f"{far}{HIDDEN},objects={path}"
    times = replay([near + HIDDEN, *words.values()])
    return made, {chosen: seconds_of(times[word]) / seconds_of(times[near + HIDDEN]) for chosen, word in words.items()}


def of(made: Placed, function: str) -> int:
    """Return the object that this function of the program allocates."""
    (number,) = [i for i, one in enumerate(made.objects) if len(one.stack) > 1 and one.stack[1].startswith(function)]
    return number


def test_objects_are_found_by_their_stacks_and_sizes(found: tuple[Placed, object]) -> None:
    made, _ = found
    sizes = {name: made.objects[of(made, name)].bytes for name in ("chased", "streamed", "cold", "tree")}
    assert sizes == {"chased": 1 << 20, "streamed": 1 << 21, "cold": 1 << 22, "tree": 1023 * 128}
    tree = made.objects[of(made, "tree")]
    assert tree.allocations == 1023  # all depths of the recursion
    assert tree.stack[-1].startswith("main (placed_program.c:")
    assert next(one.stack[0] for one in made.objects if one.kind == "data").startswith("static data of ")
    assert not any("tierscope" in name for one in made.objects for name in one.stack)


def test_what_is_chased_waits_most_and_what_is_streamed_moves_most(found: tuple[Placed, object]) -> None:
    made, _ = found
    chased, streamed, cold = (of(made, name) for name in ("chased", "streamed", "cold"))
    assert made.shares[chased] > 0.6
    assert made.shares[chased] > made.shares[streamed] > 0.05
    assert made.shares[cold] < 0.001
    visits = ROUNDS + 2  # read to be written, read in each round, written back
    assert made.moved[streamed] == pytest.approx(visits * (1 << 21), rel=0.02)
    assert made.moved[streamed] > made.moved[chased] > made.moved[cold]


def test_the_best_set_for_a_size_is_what_is_chased(found: tuple[Placed, object]) -> None:
    made, _ = found
    some, none, every = made.best
    assert of(made, "chased") in some.objects
    assert of(made, "streamed") not in some.objects  # both do not fit in 1.5 MiB
    assert some.bytes <= 3 << 19
    assert none.objects == ()
    assert {of(made, "chased"), of(made, "streamed")} <= set(every.objects)
    assert of(made, "cold") not in every.objects  # it is worth no memory at all


def test_predicted_times_are_those_of_objects_really_placed(
    found: tuple[Placed, dict[Set, float]],
) -> None:
    """Each point of the curve and each best set, in another trace. The prediction does not know the core."""
    made, truth = found
    for point in (*made.curve, *made.best):
        true, answer = truth[point.objects], point.answer
        assert answer.ratio == pytest.approx(true, rel=0.08)
        assert answer.low is not None
        assert answer.high is not None
        assert answer.low <= true <= answer.high


def test_waits_alone_foresee_what_the_replay_shows(found: tuple[Placed, object]) -> None:
    made, _ = found
    for point in (*made.curve, *made.best):
        assert point.estimated == pytest.approx(point.share, abs=0.03)
    ratios = [point.answer.ratio for point in made.curve]
    assert ratios == sorted(ratios, key=lambda ratio: -(ratio or 0))
    assert made.curve[-1].share == pytest.approx(1, abs=0.02)


def test_a_static_program_states_no_objects(build: Build, machines: tuple[str, str], tmp_path: Path) -> None:
    near, far = machines
    first = replay_of(build(FOLDER / "placed_program.c", "-static"), "1")([near, far])
    here = anchor(exactly(often(first[near])), [first[near]])
    (made,) = placed([Ends("far", [near], [far], first)], here, (), Again(tmp_path, near, lambda _: {}))
    assert made.unknown == STATIC


SHOWS = """#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
int main() {
  std::vector<long> all(1 << 17, 1);
  long sums[2] = {0, 0};
  std::atomic<int> alive{0};
  auto add = [&](int t) {
    for (++alive; alive < 2;) std::this_thread::yield();
    for (int k = 0; k < 4; ++k) for (size_t i = t; i < all.size(); i += 2) sums[t] += all[i];
  };
  std::thread one(add, 0), two(add, 1);
  one.join();
  two.join();
  void* moved = std::realloc(std::malloc(100), 1 << 16);
  std::printf("%ld %s %s\\n", sums[0] + sums[1], std::getenv("LD_PRELOAD") ? "seen" : "unseen", moved ? "moved" : "");
  std::free(moved);
}
"""


def test_threads_use_what_another_allocated_and_the_program_sees_no_tracer(
    build: Build, machines: tuple[str, str], tmp_path: Path
) -> None:
    (tmp_path / "shows.cpp").write_text(SHOWS)
    program = build(tmp_path / "shows.cpp", compiler="c++")
    with tempfile.TemporaryFile() as said:
        near, far = replayed(words_of(machines), [str(program)], output=said.fileno(), limit_s=LIMIT_S, objects=True)
        said.seek(0)
        assert said.read().split() == [b"524288", b"unseen", b"moved"]
    assert (far.ended, far.whole, far.threads) == (0, True, 3)
    objects = objects_of(far)
    (vector,) = [one for one in objects if one.bytes == 1 << 20 and one.kind == "site"]
    share = shares(objects, far, near)
    assert share is not None
    assert share[objects.index(vector)] > 0.5
    assert [one.allocations for one in objects if one.bytes == 1 << 16] == [1]


@pytest.mark.parametrize("sampling", ["all=100000,skip=200000,warm=50000,unit=50000"])
def test_objects_are_known_in_the_parts_that_are_not_traced(
    build: Build, machines: tuple[str, str], sampling: str
) -> None:
    program = build(FOLDER / "placed_program.c")
    with tempfile.TemporaryFile() as said:
        near, far = replayed(words_of(machines), [str(program), str(ROUNDS)], sampling=sampling, output=said.fileno(),
                             limit_s=LIMIT_S, objects=True)  # fmt: skip
    assert far.untraced_instructions > far.instructions / 2
    objects = objects_of(far)
    share = shares(objects, far, near)
    assert share is not None
    made = replace(Placed("far"), objects=tuple(objects))
    assert objects[of(made, "tree")].allocations == 1023
    assert share[of(made, "chased")] > 0.5
