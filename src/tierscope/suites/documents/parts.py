"""The parts of a document: a suite with options as a user types them, or why the part is left out.

A document is what a user can type by hand, one command after the other, so a part is the arguments of a command. This
folder imports no suite. Parts often begin with the same search for a cache. An experiment that an earlier part of the
same plan requested does not run again: both parts get its answer.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from tierscope.errors import MachineError, UsageError
from tierscope.plans import Plan, Suite, suites
from tierscope.plans.answer import Answer
from tierscope.record.experiment import Experiment
from tierscope.record.machine import Machine
from tierscope.suites.documents.options import DocumentOptions


@dataclass(frozen=True)
class Part:
    """One suite with its options, such as Part("flush", {"chunks": "1KiB"})."""

    suite: str
    words: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Skipped:
    """A part that is left out, and why: "contention is left out: ...; try ..."."""

    why: str


Chosen = TypeVar("Chosen", bound=DocumentOptions)


def composed(machine: Machine, parts: Sequence[Part | Skipped]) -> Plan:
    """Yield the experiments of all parts, each experiment once.

    Raises MachineError if every part is left out. A UsageError or MachineError of a part names its suite.
    """
    kept = [part for part in parts if isinstance(part, Part)]
    if not kept:
        raise MachineError("; ".join(part.why for part in parts if isinstance(part, Skipped)))
    known: list[tuple[Experiment, Answer]] = []
    for part in kept:
        suite = suites[part.suite]
        try:
            yield from once(suite.plan(machine, suite.read(part.words)), known)
        except (UsageError, MachineError) as error:
            raise type(error)(f"{part.suite}: {error}") from error


def once(plan: Plan, known: list[tuple[Experiment, Answer]]) -> Plan:
    """Yield what is not known yet, and answer the other experiments with the known results."""
    try:
        experiment = next(plan)
        while True:
            answer = next((old for asked, old in known if asked == experiment), None)
            if answer is None:
                answer = yield experiment
                known.append((experiment, answer))
            experiment = plan.send(answer)
    except StopIteration:
        return


def left_out(machine: Machine, parts: Sequence[Part | Skipped]) -> tuple[str, ...]:
    """Return what the document and its parts leave out; each reason once."""
    found: list[str] = []
    for part in parts:
        if isinstance(part, Skipped):
            found.append(part.why)
        else:
            suite = suites[part.suite]
            found += [f"{part.suite}: {why}" for why in suite.left_out(machine, suite.read(part.words))]
    return tuple(dict.fromkeys(found))


def document(
    name: str,
    summary: str,
    parts: Callable[[Machine, Chosen], Iterable[Part | Skipped]],
    options: type[Chosen],
    *,
    structures: bool = False,
    mixed: bool = False,
) -> Suite[Chosen]:
    """Return the suite of a document, such as `document-002`."""

    def plan(machine: Machine, chosen: Chosen) -> Plan:
        yield from composed(machine, list(parts(machine, chosen)))

    return Suite(
        f"document-{name}",
        summary,
        options,
        plan,
        lambda machine, chosen: left_out(machine, list(parts(machine, chosen))),
        kernels=True,
        flushes=True,
        victims=True,
        structures=structures,
        mixed=mixed,
        details="Runs the experiments of the document, and judges each of its claims for this machine. Parts that"
        " this machine cannot run are left out, with a warning that contains the reason."
        " See [how to repeat a document](../how-to/documents.md).",
    )
