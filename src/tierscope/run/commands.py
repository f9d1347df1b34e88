"""The command lines that a plan starts through a shell, others than the user's only if the user agrees."""

from collections.abc import Callable, Iterable, Sequence

from tierscope.record.experiment import Experiment, Group
from tierscope.record.work.job import JobWork
from tierscope.record.work.task import TaskWork

OVERWRITE = ":overwrite"  # behind the path of a DAX device whose content may be lost
Agree = Callable[[Sequence[str]], None]
"""The question to the user before anything is written or started: accepts the commands, and raises without agreement.
"""


def typed(_commands: Sequence[str]) -> None:
    """Accept the commands of a plan that the user typed on this very command line."""


def commands_of(experiments: Iterable[Experiment]) -> list[str]:
    """Return each command line once, in the order of the experiments; a device that would lose its content is included.

    A job of `run storage` in a folder is left out: its arguments come from checked options, and its file has no name.
    """
    groups = [group for experiment in experiments for group in experiment.groups]
    started = [command for group in groups if (command := _command(group))]
    targets = [target for group in groups for target in group.targets]
    lost = [f"overwrite {target.word}" for target in targets if target.word.endswith(OVERWRITE)]
    return list(dict.fromkeys(started + lost))


def _command(group: Group) -> str:
    """Return the line of a group that starts one; "" for others, and for a job in a folder."""
    match group.workload.work:
        case TaskWork(command=command):
            return command
        case JobWork(arguments=arguments):
            return "" if group.target.name == "storage" else arguments
        case _:
            return ""
