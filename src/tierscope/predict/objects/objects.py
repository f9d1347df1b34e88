"""The objects of a traced program: all that one place of it allocates, and the static data of each module.

A place is a call stack. A function that is on the stack several times counts once, with its innermost call. So a
recursion of any depth is one place. Without symbols, each return address stands for a function of its own.

    share of an object    (w_slow - w_fast) / sum over all objects of (w_slow - w_fast)

w: the time for which the core waits for data of the object, on the tier and on the memory here, by the same core.
Blind to: allocators within the program itself, whose objects are the mappings that they request; stacks; and memory
that is written before its allocation returns, such as zeros by calloc. All of that is in the rest, which stays.
Source: S. Eyerman et al., "A Performance Counter Architecture for Computing Accurate CPI Components", ASPLOS 2006 (the
oldest instruction is charged).
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tierscope.predict.objects.symbols import Frame, named, parsed
from tierscope.simulated.replay import Traced

SITE, DATA = "site", "data"
MAIN = "main"  # what is behind it on the stack is the same in every program
SHOWN = 2  # frames of a name, at least
Shares = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ProgramObject:
    """places: numbers of the trace; names: of the same; bytes: most at a time, of each; stack: innermost first."""

    name: str
    kind: str  # site, data
    stack: tuple[str, ...]
    bytes: int
    allocations: int
    places: tuple[int, ...]
    names: tuple[str, ...] = field(repr=False)


def objects_of(traced: Traced) -> list[ProgramObject]:
    """Return the objects of a program that was traced with them, the largest first."""
    sites = [
        (number, name.split("\t")[1:])
        for number, (name, _, _) in enumerate(traced.places)
        if name.startswith(f"{SITE}\t")
    ]
    frames = {text: parsed(text) for _, texts in sites for text in texts}
    known = named(set(frames.values()))
    grouped: dict[tuple[Frame, ...], list[int]] = {}
    for number, texts in sites:
        grouped.setdefault(_place([known[frames[text]] for text in texts]), []).append(number)
    found = [_object(traced, SITE, tuple(frame.text for frame in stack), places) for stack, places in grouped.items()]
    loaded: dict[str, list[int]] = {}
    for number, (name, _, _) in enumerate(traced.places):
        if name.startswith(f"{DATA}\t"):
            loaded.setdefault(name, []).append(number)
    found += [_data(traced, name, places) for name, places in loaded.items()]
    return _distinct(sorted(found, key=lambda one: -one.bytes))


def shares(objects: Sequence[ProgramObject], slow: Traced, fast: Traced) -> Shares | None:
    """Return the share of each object in the time that the tier adds; None where it adds no wait.

    Shape: (objects,). Their sum and the share of the rest are 1. An object that waits less on the tier has 0.
    """
    more = _waits(slow) - _waits(fast)
    of_objects = np.array([float(more[list(one.places)].sum()) for one in objects])
    rest = more.sum() - of_objects.sum()
    whole = float(of_objects.clip(0).sum() + max(rest, 0.0))
    return of_objects.clip(0) / whole if whole > 0 else None


def moved_bytes(one: ProgramObject, traced: Traced) -> float:
    """Return the bytes that the memory reads and writes for an object."""
    places = set(one.places)
    return 64 * sum(reads + writes for number, _, reads, writes in traced.objects if number in places)


def all_moved_bytes(traced: Traced) -> float:
    """Return the bytes that the memory reads and writes for the whole program, in what was traced."""
    return 64 * sum(reads + writes for _, _, reads, writes in traced.objects)


def _waits(traced: Traced) -> Shares:
    found = np.zeros(max(len(traced.places), 1))
    for number, seconds, _, _ in traced.objects:
        found[number] = seconds
    return found


def _place(stack: Sequence[Frame]) -> tuple[Frame, ...]:
    """Return the stack up to main, with each function once."""
    seen: set[tuple[str, str | int]] = set()
    kept = []
    for frame in stack:
        key = (frame.module, frame.function or frame.offset)
        if key not in seen:
            seen.add(key)
            kept.append(frame)
        if frame.function == MAIN:
            break
    return tuple(kept)


def _object(traced: Traced, kind: str, stack: tuple[str, ...], places: Sequence[int]) -> ProgramObject:
    numbers = [traced.places[number] for number in places]
    return ProgramObject(
        "", kind, stack, sum(size for _, size, _ in numbers), sum(count for _, _, count in numbers), tuple(places),
        tuple(name for name, _, _ in numbers),
    )  # fmt: skip


def _data(traced: Traced, name: str, places: Sequence[int]) -> ProgramObject:
    """Return the static data of a module. A program that becomes another one (exec) loads it again, in other bytes."""
    most = max(traced.places[number][1] for number in places)
    return replace(_object(traced, DATA, (_module(name),), places), bytes=most, names=(name,))


def _module(name: str) -> str:
    path = name.partition("\t")[2]
    return f"static data of {Path(path).name if path else 'the program'}"


def _distinct(objects: Sequence[ProgramObject]) -> list[ProgramObject]:
    """Return them with names: as many frames as no other object has, SHOWN at least."""
    deepest = max((len(one.stack) for one in objects), default=0)
    heads = [Counter(one.stack[:depth] for one in objects) for depth in range(deepest + 1)]
    made = []
    for one in objects:
        depth = next((d for d in range(SHOWN, len(one.stack)) if heads[d][one.stack[:d]] == 1), len(one.stack))
        name = " < ".join(one.stack[:depth])
        made.append(ProgramObject(name, one.kind, one.stack, one.bytes, one.allocations, one.places, one.names))
    return made
