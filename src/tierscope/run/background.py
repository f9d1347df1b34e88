"""The activity of others during a visit: the CPUs that they use, and the speed of memory between visits.

The probe has its own core process, with its own memory on each node that a point uses. It maps the memory once, and
reads it by dependent reads and by reads in order. It runs each PAUSE_S, and around every visit while others use CPUs.
Before every visit it runs until quiet times of this machine are known. The first seconds of a run that is expected to
be short are probed only while others use CPUs.

A thread that comes back finds the page tables out of its caches. The first dependent reads then take a third longer,
for some milliseconds. Next to programs that only use the CPU, most blocks of a probe are such ones, and would show a
memory that others use. So a probe lasts until FEWEST blocks had WARM_S of undisturbed work before them. Where that is
not enough, all undisturbed blocks count. Reads in order are as fast as before at that moment, so all of theirs count:
they show programs that use the memory just then.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tierscope.arrays import Floats
from tierscope.errors import TierscopeError
from tierscope.host.others import Mark, Marks, cpus_between
from tierscope.record.background import Background
from tierscope.record.experiment import Experiment, Group, Target, Team, Workload
from tierscope.record.machine import Machine
from tierscope.record.result import SIZING, Blocks
from tierscope.record.work.hop import HopWork
from tierscope.record.work.line import LineWork
from tierscope.run.both import is_job
from tierscope.run.measurer import Measurer
from tierscope.run.quiet import Quiets
from tierscope.stats.background import ENOUGH, busy
from tierscope.units import LINE_BYTES, MiB

PROBES_S = (0.02, 0.04, 0.04)  # of dependent reads, until FEWEST blocks are warm; the median is then known to 1 %
BLOCK_S = 0.0005
WARM_S = 0.004  # of undisturbed work, after which a block counts
FEWEST = 8  # blocks of a probe
PAUSE_S = 1.0  # between two probes while others rest: they cost 5 % of the time
FRESH_S = 0.1  # a probe that is younger also counts as the one before the next visit
SHORT_S = 5.0  # a run that is expected to be shorter is not probed in this time without a reason
TEACHES_S = 1.0  # the same, while quiet times are not known
SPAN_S = 1.0  # over which the use of CPUs is counted at least
REST = 3  # times fewer CPUs than count as busy: others rest
SMALLEST, LARGEST = 64 * MiB, 256 * MiB  # walked by the probe; several times the last-level cache where that fits
ROOM = 8  # times the size of the probe must be free on the node


@dataclass(frozen=True, slots=True)
class Probe:
    """The result of a probe by one CPU that is otherwise at rest."""

    moment_s: float
    latency_s: float
    bytes_per_s: float


class Watch:
    """The observer of others during one run. start: begins a core process."""

    def __init__(
        self,
        machine: Machine,
        others: Marks,
        start: Callable[[], Measurer],
        quiets: Quiets,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._machine, self._others, self._start, self._quiets, self._clock = machine, others, start, quiets, clock
        self._sessions: dict[int, Measurer | None] = {}
        self._last: dict[int, Probe] = {}
        self._marks: list[Mark] = []
        self._used: float | None = None
        self._began, self._expected_s = clock(), 0.0
        self._pending: list[tuple[int, Probe]] = []
        self._note()

    def expect(self, seconds: float) -> None:
        """Report how long the run will take."""
        self._expected_s = seconds

    def before(self, experiment: Experiment) -> None:
        """Probe the memory if that is due; not for a job of another program, which is less sensitive to others."""
        if is_job(experiment.groups):
            return
        self._used = self._note()
        self._settle()
        node = self._node(experiment)
        if (self._busy() and not self._is_fresh(node)) or self._is_due(node):
            self._probe(node)

    def after(self, experiment: Experiment) -> Background | None:
        """Return the activity during the visit that `before` began; None for a job, which runs another program."""
        if is_job(experiment.groups):
            self._marks, self._used = [], None
            self._note()
            return None
        node, used = self._node(experiment), self._note()
        found = [probe] if (probe := self._last.get(node)) else []
        self._used = used
        self._settle()
        if self._busy() and (more := self._probe(node)):
            found.append(more)
        return Background(
            cpus=used,
            latency_s=max((one.latency_s for one in found), default=None),
            bytes_per_s=min((one.bytes_per_s for one in found), default=None),
            quiet=self._quiets.of(node),
        )

    def close(self) -> None:
        """End the processes of the probe, and keep what quiet times showed."""
        for session in self._sessions.values():
            if session is not None:
                session.close()
        self._sessions = {}
        self._quiets.save()

    def _settle(self) -> None:
        """Learn from probes with rest before them, if there was also rest after them."""
        if self._rests():
            for node, probe in self._pending:
                self._quiets.add(node, probe.latency_s, probe.bytes_per_s)
        self._pending = []

    def _is_due(self, node: int) -> bool:
        """Return whether to probe while others rest, in a run that lasts long or was expected to."""
        now, last, quiet = self._clock(), self._last.get(node), self._quiets.of(node)
        known = quiet is not None and quiet.count >= ENOUGH
        if max(self._expected_s, now - self._began) < (SHORT_S if known else TEACHES_S):
            return False
        teaches = not known and self._rests()
        return last is None or teaches or now - last.moment_s >= PAUSE_S

    def _is_fresh(self, node: int) -> bool:
        last = self._last.get(node)
        return last is not None and self._clock() - last.moment_s < FRESH_S

    def _rests(self) -> bool:
        return self._used is not None and self._used < busy(len(self._machine.identity.cpus)) / REST

    def _busy(self) -> bool:
        return self._used is not None and self._used >= busy(len(self._machine.identity.cpus))

    def _note(self) -> float | None:
        """Return the CPUs that others used lately, over at least SPAN_S once the run is that old."""
        now = self._others.mark()
        if now is None:
            return None
        self._marks.append(now)
        while len(self._marks) > 2 and now.moment_s - self._marks[1].moment_s >= SPAN_S:
            del self._marks[0]
        first = self._marks[0]
        return cpus_between(first, now) if now.moment_s - first.moment_s >= SPAN_S / 2 else self._used

    def _node(self, experiment: Experiment) -> int:
        """Return the node of the first CPU of an experiment."""
        first = next((cpu for group in experiment.groups for cpu in group.team.cpus), None)
        nodes = {cpu.number: cpu.node for cpu in self._machine.identity.cpus}
        return nodes.get(first, 0) if first is not None else 0

    def _probe(self, node: int) -> Probe | None:
        if node not in self._sessions:
            self._sessions[node] = self._begin(node)
        session = self._sessions[node]
        if session is None:
            return None
        hop, line = _warm_rate(session, 0), _rate(session, 1)
        if hop is None or line is None:
            self._last.pop(node, None)  # it does not show this moment
            return None
        probe = Probe(self._clock(), 1 / hop, line * LINE_BYTES)
        self._last[node] = probe
        if self._rests():
            self._pending.append((node, probe))
        return probe

    def _begin(self, node: int) -> Measurer | None:
        """Return a core process with memory on the node; None where the node has too little, or the core refuses."""
        cpus = [cpu.number for cpu in self._machine.identity.cpus if cpu.node == node and cpu.allowed]
        size = min(max(2 * self._machine.last_level_cache_bytes(), SMALLEST), LARGEST)
        free = next((one.free_bytes for one in self._machine.identity.nodes if one.number == node), 0)
        if not cpus or free < ROOM * size:
            return None
        session = self._start()
        target, team = Target(name="node", where=str(node)), Team(cpus=(cpus[0],))
        works = (("chase", HopWork()), ("read", LineWork()))
        try:
            session.prepare(
                [
                    Group(workload=Workload(kernel=kernel, footprint_bytes=size, work=work), target=target, team=team)
                    for kernel, work in works
                ]
            )
        except TierscopeError:
            session.close()
            return None
        return session


def _rate(session: Measurer, group: int) -> float | None:
    """Return operations/s, the median of the undisturbed blocks; None where they are too few."""
    blocks = session.measure(PROBES_S[0], BLOCK_S, (group,))
    return _middle(_rates(blocks, session.clock.hz)[blocks["flags"] == 0])


def _warm_rate(session: Measurer, group: int) -> float | None:
    """Return the same of the warm blocks, measured for longer until they are enough; else of all undisturbed ones."""
    every: list[float] = []
    warm: list[float] = []
    for seconds in PROBES_S:
        blocks = session.measure(seconds, BLOCK_S, (group,))
        rates, clean = _rates(blocks, session.clock.hz), blocks["flags"] == 0
        every.extend(rates[clean])
        warm.extend(rates[clean & (_undisturbed_s(blocks, session.clock.hz) >= WARM_S)])
        if found := _middle(warm):
            return found
    return _middle(every)


def _rates(blocks: Blocks, hz: float) -> Floats:
    ticks = np.maximum(blocks["stop_ticks"] - blocks["start_ticks"], 1)
    return np.asarray(blocks["operations"] / ticks * hz)


def _middle(rates: Sequence[float] | Floats) -> float | None:
    return float(np.median(rates)) if len(rates) >= FEWEST else None


def _undisturbed_s(blocks: Blocks, hz: float) -> Floats:
    """Return the seconds of undisturbed work of the thread before each block of a batch; shape (blocks,)."""
    if not blocks.size:
        return np.empty(0)
    disturbed = (blocks["flags"] & ~np.uint16(SIZING)) != 0
    since = np.maximum.accumulate(np.where(disturbed, blocks["stop_ticks"], blocks["start_ticks"][0]))
    return np.asarray((blocks["start_ticks"].astype(np.float64) - since.astype(np.float64)) / hz)
