"""Closed loop: the probers run on random simulated devices that they do not know, and are scored by what they find.

Each device is a simulated machine (`suites.closed_loop.device`). The probers get only its name, as their target. Their
plans are those of `run buffers` and `run policy`, adaptive as usual. Only the table `closed_loop` reads from the name
what was drawn. `buffers` gets the interleaving that `policy` found, as a user would pass it.

All devices have the CPUs and the caches of the machine that `target` names, and differ in its memory m.
Blind to: faults that simulator and prober share; properties that no simulated device has.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from tierscope.errors import UsageError
from tierscope.plans import Plan, Suite, SuiteOptions, suites
from tierscope.plans.answer import Answer
from tierscope.plans.kinds import Help, Names, Number, several
from tierscope.plans.simulation import PREFIX
from tierscope.record.experiment import Experiment, Target
from tierscope.record.machine import Machine
from tierscope.stats.strides import Stride, spread_of, stride_of
from tierscope.suites.closed_loop import devices, strangers
from tierscope.suites.closed_loop.labels import LoopLabels

NAME = "closed_loop"  # name of the table
PROBERS = ("policy", "buffers")
KINDS = {"known": devices.draw, "strangers": strangers.draw}
BUFFERS = {"op": ("read",)}  # `policy` looks for what joins writes
INTERLEAVE = "interleave"  # the part of `policy` that `buffers` requires
MOST_NOISE = 10


class ClosedLoopOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run closed-loop`."""

    devices: Annotated[int, Meta(ge=1, le=100_000), Help("how many are drawn")] = 3
    first: Annotated[Number, Help("number of the first one, to share out the devices of one seed among runs")] = 0
    seed: Annotated[Number, Help("of the draw")] = 1995
    noise: Annotated[
        int, Meta(ge=0, le=100), Help("most noise of a device, 1 being that of a shared machine; 0: none")
    ] = MOST_NOISE
    parts: Annotated[
        Names,
        several("part", PROBERS),
        Help("probers that run; `buffers` alone looks for interleaving first"),
    ] = PROBERS
    kinds: Annotated[
        Names,
        several("kind", tuple(KINDS)),
        Help(
            "devices as the authors of the probers expect them, or with any replacement, sets, units, order and "
            "medium; of both, two of each alternate"
        ),
    ] = tuple(KINDS)
    target: Annotated[Target, Help("the simulated machine whose memory `m` is drawn at random")] = Target.parse(
        "sim:blank"
    )


def words(chosen: ClosedLoopOptions) -> Iterator[tuple[int, str]]:
    """Yield the number and the name of each device."""
    for number in range(chosen.first, chosen.first + chosen.devices):
        draw = KINDS[chosen.kinds[number // 2 % len(chosen.kinds)]]
        yield number, draw(chosen.seed, number, chosen.noise).word(chosen.target.word)


def plan(machine: Machine, chosen: ClosedLoopOptions) -> Plan:
    """Yield the probers' own plans, device after device."""
    if not chosen.target.word.startswith(PREFIX):
        asked = f"target={chosen.target.word}"
        raise UsageError(f"{asked}: devices are drawn for simulated machines only; try target=sim:blank")
    for number, word in words(chosen):
        policy = {} if "policy" in chosen.parts else {"parts": (INTERLEAVE,)}
        strides = yield from _prober("policy", machine, word, policy, number)
        if "buffers" in chosen.parts:
            yield from _prober("buffers", machine, word, {**BUFFERS, **_layout(strides)}, number)


def _prober(
    name: str, machine: Machine, word: str, own: dict[str, Any], number: int
) -> Generator[Experiment, Answer, list[Stride]]:
    """Yield a prober's experiments under this table, with answers to its own; return the strides among them."""
    prober, strides = suites[name], list[Stride]()
    plan = prober.plan(machine, prober.options(target=Target.parse(word), **own))
    try:
        asked = next(plan)
        while True:
            answer = yield filed(asked, number, name)
            if asked.table == INTERLEAVE and answer.point:
                strides.append(stride_of(asked, answer.point.groups[0].interval))
            asked = plan.send(replace(answer, experiment=asked))
    except StopIteration:
        return strides


def _layout(strides: list[Stride]) -> dict[str, int]:
    """Return the interleaving that was found, as options of `buffers`."""
    spread = spread_of(strides)
    if spread is None or spread.interleave.ways == 1:
        return {}
    return {"ways": spread.interleave.ways, "grain": spread.interleave.grain_bytes}


def filed(asked: Experiment, device: int, prober: str) -> Experiment:
    """Return an experiment of a prober as the table of the closed loop files it."""
    labels = LoopLabels(device=device, prober=prober, of_table=asked.table)
    return msgspec.structs.replace(asked, table=NAME, labels={**asked.labels, **labels.stored()})


suites.add(
    Suite(
        "closed-loop",
        "the probers `buffers` and `policy`, scored on random simulated memories",
        ClosedLoopOptions,
        plan,
        many_machines=True,
        details="The structure of these memories is known, so the suite shows which part of it the probers "
        "recovered. See [how to score the probers](../how-to/closed-loop.md).",
    )
)
