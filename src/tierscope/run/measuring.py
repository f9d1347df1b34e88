"""The measurer of a run, as its manifest requests: who measures, who watches, and for how long."""

import math
from collections.abc import Callable
from functools import partial

from tierscope import core
from tierscope import fio as storage
from tierscope.plans import suites
from tierscope.record.experiment import real
from tierscope.record.result import Manifest
from tierscope.run.background import Watch
from tierscope.run.both import Both
from tierscope.run.earlier import EarlierRuns, earlier_file
from tierscope.run.hosts import Host
from tierscope.run.measurer import Measurer
from tierscope.run.quiet import Quiets, quiet_file
from tierscope.run.winners import Winners, winners_of
from tierscope.stats.between_runs import GUEST


def measurer(suite: str, host: Host) -> Callable[[], Measurer]:
    """Return who measures: the core, the program that the suite names, or each of them its own experiments."""
    if _is_program(suite):
        return storage.Session
    return partial(Both, host.session, storage.Session) if suite in suites and suites[suite].mixed else host.session


def watch_of(manifest: Manifest, host: Host) -> Watch | None:
    """Return who watches other programs; None on a simulated machine, and where another program measures."""
    if manifest.machine.simulated or _is_program(manifest.suite):
        return None
    machine = manifest.machine
    return Watch(machine, host.others(), host.session, Quiets(quiet_file(machine.identity.digest(), host.word)))


def earlier_for(manifest: Manifest) -> EarlierRuns | None:
    """Return the earlier runs of this machine; None where a point is visited once, as on a simulated machine."""
    if manifest.machine.simulated or _is_program(manifest.suite):
        return None
    guest = bool(manifest.machine.identity.hypervisor)
    return EarlierRuns(earlier_file(manifest.machine), assumed=GUEST if guest else None)


def winners_for(manifest: Manifest, host: Host) -> Winners:
    """Return the loop variants of earlier runs on such a processor; none for another machine."""
    if host.word or manifest.machine.simulated or _is_program(manifest.suite):
        return Winners()
    return winners_of(manifest.machine.identity, core.find_core)


def limit_s(manifest: Manifest) -> float:
    """Return the seconds after which points get their shortest time only; infinite if the suite has no limit."""
    limit = real(manifest.options.get("limit"))
    return math.inf if limit is None else limit


def _is_program(suite: str) -> bool:
    """Return whether a program measures, and not the core; False for groups of one's own, which are not a suite."""
    return suite in suites and bool(suites[suite].program) and not suites[suite].mixed
