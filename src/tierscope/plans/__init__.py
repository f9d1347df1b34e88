"""A suite is a question about a machine, as a generator of Experiments.

`plan(machine, options)` yields an Experiment and is sent its Record back, so that a later experiment may rest on
an earlier answer (the footprint of a bandwidth test on the caches that the staircase found). It must be
deterministic given those answers: `resume` replays it over the records that are there.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass

from tierscope.errors import ResultError, UsageError
from tierscope.plans.answer import Answer
from tierscope.plans.options import Option, rate, read_options, text
from tierscope.record.experiment import Experiment, Label, Target
from tierscope.record.machine import Machine
from tierscope.registry import Registry

Options = dict[str, Label]
Plan = Generator[Experiment, Answer, None]


COMMON: tuple[Option, ...] = (
    rate("peak", "theoretical peak of all channels, such as 307.2GB/s; auto: from SMBIOS when readable"),
    text("counters", "off", "performance events in the timed blocks: default, perf, simulated, or a list as "
         "{cycles,instructions},page-faults"),
)  # fmt: skip
"""Options that every suite has."""


PATHS = ("file", "fsdax", "pool", "devdax")
"""The targets whose word is a path, and whose room therefore is that of a file system or a device."""


def _nothing(_machine: Machine, _chosen: Options) -> tuple[str, ...]:
    return ()


def named_paths(chosen: Options) -> tuple[Target, ...]:
    """The targets on a path that the options name: "file:/mnt/x"."""
    words = [value for value in chosen.values() if isinstance(value, str)]
    return tuple(Target.parse(word) for word in words if word.partition(":")[0] in PATHS and ":" in word)


@dataclass(frozen=True)
class Suite:
    """A named plan and its options with their defaults. `left_out`: what this machine cannot do of it, and why.

    Words behind a "; try " are the next step; without them it is to allow the process more CPUs.
    `many_machines`: its experiments lie on many simulated machines, whose CPUs and caches are alike. `structures`,
    `kernels`: its plan asks the machine for those of the build. `program`: what measures in place of the core, "fio".
    `paths`: the targets on a path that its options name, whose room is looked up before the plan is made.
    """

    name: str
    summary: str
    options: tuple[Option, ...]
    plan: Callable[[Machine, Options], Plan]
    left_out: Callable[[Machine, Options], tuple[str, ...]] = _nothing
    many_machines: bool = False
    structures: bool = False
    kernels: bool = False
    program: str = ""
    paths: Callable[[Options], tuple[Target, ...]] = named_paths

    def read(self, words: dict[str, str]) -> Options:
        """key=value words over the defaults; UsageError with what is possible."""
        return read_options(self.name, (*self.options, *COMMON), words)

    def read_again(self, kept: Options) -> Options:
        """Options of a manifest: defaults for those that its version did not know; ResultError for a bad value."""
        try:
            return {
                o.name: o.default if kept.get(o.name) is None else o.read(o.word(kept[o.name]))
                for o in (*self.options, *COMMON)
            }
        except (UsageError, ValueError) as error:
            raise ResultError(f"the manifest's options are damaged: {error}; begin a new run") from error


suites: Registry[Suite] = Registry("suite", "tierscope.suites", part="experiments")

__all__ = ["COMMON", "Answer", "Option", "Options", "Plan", "Suite", "named_paths", "suites"]
