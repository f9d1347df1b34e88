"""The CPUs that victims and aggressors get: victims from the front, aggressors from the back, so that every number
fits.

Each runs on its own core, since two hardware threads of one core share its first caches and its execution units: that
is another question. On a machine with one core, its threads must suffice, and a note states this.
"""

from dataclasses import dataclass

from tierscope.errors import MachineError, UsageError
from tierscope.record.machine import Machine


@dataclass(frozen=True)
class Places:
    """CPUs in the order in which they are taken."""

    victims: tuple[int, ...]
    aggressors: tuple[int, ...]
    overlap: bool  # threads may share a CPU
    note: str = ""

    @property
    def shared(self) -> frozenset[int]:
        """Return the CPUs that threads may have to share."""
        if not self.overlap:
            return frozenset()
        every = [*self.victims, *self.aggressors]
        return frozenset(cpu for cpu in every if every.count(cpu) > 1)

    def fits(self, victims: int, aggressors: int) -> bool:
        """Return whether each of these victims and aggressors has its own CPU at the same time."""
        if victims > len(self.victims) or aggressors > len(self.aggressors):
            return False
        return self.overlap or set(self.victims[:victims]).isdisjoint(self.aggressors[:aggressors])

    def counts(self, victims: int) -> list[int]:
        """Return 0, 1, 2, 4, ... and the most aggressors that fit with the victims; UsageError if none fits."""
        most = max((k for k in range(1, len(self.aggressors) + 1) if self.fits(victims, k)), default=0)
        if most == 0:
            raise UsageError(f"victims={victims} leaves no CPU for an aggressor; CPUs: {_list(self.victims)}")
        return sorted({0, most, *(1 << shift for shift in range(16) if 1 << shift < most)})

    def fit(self, victims: list[int], aggressors: list[int]) -> None:
        """Raise UsageError for the first numbers that do not fit together."""
        for n in victims:
            for k in aggressors or [0]:
                if not self.fits(n, k):
                    asked = f"victims={n}" + (f" aggressors={k}" if k else "")
                    raise UsageError(f"{asked} does not fit, one CPU each: {self._told()}; try fewer, or overlap=yes")

    def _told(self) -> str:
        """Return the CPUs, each once: both sides may use most of them, and take them from either end."""
        own, others = tuple(sorted(self.victims)), tuple(sorted(self.aggressors))
        if own == others:
            return f"both share CPUs {_list(own)}"
        return f"victims may use CPUs {_list(own)}, and aggressors CPUs {_list(others)}"


def places(
    machine: Machine, near: tuple[int, ...], victims: tuple[int, ...], aggressors: tuple[int, ...], *, overlap: bool
) -> Places:
    """Return the CPUs as asked for, else of `near`; UsageError for CPUs that may not be used, or are named twice."""
    usable = machine.cpus()
    if len(usable) < 2 and not overlap:
        why = (
            f"neighbors needs two CPUs, one for a victim and one for an aggressor; this process may use CPU {usable[0]}"
        )
        raise MachineError(f"{why}; allow it another, or let them share a CPU: overlap=yes")
    for cpu in (*victims, *aggressors):
        if cpu not in usable:
            raise UsageError(f"CPU {cpu} may not be used here; usable: {_list(usable)}")
    if not overlap:
        _refuse_twice(victims, aggressors)
    pool = near if len(near) > 1 else usable
    core_of = {cpu.number: (cpu.package, cpu.core) for cpu in machine.identity.cpus}
    own = victims or _apart(pool, aggressors, core_of, overlap=overlap)
    others = aggressors or tuple(reversed(_apart(pool, victims, core_of, overlap=overlap)))
    cores = [core_of[cpu] for cpu in {*own, *others}]
    together = len(set(cores)) < len(cores) and not (victims and aggressors)
    return Places(own, others, overlap, "victims and aggressors share a core: no other may be used" if together else "")


def _refuse_twice(victims: tuple[int, ...], aggressors: tuple[int, ...]) -> None:
    for key, cpus in (("victim_cpus", victims), ("aggressor_cpus", aggressors)):
        if len(set(cpus)) < len(cpus):
            raise UsageError(f"{key}={_list(cpus)} names a CPU twice; overlap=yes lets threads share it")
    if both := sorted(set(victims) & set(aggressors)):
        raise UsageError(f"victims and aggressors overlap on CPU {_list(tuple(both))}; overlap=yes lets them share it")


def _apart(
    pool: tuple[int, ...], taken: tuple[int, ...], core_of: dict[int, tuple[int, int]], *, overlap: bool
) -> tuple[int, ...]:
    """Return one unused CPU of each core; other hardware threads only if there is one such core."""
    free = tuple(cpu for cpu in pool if cpu not in taken)
    busy = {core_of[cpu] for cpu in taken}
    first = {core_of[cpu]: cpu for cpu in reversed(free) if core_of[cpu] not in busy}
    cores = tuple(cpu for cpu in free if cpu in first.values())
    enough = 1 if taken else 2
    return cores if len(cores) >= enough else free or (pool if overlap else ())


def _list(cpus: tuple[int, ...]) -> str:
    return ",".join(map(str, cpus)) or "none"
