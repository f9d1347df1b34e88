"""A program whose objects are in two memories: sets of objects are really placed, and the program is replayed.

    share of a set        (T(tier) - T(set)) / (T(tier) - T(here)), of the own core, in a second trace
    time of a set         T(tier) - share * (T(tier) - T(here)), of each core in the first trace, anchored as any other

T: model time. The sets are chosen by the waits of the own core in the first trace. In the second trace, the objects of
a set are in the memory of this machine, and the rest is on the tier: it shows what the set is worth. Other cores are
not replayed for each set. Their share is that of their own waits, with and without the difference that the replay shows
for the own core. The bounds contain both.
Blind to: other addresses of the objects in the memory that they move to, and so other sets of caches.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tierscope.predict.objects.choice import Set, best, bytes_of, growing
from tierscope.predict.objects.objects import ProgramObject, Shares, all_moved_bytes, moved_bytes, objects_of, shares
from tierscope.predict.program.anchor import Anchor, seconds_of
from tierscope.predict.program.answer import Answer, anchored
from tierscope.predict.program.front_end import replayed
from tierscope.predict.program.mixture import mixed
from tierscope.simulated.replay import Traced

LEAST = 0.01  # of the time, that a tier must add: below it, no object is worth a place
OTHER_WAY = "the tier adds time in the first trace, and none in the second: the program does not do the same each time"
STATIC = ("the program stated no allocation: it is static, or has an allocator of its own that is linked into it; "
          "link it dynamically")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ends:
    """A tier in the first trace. own, there: words of the cores here and on the tier, own core first."""

    tier: str
    own: Sequence[str]
    there: Sequence[str]
    found: Mapping[str, Traced]

    @property
    def pairs(self) -> list[tuple[Traced, Traced]]:
        """Return each core here and on the tier."""
        return [(self.found[a], self.found[b]) for a, b in zip(self.own, self.there, strict=True)]

    @property
    def again(self) -> tuple[str, str]:
        """Return the words of the own core here and on the tier for another replay."""
        return replayed(self.own[0]), replayed(self.there[0])


@dataclass(frozen=True, slots=True)
class Again:
    """The second trace. folder: for files of sets; memory: words of a machine with the memory here."""

    folder: Path
    memory: str
    replay: Callable[[Sequence[str]], Mapping[str, Traced]]


@dataclass(frozen=True, slots=True)
class Point:
    """A set of objects in the memory here. share: of what the tier adds, replayed; estimated: by waits alone."""

    objects: Set
    bytes: int
    share: float
    estimated: float
    answer: Answer
    fast: int | None = None  # the size for which it is the best set; None: it is a point of the curve


@dataclass(frozen=True, slots=True)
class Placed:
    """The objects of a program on one tier, and sets of them. unknown: why there are none."""

    tier: str
    objects: tuple[ProgramObject, ...] = ()
    shares: tuple[float, ...] = ()  # of what the tier adds, by object
    moved: tuple[float, ...] = ()  # bytes that the memory reads and writes, by object
    moved_all: float = 0.0  # the same of the whole program
    curve: tuple[Point, ...] = ()
    best: tuple[Point, ...] = ()
    unknown: str = ""

    def document(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "tier": self.tier,
            "unknown": self.unknown,
            "objects": [
                {"name": one.name, "kind": one.kind, "stack": list(one.stack), "bytes": one.bytes,
                 "allocations": one.allocations, "share": share, "moved_bytes": moved}
                for one, share, moved in zip(self.objects, self.shares, self.moved, strict=True)
            ],
            "curve": [self._row(point) for point in self.curve],
            "best": [{"fast_bytes": point.fast, **self._row(point)} for point in self.best],
        }  # fmt: skip

    def _row(self, point: Point) -> dict[str, Any]:
        answer = point.answer
        return {
            "bytes": point.bytes, "objects": [self.objects[i].name for i in point.objects], "ratio": answer.ratio,
            "low": answer.low, "high": answer.high, "seconds": answer.seconds, "share": point.share,
            "estimated_share": point.estimated,
        }  # fmt: skip


def placed(tiers: Sequence[Ends], here: Anchor, fast: Sequence[int], again: Again) -> tuple[Placed, ...]:
    """Return the objects on each tier, after one more trace for all of them."""
    wanted = [_wanted(one, fast) for one in tiers]
    words: list[str] = []
    for number, one in enumerate(wanted):
        if not one.unknown:
            words += [*one.ends.again, *_placements(one, again, number).values()]
    found = again.replay(list(dict.fromkeys(words))) if words else {}
    return tuple(
        Placed(one.ends.tier, unknown=one.unknown) if one.unknown
        else _answered(one, here, found, _placements(one, again, number))
        for number, one in enumerate(wanted)
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Wanted:
    """The replays that a tier needs. shares: by core, own first."""

    ends: Ends
    objects: tuple[ProgramObject, ...] = ()
    shares: tuple[Shares | None, ...] = ()
    curve: tuple[Set, ...] = ()
    best: tuple[tuple[int, Set], ...] = ()
    unknown: str = ""


def _wanted(ends: Ends, fast: Sequence[int]) -> _Wanted:
    fast_here, slow = ends.pairs[0]
    objects = tuple(objects_of(slow))
    if not any(one.kind == "site" for one in objects):
        return _Wanted(ends, unknown=STATIC)
    a, b = seconds_of(fast_here), seconds_of(slow)
    every = tuple(shares(objects, there, here) for here, there in ends.pairs)
    if b - a < LEAST * a or every[0] is None:
        return _Wanted(ends, unknown="the tier adds less than 1% to the time by the model: no object is worth a place")
    return _Wanted(ends, objects, every, tuple(growing(objects, every[0])),
                   tuple((size, best(objects, every[0], size)) for size in dict.fromkeys(fast)))  # fmt: skip


def _placements(one: _Wanted, again: Again, number: int) -> dict[Set, str]:
    """Return set -> the word of a machine with its objects in the memory here; writes the files."""
    words: dict[Set, str] = {}
    for chosen in dict.fromkeys([*one.curve, *(chosen for _, chosen in one.best)]):
        if not chosen:
            continue  # the tier itself
        path = again.folder / f"objects-{number}-{len(words)}.txt"
        names = [name for i in chosen for name in one.objects[i].names]
        path.write_text("\n".join([again.memory, *names]) + "\n")
        words[chosen] = f"{one.ends.again[1]},objects={path}"
    return words


def _answered(one: _Wanted, here: Anchor, found: Mapping[str, Traced], words: Mapping[Set, str]) -> Placed:
    own, there = (seconds_of(found[word]) for word in one.ends.again)
    if there - own < LEAST * own / 2:
        return Placed(one.ends.tier, unknown=OTHER_WAY)

    def point(chosen: Set, fast: int | None = None) -> Point:
        time = seconds_of(found[words[chosen]]) if chosen else there
        return _point(one, here, chosen, (there - time) / (there - own), fast)

    slow, share = one.ends.pairs[0][1], one.shares[0]
    assert share is not None
    return Placed(
        one.ends.tier, one.objects, tuple(share.tolist()), tuple(moved_bytes(o, slow) for o in one.objects),
        all_moved_bytes(slow), tuple(point(chosen) for chosen in one.curve),
        tuple(point(chosen, size) for size, chosen in one.best),
    )  # fmt: skip


def _point(one: _Wanted, here: Anchor, chosen: Set, share: float, fast: int | None) -> Point:
    estimates = [float(known[list(chosen)].sum()) if known is not None else share for known in one.shares]
    more = share - estimates[0]
    both = list(zip(one.ends.pairs, estimates, strict=True))
    corrected = [(a, mixed(b, a, estimate + more)) for (a, b), estimate in both]
    estimated = [(a, mixed(b, a, estimate)) for (a, b), estimate in both]
    own, slow = one.ends.pairs[0]
    near = replace(here, ends=tuple(mixed(end, own, share) for end in here.ends))  # what is here is so on both sides
    answer = anchored(one.ends.tier, near, mixed(slow, own, share), corrected[1:], estimated[1:])
    return Point(chosen, bytes_of(one.objects, chosen), share, estimates[0], answer, fast)
