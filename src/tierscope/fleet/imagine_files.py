"""An imagined fleet as the JSON files that a measured one leaves, and what was planted in a file of its own."""

import hashlib
import os
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import msgspec
import numpy as np

from tierscope import __version__
from tierscope.arrays import Floats
from tierscope.errors import UsageError
from tierscope.files import write_atomically
from tierscope.fleet.folder import BEGUN, REPORTS, TRUTH, report_path
from tierscope.fleet.host_report import SCHEMA, HostReport, Number
from tierscope.fleet.imagine import REPEATS, Fleet, Sessions
from tierscope.stats.median import MEDIAN_ERROR, SIGMAS_95

PEAK = 307.2e9  # eight channels at 4800 MT/s, 8 bytes each
PLAN = "imagined"
KERNELS = ("read", "write", "copy", "triad")


def write_fleet(directory: Path, fleet: Fleet) -> int:
    """Write every report and the truth into a new or empty directory; return the number of reports.

    The file BEGUN is there until all are written, so that half a fleet is not judged as a whole one.
    """
    if directory.exists() and any(directory.iterdir()):
        half = "an unfinished imagined fleet" if (directory / BEGUN).exists() else "not empty"
        raise UsageError(f"{directory} is {half}; remove it, or name a new directory for the imagined fleet")
    directory.mkdir(parents=True, exist_ok=True)
    (directory / BEGUN).touch()
    write_atomically(directory / TRUTH, msgspec.json.encode(fleet.truth))
    sessions = Sessions(fleet)
    written = sum(_write_day(directory, fleet, sessions.next(day), day) for day in range(fleet.options.days))
    (directory / BEGUN).unlink()
    return written


def write_sessions(directory: Path, fleet: Fleet, asked: dict[str, int], day: int) -> int:
    """Write re-test sessions of named hosts: name -> number of sessions; return the number of reports.

    The day may be after the last one of the fleet. The noise is fresh: other hours, other sessions.
    """
    place = {name: number for number, name in enumerate(fleet.names)}
    if missing := [name for name in asked if name not in place]:
        raise UsageError(f"this imagined fleet has no host {missing[0]!r}")
    draws, written = Sessions(fleet, 1000 + day), 0
    for session in range(1, max(asked.values(), default=0) + 1):
        hosts = np.array([place[name] for name, count in asked.items() if count >= session], dtype=np.intp)
        logs = draws.next(day, hosts)
        for host, row in zip(hosts.tolist(), logs, strict=True):
            _write(directory, report_of(fleet, host, row, day, session))
            written += 1
    return written


def _write_day(directory: Path, fleet: Fleet, logs: Floats, day: int) -> int:
    (directory / REPORTS / day_name(fleet, day)).mkdir(parents=True, exist_ok=True)
    faults, last = fleet.truth.faults, day == fleet.options.days - 1
    silent = set(faults.get("missing", ())) if last else set()
    written = 0
    for host, name in enumerate(fleet.names):
        if name in silent:
            continue
        report = report_of(fleet, host, logs[host], day, 0)
        _write(directory, report)
        written += 1
        if name in faults.get("duplicate", ()):
            path = report_path(directory, report)
            path.with_name(f"copy-{path.name}").write_bytes(msgspec.json.encode(report))
            written += 1
    return written


def day_name(fleet: Fleet, day: int) -> str:
    """Return the date of a place in the days."""
    return (date.fromisoformat(fleet.options.start) + timedelta(days=day)).isoformat()


def report_of(fleet: Fleet, host: int, logs: Floats, day: int, session: int) -> HostReport:
    """Return the report of one host; logs: (metrics,), higher is faster."""
    name = fleet.names[host]
    when = datetime.fromisoformat(day_name(fleet, day)).replace(tzinfo=UTC)
    cloned = fleet.truth.faults.get("cloned", ())
    identity = cloned[0] if name in cloned else name
    return HostReport(
        schema=SCHEMA,
        host=name,
        machine=hashlib.sha256(f"{fleet.options.seed} {identity}".encode()).hexdigest()[:32],
        day=when.date().isoformat(),
        at=when.timestamp() + 3600 * (2 + session) + host % 3600,
        session=session,
        plan=PLAN,
        tierscope=__version__,
        origin="synthetic",
        facts=facts_of(fleet, host, day),
        peak_bytes_per_s=PEAK,
        wrong_answers=int(name in fleet.truth.faults.get("wrong", ())),
        numbers=tuple(_numbers(fleet, logs)),
    )


def facts_of(fleet: Fleet, host: int, day: int) -> dict[str, str]:
    """Return a host's facts: one with a step changed its BIOS on that day; the DIMM part distinguishes hidden kinds."""
    stepped = fleet.truth.day.get(fleet.names[host], fleet.options.days)
    updated = fleet.names[host] in fleet.truth.faults.get("step", ()) and day >= stepped
    return {
        "sku": f"sku{host % fleet.options.skus}",
        "family": "imagined",
        "bios": "1.2" if updated else "1.1",
        "microcode": "0x2b",
        "kernel": "6.1.0",
        "dimms": "8x32GiB@4800",
        "dimm_part": "B-4800-32" if fleet.kind[host] else "A-4800-32",
        "rack": f"r{host // 40}",
        "configured_mts": "4800",
    }


def _numbers(fleet: Fleet, logs: Floats) -> Iterator[Number]:
    half = SIGMAS_95 * MEDIAN_ERROR * max(fleet.options.run_noise, 1e-4) / np.sqrt(REPEATS)
    for place, faster in enumerate(logs.tolist()):
        rate = place % 2 == 0
        value = 0.8 * PEAK / (1 + 0.02 * place) * np.exp(faster) if rate else 100e-9 * (1 + place) * np.exp(-faster)
        kernel = KERNELS[place // 2 % len(KERNELS)]
        yield Number(
            metric=f"stream.{kernel}.{place}" if rate else f"latency.{place}",
            unit="B/s" if rate else "s",
            better="higher" if rate else "lower",
            value=float(value),
            low=float(value * np.exp(-half)),
            high=float(value * np.exp(half)),
            blocks=REPEATS,
            conclusive=True,
        )


def _write(directory: Path, report: HostReport) -> None:
    """Write one report whole, without the flush to the disk that ten thousand files would wait for."""
    path = report_path(directory, report)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_bytes(msgspec.json.encode(report))
    os.replace(part, path)
