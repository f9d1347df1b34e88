"""Closed loop: the probers run blind on random simulated devices, and are scored by what they find.

Each device is a word of a simulated machine (`suites.closed_loop.devices`); the probers get that word as their target,
and nothing else: their plans are those of `run buffers` and `run policy`, adaptive as they are. What was drawn is read
from the word by the table `closed_loop` alone. `buffers` is told of the interleaving that `policy` found, as a user
would.
All devices have the CPUs and the caches of the machine that `target` names, and differ in its memory m.
Blind to: faults that simulator and prober share; what no simulated device has, such as a hash of the address.
"""

from collections.abc import Generator, Iterator
from dataclasses import replace

import msgspec

from tierscope.errors import UsageError
from tierscope.plans import Option, Options, Plan, Suite, options, suites
from tierscope.plans.answer import Answer
from tierscope.plans.simulation import PREFIX
from tierscope.record.experiment import Experiment, Label
from tierscope.record.machine import Machine
from tierscope.stats.strides import Stride, spread_of, stride_of
from tierscope.suites.closed_loop.devices import draw
from tierscope.units import word_bytes

NAME = "closed_loop"  # of the table
PROBERS = ("policy", "buffers")
BUFFERS = {"op": "read"}  # what joins writes is looked for by `policy`
INTERLEAVE = "interleave"  # the part of `policy` that `buffers` rests on
MOST_NOISE = 10

OPTIONS: tuple[Option, ...] = (
    options.count("devices", 3, "how many are drawn", 1, 100_000),
    options.count("first", 0, "number of the first one, to share out the devices of one seed among runs"),
    options.count("seed", 1995, "of the draw"),
    options.count("noise", MOST_NOISE, "most noise of a device, 1 being that of a shared machine; 0: none", 0, 100),
    options.text("parts", ",".join(PROBERS), "probers that run; `buffers` alone looks for interleaving first"),
    options.target("target", "sim:blank", "the simulated machine whose memory `m` is drawn at random"),
)


def words(chosen: Options) -> Iterator[tuple[int, str]]:
    """Number and word of each device."""
    first, seed, noise = (int(chosen[key] or 0) for key in ("first", "seed", "noise"))
    for number in range(first, first + int(chosen["devices"] or 0)):
        yield number, draw(seed, number, noise).word(str(chosen["target"]))


def plan(machine: Machine, chosen: Options) -> Plan:
    """The probers' own plans, device after device."""
    target = str(chosen["target"])
    if not target.startswith(PREFIX):
        raise UsageError(f"target={target}: devices are drawn for simulated machines only; try target=sim:blank")
    parts = options.names_of("part", chosen["parts"], PROBERS)
    for number, word in words(chosen):
        policy = {} if "policy" in parts else {"parts": INTERLEAVE}
        strides = yield from _prober("policy", machine, word, policy, number)
        if "buffers" in parts:
            yield from _prober("buffers", machine, word, {**BUFFERS, **_layout(strides)}, number)


def _prober(
    name: str, machine: Machine, word: str, own: dict[str, str], number: int
) -> Generator[Experiment, Answer, list[Stride]]:
    """Its experiments under the table of the closed loop; it gets answers to what it asked. The strides among them."""
    prober, strides = suites[name], list[Stride]()
    plan = prober.plan(machine, prober.read({"target": word, **own}))
    try:
        asked = next(plan)
        while True:
            answer = yield _under(asked, {"device": number, "prober": name})
            if asked.table == INTERLEAVE and answer.point:
                strides.append(stride_of(asked, answer.point.groups[0].interval))
            asked = plan.send(replace(answer, experiment=asked))
    except StopIteration:
        return strides


def _layout(strides: list[Stride]) -> dict[str, str]:
    """What was found of interleaving, as words for `buffers`."""
    spread = spread_of(strides)
    if spread is None or spread.interleave.ways == 1:
        return {}
    return {"ways": str(spread.interleave.ways), "grain": word_bytes(spread.interleave.grain_bytes)}


def _under(asked: Experiment, labels: dict[str, Label]) -> Experiment:
    own = {**asked.labels, **labels, "of_table": asked.table}
    return msgspec.structs.replace(asked, table=NAME, labels=own)


suites.add(
    Suite(
        "closed-loop",
        "the probers `buffers` and `policy`, scored on random simulated memories",
        OPTIONS,
        plan,
        many_machines=True,
        details="The structure of these memories is known, so the suite shows which part of it the probers "
        "recovered. See [how to score the probers](../how-to/closed-loop.md).",
    )
)
