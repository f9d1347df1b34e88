"""The command lines that a plan starts through a shell: nobody else's are started unless the user agrees."""

from collections.abc import Callable, Iterable, Sequence

from tierscope.experiment import Experiment

Agree = Callable[[Sequence[str]], None]
"""Is given the commands before anything is written or started, and raises where the user does not agree."""


def typed(_commands: Sequence[str]) -> None:
    """Of a plan whose commands the user typed on this very command line."""


def commands_of(experiments: Iterable[Experiment]) -> list[str]:
    """Return each command line once, in the order of the experiments."""
    groups = (group for experiment in experiments for group in experiment.groups)
    return list(dict.fromkeys(group.workload.command for group in groups if group.workload.command))
