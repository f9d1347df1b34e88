"""A suite is a question about a machine, as a generator of Experiments.

`plan(machine, options)` yields an Experiment and is sent its Record back, so that a later experiment may rest on
an earlier answer (the footprint of a bandwidth test on the caches that the staircase found). It must be
deterministic given those answers: `resume` replays it over the records that are there.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tierscope.plans.answer import Answer
from tierscope.plans.options import SuiteOptions, read_options, restored
from tierscope.record.experiment import Experiment, Label
from tierscope.record.machine import Machine
from tierscope.registry import Registry

Plan = Generator[Experiment, Answer, None]
Chosen = TypeVar("Chosen", bound=SuiteOptions)


def _nothing(_machine: Machine, _chosen: SuiteOptions) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Suite(Generic[Chosen]):
    """A named plan and its options with their defaults. `left_out`: what this machine cannot do of it, and why.

    Words behind a "; try " are the next step; without them it is to allow the process more CPUs.
    `many_machines`: its experiments use many simulated machines, whose CPUs and caches are alike. `structures`,
    `kernels`, `flushes`, `victims`: its plan needs those of the build. `program`: the program that measures in place of
    the core, "fio". `mixed`: some experiments are jobs of that program, and the core measures the others.
    `details`: what the reference reports beyond the summary and the options, in light Markdown with links relative to
    docs/reference/.
    """

    name: str
    summary: str
    options: type[Chosen]
    plan: Callable[[Machine, Chosen], Plan]
    left_out: Callable[[Machine, Chosen], tuple[str, ...]] = _nothing
    many_machines: bool = False
    structures: bool = False
    kernels: bool = False
    flushes: bool = False
    victims: bool = False
    program: str = ""
    mixed: bool = False
    details: str = ""

    def read(self, words: dict[str, str]) -> Chosen:
        """Return the defaults with key=value words over them; UsageError with what is possible."""
        return read_options(self.name, self.options, words)

    def read_again(self, kept: dict[str, Label]) -> Chosen:
        """Return options of a manifest, with defaults for those that its version did not know; ResultError for a bad
        value.
        """
        return restored(self.options, kept)


suites: Registry[Suite[Any]] = Registry("suite", "tierscope.suites", part="experiments")

__all__ = ["Answer", "Plan", "Suite", "SuiteOptions", "suites"]
