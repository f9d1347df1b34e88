"""A bundle as a `HostReport`."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tierscope import __version__
from tierscope.core.ask import read
from tierscope.errors import CoreError, MachineError
from tierscope.fleet.host_report import SCHEMA, HostReport
from tierscope.fleet.payload.bundle import Bundle, read_bundle
from tierscope.fleet.payload.facts import facts_of, machine_of
from tierscope.fleet.payload.numbers import Found, numbers_of
from tierscope.host.proc import parse_cpu_time
from tierscope.host.system import System, whole
from tierscope.record.machine import Machine
from tierscope.run.inspect import inspect

CLOCKS_APART_S = 300.0  # from which the offset of a host's clock is a fact


class Asked(NamedTuple):
    """The facts of a measurement that the controller knows. day: its own date, UTC."""

    host: str
    plan: str
    day: str
    session: int
    facts: dict[str, str]
    started: float  # the earliest begin of the host, by the controller's clock, seconds since 1970


def report_of(content: bytes, asked: Asked) -> HostReport:
    """Return the report of a host; MachineError with the reason where what it sent is not one."""
    return finished(content, asked, lambda bundle, machine: numbers_of(bundle, machine.identity.caches))


def finished(content: bytes, asked: Asked, numbers: Callable[[Bundle, Machine], Found]) -> HostReport:
    """Return the report with the facts of a bundle, and the numbers of whoever measured."""
    bundle = read_bundle(content)
    at = _began(bundle)
    with tempfile.TemporaryDirectory(prefix="tierscope-") as folder:
        system = System(bundle.root(Path(folder)))
        machine = _machine(bundle, system)
        facts = facts_of(machine, system)
    found = numbers(bundle, machine)
    if not found.numbers and not found.wrong:
        raise MachineError("the host measured nothing that has a number; its CPUs may be taken by other programs")
    identity, source = machine_of(bundle, asked.host)
    facts |= {"identity_from": source, **_busy(bundle), **_clock(at, asked), **asked.facts}
    return HostReport(
        schema=SCHEMA, host=asked.host, machine=identity, day=asked.day, at=at, session=asked.session, plan=asked.plan,
        tierscope=__version__, origin="measured" if found.real else "synthetic", facts=facts,
        peak_bytes_per_s=machine.peak_bytes_per_s or None, wrong_answers=found.wrong, numbers=found.numbers,
    )  # fmt: skip


def _began(bundle: Bundle) -> float:
    """Return seconds since 1970, by the clock of the host."""
    began = whole(bundle.text("began"))
    if began is None:
        raise MachineError("its answer does not state when it began: it is damaged")
    return float(began)


def _machine(bundle: Bundle, system: System) -> Machine:
    try:
        return inspect(read(bundle.parts.get("topology", b""), dict[str, object]), system, None)
    except CoreError as error:
        raise MachineError(f"its topology cannot be read: {error}") from error


def _clock(at: float, asked: Asked) -> dict[str, str]:
    """Return how far the host's clock is at least from the controller's; it began between `asked.started` and now."""
    behind, ahead = at - asked.started, at - time.time()
    apart = ahead if ahead > CLOCKS_APART_S else behind if behind < -CLOCKS_APART_S else 0.0
    return {"clock_offset_s": f"{apart:.0f}"} if apart else {}


def _busy(bundle: Bundle) -> dict[str, str]:
    """Return the share of the time that a hypervisor took, over the measurement."""
    before, after = (parse_cpu_time(bundle.text(name)) for name in ("root/proc/stat", "after"))
    if before is None or after is None:
        return {}
    passed = after.since(before)
    total = passed.busy + passed.idle
    return {"steal": f"{passed.stolen / total:.4f}"} if total else {}
