"""A machine that timed the begin of each unit of a program, completed by one that timed all of it.

    seconds of a unit = those of the other machine * its seconds of the begin / those of the other machine of the begin

`begin=N` behind the word of a machine is that request, and `knot=N` behind that of the other one
(core/cli/flow_run.hpp). The begin ends at a knot, which has the same instructions on both machines. The first part of
a program, before the first gap, is always timed as a whole, and so is a part with several threads, whose order is
another one on each machine. Within half a million instructions, two cores differ by nearly the same factor
(docs/decisions/0107).
Source: W. G. Cochran, "Sampling Techniques", 1977, chapter 6 (ratio estimates) and section 12.9 (double sampling).
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from tierscope.errors import MachineError
from tierscope.simulated.replay import Part, Traced

LEAST = 1000  # instructions of a part that has a rate


def asked(words: Sequence[str], completed_by: Mapping[str, str], instructions: int) -> list[str]:
    """Return the words of all machines, with the request for the begin of units, of this number of instructions.

    completed_by: word of a machine that times begins alone -> of one that times all.
    """
    return [f"{word},{'begin' if word in completed_by else 'knot'}={instructions}" for word in words]


def completed(found: Mapping[str, Traced], completed_by: Mapping[str, str]) -> dict[str, Traced]:
    """Return what each machine makes of the program. MachineError if two are not of one trace."""
    return {**found, **{word: whole(found[word], found[other]) for word, other in completed_by.items()}}


def whole(begun: Traced, timed: Traced) -> Traced:
    """Return `begun` with the time of all parts of `timed`, and of the program from them.

    Threads are taken to work in the same share of the time as on the other machine, and the sampling to be as good.
    Errors as of `completed`.
    """
    if not begun.cut:
        return begun
    factors = list(_factors(begun, timed))
    parts = tuple(
        (gap, count, seconds * factor) for (gap, count, seconds), factor in zip(timed.parts, factors, strict=True)
    )
    knots = tuple((number, count, seconds * factors[number]) for number, count, seconds in timed.knots)
    seconds = _seconds(parts, timed.last_gap)
    factor = seconds / timed.seconds if timed.seconds else 1.0
    return replace(
        begun, parts=parts, knots=knots, last_gap=timed.last_gap, seconds=seconds, busy_s=timed.busy_s * factor,
        sampling_deviation_s=timed.sampling_deviation_s * factor, cut=(),
    )  # fmt: skip


def _factors(begun: Traced, timed: Traced) -> Iterator[float]:
    """Yield the seconds of each part over those of `timed`, up to the same instruction."""
    knots = {(number, count): seconds for number, count, seconds in timed.knots}
    if len(begun.parts) != len(timed.parts):
        raise MachineError("two simulated machines timed different parts of one trace")
    for number, ((_, count, seconds), (_, all_, other)) in enumerate(zip(begun.parts, timed.parts, strict=True)):
        same = knots.get((number, count)) if number in begun.cut else other if count == all_ else None
        if same is None:
            raise MachineError(f"two simulated machines timed part {number} of one trace to different instructions")
        yield seconds / same if same > 0 else 1.0


def _seconds(parts: tuple[Part, ...], last_gap: int) -> float:
    """Return the seconds of the program, by the rule of core/simulate/sampling.hpp."""
    total, before = 0.0, 0.0
    for number, (gap, count, seconds) in enumerate(parts):
        rate = before if count < LEAST and number else seconds / count
        total += seconds + gap * (rate if number == 0 else (before + rate) / 2)
        before = rate
    return total + last_gap * before
