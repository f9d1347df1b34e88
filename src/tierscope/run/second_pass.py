"""The same plan once more, on a simulated machine with this machine's caches: where no PMU counts, they do.

Caches are those that the system reports (sizes, ways, who shares them); memory has no structure, since only counts are
asked for. A millisecond of virtual time, after the warm-up that every simulated run has.
Blind to: instructions, the TLB, prefetchers, hashed sets, the sizes that neighbours and hypervisors leave of a cache,
and CPUs that share a cache without being numbered side by side.
"""

from collections.abc import Callable

import msgspec

from tierscope.counting import SIMULATED, Counted, simulated_events
from tierscope.errors import TierscopeError
from tierscope.experiment import Experiment, Group, Target
from tierscope.machine import Cache, Machine
from tierscope.run.measurer import Measurer
from tierscope.stats.takes import takes_of
from tierscope.units import word_bytes

SECONDS = 1e-3  # virtual: some ten thousand accesses to memory, some millions to the nearest cache
BLOCK_S = 50e-6
NAMES = {1: "L1d", 2: "L2", 3: "L3", 4: "L4"}
LATENCIES_NS = {
    1: 1.5,
    2: 5.0,
    3: 20.0,
    4: 40.0,
}  # guesses: they order the accesses of threads, counts hardly feel them


def machine_word(machine: Machine, cpus: tuple[int, ...]) -> str:
    """Behind `sim:`, for these CPUs; the caches are those of the first."""
    caches = [cache for cache in machine.identity.caches if cache.kind != "Instruction" and cpus[0] in cache.cpus]
    most = max(max(cpus) + 1, *(len(cache.cpus) for cache in caches))
    words = ["flat", f"cpu.count={most}", "memory.flat.size=1024GiB"]
    for number, cache in enumerate(sorted(caches, key=lambda cache: cache.level)):
        words += [f"cache.{number}.{word}" for word in _cache(cache)]
    return ",".join(words)


def _cache(cache: Cache) -> tuple[str, ...]:
    return (
        f"name={NAMES.get(cache.level, f'L{cache.level}')}",
        f"size={word_bytes(cache.size_bytes)}",
        f"ways={cache.ways}",
        f"latency={LATENCIES_NS.get(cache.level, 60.0):g}ns",
        f"shared={len(cache.cpus)}",
    )


class SecondPass:
    """One simulated machine's process, begun when it is first asked for."""

    def __init__(self, machine: Machine, start: Callable[[], Measurer]) -> None:
        self._machine = machine
        self._start = start
        self._session: Measurer | None = None

    def count(self, experiment: Experiment) -> Counted:
        """With the reason where the simulator does not take this plan."""
        word = machine_word(self._machine, tuple(cpu for group in experiment.groups for cpu in group.team.cpus))
        groups = [_on(word, group) for group in experiment.groups]
        session = self._session = self._session or self._start()
        try:
            session.prepare(groups)
            batches = [session.measure(SECONDS, BLOCK_S, take) for take in takes_of(experiment)]
            counters = session.check()[2]
        except TierscopeError as error:
            self.close()
            return Counted(origin=SIMULATED, by=f"sim:{word}", reason=f"the simulator does not take it: {error}")
        return Counted(
            origin=SIMULATED,
            by=f"sim:{word}",
            blocks=sum(len(batch) for batch in batches),
            operations=sum(int(batch["operations"].sum()) for batch in batches),
            seconds=sum(int((batch["stop_ticks"] - batch["start_ticks"]).sum()) for batch in batches)
            / session.clock.hz,
            events=simulated_events(counters),
        )

    def close(self) -> None:
        """End the process; the next `count` begins another."""
        if self._session is not None:
            self._session.close()
        self._session = None


def _on(word: str, group: Group) -> Group:
    """The group with its bytes on that machine; the null target stays."""

    def moved(target: Target) -> Target:
        return target if target.name == "null" else Target(name="sim", where=word, pages=target.pages)

    source = None if group.source is None else moved(group.source)
    return msgspec.structs.replace(group, target=moved(group.target), source=source)
