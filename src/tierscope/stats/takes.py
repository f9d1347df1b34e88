"""The blocks of each take of a record, as if it had been an experiment of its own.

A take is a set of groups that ran at the same time; takes alternated, a batch each. In a take's blocks groups are
numbered from 0, in the order in which the take names them.
"""

from collections.abc import Sequence

import numpy as np

from tierscope.record.experiment import Experiment
from tierscope.record.result import Blocks


def takes_of(experiment: Experiment) -> tuple[tuple[int, ...], ...]:
    """Return all takes; one of all groups where the experiment names none."""
    return experiment.takes or (tuple(range(len(experiment.groups))),)


def batches_of(ran: Sequence[int], take: int) -> list[int]:
    """Return the numbers of the batches in which `take` ran. ran: the take of each batch, as in Record.takes."""
    return [batch for batch, number in enumerate(ran) if number == take]


def blocks_of(blocks: Blocks, experiment: Experiment, ran: Sequence[int], take: int) -> Blocks:
    """Return the blocks of one take with its own numbers of groups; all of them where there is one take."""
    if not experiment.takes:
        return blocks
    number = np.full(len(experiment.groups), -1, dtype=np.int64)
    number[list(experiment.takes[take])] = np.arange(len(experiment.takes[take]))
    chosen = blocks[np.isin(blocks["batch"], batches_of(ran, take))].copy()
    chosen["group"] = number[chosen["group"]]
    return chosen
