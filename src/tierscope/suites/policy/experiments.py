"""Policy: how a memory spreads addresses, when it moves data, and how it joins writes.

It has three parts. Each may find nothing.

    interleave  bandwidth of scattered lines over the stride between them, against strides close to it that meet all
                memories alike. Lines are stored past the caches, because few of them are at a large stride, and
                loads would find them in the processor. Strides are odd numbers times powers of two. Odd numbers
                above 1 are measured at the largest strides, and at all strides only if bandwidth falls there. An odd
                number of single lines follows then: no other stride is below an odd number of grains of 128 B.
    pairs       one read and two at random places, each timed by itself: in one memory the second always waits, in
                several sometimes, in whatever order addresses are spread. They belong to the part `interleave`.
    migration   one place of 256 bytes is overwritten, each write timed by itself. Then places of twice the size follow,
                up to one without migration: a stall there too is the machine's.
                If memories are side by side, places above their grain are 256 bytes of each grain of one memory.
                The next addresses are on another memory.
    combining   fresh regions, each line stored once in random order, with a fence behind each region.

Blind to: the number and the grain of memories in a hashed order, beyond what pairs show; grains above 1 % of the
memory that may be used. Also blind to places of one memory that do not fit into a page, since the next page may begin
in another memory.
Source: Z. Wang et al., "Characterizing and Modeling Non-Volatile Memory Systems", MICRO 2020 (LENS, policy prober);
inference: `stats.interleave`, `stats.pairs`, `stats.migration`, `stats.combining`.
"""

import math
from collections.abc import Generator, Iterable

import numpy as np

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, suites
from tierscope.plans.answer import Answer
from tierscope.plans.fresh import sizes
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.stats.migration import FAR
from tierscope.stats.strides import spread_of, stride_of
from tierscope.suites.policy.options import COMBINING, INTERLEAVE, MIGRATION, PolicyOptions
from tierscope.suites.policy.pairs import pairs
from tierscope.suites.policy.setting import ALONE, Field, Layout, field_of
from tierscope.tables.policy_found import WRITE_BYTES
from tierscope.units import LINE_BYTES, KiB, MiB, show_bytes, word_bytes

LEAST_STRIDE = 128
MOST_STRIDE = 4 * MiB  # resonates with 12 memories of 256 KiB each
ODDS = (3, 5, 7, 9, 11)
FALLS = 0.85  # of the bandwidth at the power of two below: then all strides of this odd number are taken
TRIED = 2  # largest strides of an odd number
PRIMES = (2, 3, 5, 7, 11, 13)  # that a control has none of
GOLDEN = (math.sqrt(5) - 1) / 2  # of the stride: a few steps of a control are spread over blocks of any size below it
PLACES = tuple(1 << power for power in range(9, 20))  # bytes, that are overwritten after the first
FAR_BYTES = 16 * MiB  # a place that is larger than any unit
RATE = 2e6  # writes/s, where nothing is known
REGIONS_TO = 512 * KiB
LINE_S = 120e-9  # of a written line, where nothing is known yet
GROWS = 1.25  # most that the time of a line grows from one region to the next


def control_of(stride: int) -> int:
    """Return a stride near it that meets memories of any grain and number up to 13 alike.

    One that is only a few lines longer stays in one memory of a large grain for many steps.
    """
    lines = max(round(GOLDEN * stride / LINE_BYTES), 2)
    while any(lines % prime == 0 for prime in PRIMES):
        lines += 1
    return lines * LINE_BYTES


def most_stride(setting: Field, asked: int | None) -> int:
    """Return a power of two. Its odd multiples up to `MOST_STRIDE` fit into the memory."""
    room = setting.memory_bytes // setting.lines
    most = min(MOST_STRIDE, room) if asked is None else asked
    if most < 2 * LEAST_STRIDE:
        raise UsageError(f"to={word_bytes(most)}: strides begin at {LEAST_STRIDE} B; try to=4MiB")
    if most > room:
        raise UsageError(
            f"to={word_bytes(most)}: {setting.lines} lines at this stride need {show_bytes(most * setting.lines)}, and "
            f"{show_bytes(setting.memory_bytes)} may be taken; try to={word_bytes(1 << (room.bit_length() - 1))}"
        )
    return 1 << (most.bit_length() - 1)


