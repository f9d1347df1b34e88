"""The doubt about threads that start apart, on blocks whose starts are stated."""

import msgspec
import numpy as np
import pytest

from made import made_facts, one_group
from tierscope.record.experiment import Experiment, Group, Schedule
from tierscope.record.result import SIZING, Blocks
from tierscope.record.samples import BLOCK
from tierscope.run.late import MOST, late, start_skews
from tierscope.stats.contrast import VICTIM
from tierscope.units import GiB

HZ = 1e9
BATCH = 100_000_000  # ticks


def blocks_from(starts: list[list[int]], sizing: bool = False) -> Blocks:
    """Return blocks of BATCH // 100 ticks; starts: of each batch, of each thread, its first start in ticks."""
    step = BATCH // 100
    rows = []
    for batch, threads in enumerate(starts):
        for thread, start in enumerate(threads):
            base = batch * 2 * BATCH
            if sizing:
                rows.append((0, thread, thread, SIZING, batch, 0, base, base + 1, 1))
            rows += [
                (0, thread, thread, 0, batch, 0, base + at, base + at + step, 1)
                for at in range(start, BATCH - step + 1, step)
            ]
    return np.array(rows, dtype=BLOCK)


def found(blocks: Blocks, group: Group, **facts: object) -> list[str]:
    """Return the codes of the warnings of one group."""
    experiment = Experiment(table="stream", groups=(group,), schedule=Schedule(), labels={})
    return [warning.code for warning in late(experiment, (made_facts(group, **facts),), blocks, HZ)]


PAIR = one_group("triad", (0, 1), 1 * GiB)


def test_the_skew_is_the_time_from_the_first_start_to_the_last() -> None:
    skews, lengths = start_skews(blocks_from([[1000, 4000, 2500], [700, 700, 0]]))
    assert skews.tolist() == [3000, 700]
    assert np.all(np.abs(lengths - BATCH) < BATCH // 50)


def test_blocks_before_the_barrier_do_not_count() -> None:
    skews, _ = start_skews(blocks_from([[1000, 4000]], sizing=True))
    assert skews.tolist() == [3000]


def test_one_thread_has_no_skew() -> None:
    assert start_skews(blocks_from([[1000], [5]]))[0].size == 0


@pytest.mark.parametrize(("share", "codes"), [(MOST / 2, []), (2 * MOST, ["late"])])
def test_a_warning_needs_more_than_its_share_of_a_batch(share: float, codes: list[str]) -> None:
    assert found(blocks_from([[0, int(share * BATCH)]] * 3), PAIR) == codes


def test_one_late_batch_of_many_is_not_a_doubt() -> None:
    assert found(blocks_from([[0, BATCH // 2]] + [[0, 10]] * 4), PAIR) == []


def test_simulated_threads_are_not_judged() -> None:
    blocks = blocks_from([[0, BATCH // 2]] * 3)
    assert found(blocks, PAIR) == ["late"]
    assert found(blocks, PAIR, origin="simulated") == []


def test_a_victim_may_start_when_it_wants() -> None:
    assert found(blocks_from([[0, BATCH // 2]] * 3), msgspec.structs.replace(PAIR, role=VICTIM)) == []
