"""The same plan once more, on a simulated machine with this machine's caches: where no PMU counts, they do.

Memory has no structure, since only counts are asked for. A millisecond of virtual time, after the warm-up that every
simulated run has.
Blind to: instructions, the TLB, prefetchers, hashed sets, and the size that neighbours and hypervisors leave of a
cache.
"""

from collections.abc import Callable, Sequence

import msgspec

from tierscope.errors import TierscopeError
from tierscope.record.counting import SIMULATED, Counted, simulated_events
from tierscope.record.experiment import Experiment, Group, Target, Team
from tierscope.record.machine import Machine
from tierscope.run.measurer import Measurer
from tierscope.run.twin import Twin, twin_of
from tierscope.stats.takes import takes_of

SECONDS = 1e-3  # virtual: some ten thousand accesses to memory, some millions to the nearest cache
BLOCK_S = 50e-6
NO_CACHES = "the system reports no caches of these CPUs, and there are none to simulate"


class SecondPass:
    """One simulated machine's process, begun when it is first asked for."""

    def __init__(self, machine: Machine, start: Callable[[], Measurer]) -> None:
        self._machine = machine
        self._start = start
        self._session: Measurer | None = None

    def count(self, experiment: Experiment) -> tuple[Counted, ...]:
        """Return the counts of each take, all its groups together; with the reason where this plan is not simulated."""
        twin = twin_of(self._machine, (cpu for group in experiment.groups for cpu in group.team.cpus))
        if twin is None:
            return (Counted(origin=SIMULATED, reason=NO_CACHES),)
        by, groups = f"sim:{twin.word}", [_on(twin, group) for group in experiment.groups]
        session = self._session = self._session or self._start()
        takes = takes_of(experiment)
        try:
            return tuple(
                _take(
                    session,
                    [groups[one] for one in take],
                    Counted(origin=SIMULATED, by=by, take=number if len(takes) > 1 else None),
                )
                for number, take in enumerate(takes)
            )
        except TierscopeError as error:
            self.close()
            return (Counted(origin=SIMULATED, by=by, reason=f"the simulator does not take it: {error}"),)

    def close(self) -> None:
        """End the process; the next `count` begins another."""
        if self._session is not None:
            self._session.close()
        self._session = None


def _take(session: Measurer, groups: Sequence[Group], counted: Counted) -> Counted:
    """Return the counts of these groups alone, since the warm-up of others would fill the caches with their lines."""
    session.prepare(groups)
    blocks = session.measure(SECONDS, BLOCK_S)
    events = simulated_events(session.check()[2])
    return msgspec.structs.replace(
        counted,
        blocks=len(blocks),
        operations=int(blocks["operations"].sum()),
        seconds=int((blocks["stop_ticks"] - blocks["start_ticks"]).sum()) / session.clock.hz,
        events=events,
    )


def _on(twin: Twin, group: Group) -> Group:
    """Return the group with its bytes and its threads on that machine; the null target stays."""

    def moved(target: Target) -> Target:
        return target if target.name == "null" else Target(name="sim", where=twin.word, pages=target.pages)

    source = None if group.source is None else moved(group.source)
    team = Team(cpus=tuple(twin.cpus[cpu] for cpu in group.team.cpus))
    return msgspec.structs.replace(group, target=moved(group.target), source=source, team=team)
