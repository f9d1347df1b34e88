"""Loads of lines from another CPU's cache: clean or modified there, with the reader or the owner as home.

The owner prepares lines before each block, and the reader follows a chain through all of them. Both ways of a pair are
measured, since a reader and an owner are not alike. The preparation is outside of the timed block.
Blind to which agent answers: the other cache, a directory, or memory.
Source: D. Molka et al., "Memory Performance and Cache Coherency Effects on an Intel Nehalem Multiprocessor System",
PACT 2009.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.work.transfer import TransferWork
from tierscope.suites.core_to_core.labels import TransferLabels
from tierscope.suites.core_to_core.pairs import Pair

STATES = {"clean": "transfer_clean", "modified": "transfer_modified"}
READER, OWNER = HOMES = ("reader", "owner")
APART = 2  # lines: an adjacent-line prefetcher fetches the line between two of them
ROLE = "transfer"

Home = Callable[[int], Target]
"""The target that is home to the lines of a CPU."""


def both_ways(pairs: Sequence[Pair]) -> list[Pair]:
    """Return (reader, owner) for both ways of each pair, those of one reader together, in the order of the pairs."""
    place: dict[int, int] = {}
    for pair in pairs:
        for cpu in pair:
            place.setdefault(cpu, len(place))
    ways = [way for a, b in pairs for way in ((a, b), (b, a))]
    return sorted(ways, key=lambda way: (place[way[0]], place[way[1]]))


def footprint(lines: int, line_bytes: int) -> int:
    """Return the bytes of this number of lines, those between them, and the line on which both threads synchronize."""
    return (lines + 1) * APART * line_bytes


def transfers(
    pairs: Sequence[Pair], states: Sequence[str], homes: Sequence[str], home: Home, size: int, schedule: Schedule
) -> Iterator[Experiment]:
    """Yield an experiment for each state and reader: its owners, one take for each home that differs.

    size: bytes of the lines with those between them, as `footprint` computes them.
    """
    ways = both_ways(pairs)
    for state in states:
        for reader, own in groupby(ways, key=lambda way: way[0]):
            groups = [group for _, owner in own for group in _groups(state, reader, owner, homes, home, size)]
            yield Experiment(
                table="cache_to_cache",
                groups=tuple(groups),
                schedule=schedule,
                labels=TransferLabels(state=state, reader_cpu=reader).stored(),
                takes=tuple((number,) for number in range(len(groups))),
            )


def _groups(state: str, reader: int, owner: int, homes: Sequence[str], home: Home, size: int) -> Iterator[Group]:
    cpus = {READER: reader, OWNER: owner}
    work = Workload(kernel=STATES[state], footprint_bytes=size, work=TransferWork())
    for target in dict.fromkeys(home(cpus[one]) for one in homes):
        yield Group(workload=work, target=target, team=Team(cpus=(reader, owner)), role=ROLE)
