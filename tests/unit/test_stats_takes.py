"""The blocks of each take of a record, as if it had been an experiment of its own."""

import numpy as np
import pytest

from made import Teamwork, made_blocks, one_group
from tierscope.record.experiment import Experiment
from tierscope.record.result import Blocks
from tierscope.stats.takes import batches_of, blocks_of, takes_of
from tierscope.units import MiB

GROUPS = tuple(one_group("read", (cpu,), MiB) for cpu in range(3))
TURNS = Experiment(table="made", groups=GROUPS, takes=((0,), (2, 0), (1,)), against=(0, 0, 0))
RAN = (0, 1, 2, 2, 1, 0)


def batch(number: int, members: tuple[int, ...]) -> Blocks:
    blocks = made_blocks(tuple(Teamwork((1e8,)) for _ in members), seed=number, count=5, batch=number)
    blocks["group"] = np.asarray(members, dtype=np.uint16)[blocks["group"]]
    return blocks


@pytest.fixture(scope="module")
def blocks() -> Blocks:
    return np.concatenate([batch(number, TURNS.takes[take]) for number, take in enumerate(RAN)])


def test_without_takes_all_groups_are_one() -> None:
    assert takes_of(Experiment(table="made", groups=GROUPS)) == ((0, 1, 2),)
    assert takes_of(TURNS) == TURNS.takes


def test_batches_of_a_take_come_in_the_order_in_which_they_ran() -> None:
    assert [batches_of(RAN, take) for take in range(3)] == [[0, 5], [1, 4], [2, 3]]


def test_groups_of_a_take_are_numbered_as_the_take_names_them(blocks: Blocks) -> None:
    part = blocks_of(blocks, TURNS, RAN, 1)
    assert set(part["batch"].tolist()) == {1, 4}
    swapped = blocks[np.isin(blocks["batch"], (1, 4))]
    assert part["group"].tolist() == [{2: 0, 0: 1}[group] for group in swapped["group"].tolist()]


def test_a_take_leaves_the_blocks_of_the_record_as_they_were(blocks: Blocks) -> None:
    before = blocks.copy()
    blocks_of(blocks, TURNS, RAN, 2)["group"][:] = 7
    assert np.array_equal(blocks, before)


def test_every_block_belongs_to_one_take(blocks: Blocks) -> None:
    assert sum(blocks_of(blocks, TURNS, RAN, take).size for take in range(3)) == blocks.size


def test_an_experiment_without_takes_keeps_all_its_blocks(blocks: Blocks) -> None:
    assert blocks_of(blocks, Experiment(table="made", groups=GROUPS), (), 0) is blocks