def interleave(setting: Field, most: int) -> Plan:
    """Yield powers of two with their controls, and their odd multiples if these may show something."""
    powers = [LEAST_STRIDE << step for step in range(int(math.log2(most // LEAST_STRIDE)) + 1)]
    for place, stride in enumerate(powers):
        yield from _measured(setting, stride, control=False)
        if place % 2 == 1:
            yield from _measured(setting, control_of(stride), control=True)
    half = setting.cpus[: max(len(setting.cpus) // 2, 1)]
    if half != setting.cpus:
        yield from _measured(setting, control_of(powers[-1]), control=True, cpus=half)
    for odd in ODDS:
        strides = [odd * power for power in powers if odd * power <= most]
        for stride in reversed(strides[-TRIED:]):
            yield from _measured(setting, stride, control=False)
        if any(_falls(setting, stride, odd) for stride in strides[-TRIED:]):
            for stride in (odd * LINE_BYTES, *strides[:-TRIED]):
                yield from _measured(setting, stride, control=False)


def _measured(
    setting: Field, stride: int, *, control: bool, cpus: tuple[int, ...] = ()
) -> Generator[Experiment, Answer, None]:
    cpus = cpus or setting.cpus
    answer = yield setting.stored(stride, control, cpus)
    if (rate := answer.rate()) and answer.point:
        setting.known[stride, len(cpus)] = rate
        setting.strides.append(stride_of(answer.experiment, answer.point.groups[0].interval))


def _falls(setting: Field, stride: int, odd: int) -> bool:
    """Return whether bandwidth is below that at the power of two, or for 9 at a third of it; False while planning."""
    count = len(setting.cpus)
    others = {stride // odd, stride // 3 if odd % 3 == 0 else stride // odd}
    found = [setting.known[other, count] for other in others if (other, count) in setting.known]
    own = setting.known.get((stride, count))
    return own is not None and bool(found) and own < FALLS * min(found)


def layout_of(setting: Field) -> Layout:
    """Return the layout, as far as the strides show it."""
    spread = spread_of(setting.strides)
    if spread is None or spread.interleave.ways == 1:
        return ALONE
    return spread.interleave.ways, spread.interleave.grain_bytes


def migration(setting: Field, writes: int, layout: Layout = ALONE) -> Plan:
    """Yield writes to places, for as long as `writes` writes take in the target's own time."""
    answer = yield setting.overwritten(WRITE_BYTES, 0, 0.0)
    each = setting.shorter / (answer.rate() or RATE)
    answer = yield setting.overwritten(WRITE_BYTES, writes, each)
    if not _stalls(answer):
        return
    for place in PLACES:
        yield setting.overwritten(place, writes // 2, each, layout)
    answer = yield setting.overwritten(FAR_BYTES, 0, 0.0)
    each = setting.shorter / (answer.rate() or RATE)
    yield setting.overwritten(FAR_BYTES, writes // 2, each)


def _stalls(answer: Answer) -> bool:
    """Return whether some write took several times as long as most; while planning, True."""
    if answer.point is None or answer.point.together.rates.size == 0:
        return True
    rates = answer.point.together.rates[0]
    return bool(rates.min() * FAR < np.median(rates))


def combining(setting: Field) -> Plan:
    regions: Iterable[int] = sizes(LINE_BYTES, REGIONS_TO, 2)
    line_s = LINE_S
    for region in regions:
        answer = yield setting.joined(region, line_s)
        if rate := answer.rate():
            line_s = GROWS / rate


def plan(machine: Machine, chosen: PolicyOptions) -> Plan:
    setting = field_of(machine, chosen)
    most = most_stride(setting, chosen.to)
    if INTERLEAVE in chosen.parts:
        yield from interleave(setting, most)
        yield from pairs(setting)
    if MIGRATION in chosen.parts:
        yield from migration(setting, chosen.writes, layout_of(setting))
    if COMBINING in chosen.parts:
        yield from combining(setting)


suites.add(
    Suite(
        "policy",
        "interleaving, migrations and the joining of writes, inferred",
        PolicyOptions,
        plan,
        details="Finds how a memory spreads addresses over memories side by side, when it moves data that was"
        " written too often, and how it joins lines on their way to the medium. **It writes.** See "
        "[how to find policies](../how-to/policy.md).",
    )
)
