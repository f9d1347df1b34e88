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
    rate(
        "peak",
        "theoretical bandwidth of all channels, such as `peak=307.2GB/s`; else from SMBIOS where it is "
        "readable and believable, else unknown",
    ),
    text(
        "counters",
        "off",
        "[performance events](../how-to/counters.md) in the timed blocks: `default`, `perf`, `simulated`,"
        " or a list as `{cycles,instructions},page-faults`",
    ),
)
"""Options that every suite has."""


PATHS = ("file", "fsdax", "pool", "devdax")
"""The targets whose word is a path, and whose room therefore is that of a file system or a device."""


def _nothing(_machine: Machine, _chosen: Options) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True)
class Suite:
    """A named plan and its options with their defaults. `left_out`: what this machine cannot do of it, and why.

    Words behind a "; try " are the next step; without them it is to allow the process more CPUs.
    `many_machines`: its experiments lie on many simulated machines, whose CPUs and caches are alike. `structures`,
    `kernels`: its plan asks the machine for those of the build. `program`: what measures in place of the core, "fio".
    `paths`: the targets on a path, whose room is looked up before the plan is made, where no option is a target's word.
    `details`: what the reference reports beyond the summary and the options, in light Markdown with links relative to
    docs/reference/.
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
    paths: Callable[[Options], tuple[Target, ...]] | None = None
    details: str = ""

    def targets(self, chosen: Options) -> tuple[str, ...]:
        """Return the words of the options that name targets, without those that the suite finds itself."""
        return tuple(str(chosen[o.name]) for o in self.options if o.is_target and chosen.get(o.name) is not None)

    def named_paths(self, chosen: Options) -> tuple[Target, ...]:
        """Return the targets on a path that the options name: "file:/mnt/x"."""
        if self.paths is not None:
            return self.paths(chosen)
        words = (word for word in self.targets(chosen) if word.partition(":")[0] in PATHS and ":" in word)
        return tuple(Target.parse(word) for word in words)

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

__all__ = ["COMMON", "Answer", "Option", "Options", "Plan", "Suite", "suites"]
