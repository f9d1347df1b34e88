"""A machine that timed the begin of each unit of a program, completed by one that timed all of it.

    seconds of a unit = those of the other machine * its seconds of the begin / those of the other machine of the begin

`begin=N` behind the word of a machine is that request (core/cli/flow_run.hpp). The begin ends at a knot, which has the
same instructions on both machines. The first part of a program, before the first gap, is always timed as a whole,
and so is all of a program with several threads, whose order is another one on each machine.
Within half a million instructions, two cores differ by nearly the same factor (docs/decisions/0107).
Source: W. G. Cochran, "Sampling Techniques", 1977, chapter 6 (ratio estimates) and section 12.9 (double sampling).
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from tierscope.errors import MachineError
from tierscope.simulated.replay import Part, Traced

LEAST = 1000  # instructions of a part that has a rate


def begin(word: str, instructions: int) -> str:
    """Return the word of the machine that times the begin of each part: this number of instructions, or some more."""
    return f"{word},begin={instructions}"


def whole(found: Mapping[str, Traced], completed_by: Mapping[str, str]) -> dict[str, Traced]:
    """Return what each machine makes of the program. MachineError if two are not of one trace.

    completed_by: word of a machine that timed begins alone -> of one that timed all.
    """
    return {**found, **{word: completed(found[word], found[other]) for word, other in completed_by.items()}}


def completed(begun: Traced, timed: Traced) -> Traced:
    """Return `begun` with the time of all parts of `timed`, and of the program from them. Errors as of `whole`."""
    factors = list(_factors(begun, timed))
    parts = tuple(
        (gap, count, seconds * factor) for (gap, count, seconds), factor in zip(timed.parts, factors, strict=True)
    )
    knots = tuple((number, count, seconds * factors[number]) for number, count, seconds in timed.knots)
    return replace(begun, parts=parts, knots=knots, last_gap=timed.last_gap, seconds=_seconds(parts, timed.last_gap))


def _factors(begun: Traced, timed: Traced) -> Iterator[float]:
    """Yield the seconds of each part over those of `timed`, up to the same instruction."""
    ends = {(number, count): seconds for number, count, seconds in timed.knots}
    ends |= {(number, count): seconds for number, (_, count, seconds) in enumerate(timed.parts)}
    if len(begun.parts) != len(timed.parts):
        raise MachineError("two simulated machines timed different parts of one trace")
    for number, (_, count, seconds) in enumerate(begun.parts):
        other = ends.get((number, count))
        if other is None:
            raise MachineError(f"two simulated machines timed part {number} of one trace to different instructions")
        yield seconds / other if other > 0 else 1.0


def _seconds(parts: tuple[Part, ...], last_gap: int) -> float:
    """Return the seconds of the program, by the rule of core/simulate/sampling.hpp."""
    total, before = 0.0, 0.0
    for number, (gap, count, seconds) in enumerate(parts):
        rate = before if count < LEAST and number else seconds / count
        total += seconds + gap * (rate if number == 0 else (before + rate) / 2)
        before = rate
    return total + last_gap * before
