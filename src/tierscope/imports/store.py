"""A run directory of what another tool measured: manifest, result, and the unchanged file itself.

The machine is unknown, since these outputs do not describe it: its fields are empty and its peak is None.
"""

import platform
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from tierscope import __version__
from tierscope.errors import MachineError, refusal
from tierscope.files import write_atomically
from tierscope.imports import Imported
from tierscope.record.experiment import Label
from tierscope.record.machine import Identity, Machine
from tierscope.record.result import SCHEMA, Manifest, Result, Run, Software, load, save_manifest, save_result

SUITE = "import"
KEPT = "imported"  # folder of the file itself


class Given(NamedTuple):
    """Facts of the machine that the user knows and the output does not state."""

    options: dict[str, Label]  # as numbers: peak, channels, speed, cache
    peak_bytes_per_s: float | None
    peak_source: str


def in_memory(
    name: str, imported: Imported, argv: tuple[str, ...], now: datetime, given: Given | None = None
) -> tuple[Manifest, Result]:
    """Return manifest and result of an import.

    name: of the format; now: in UTC; given: what the user knows of the machine.
    """
    given = given or Given({}, None, "")
    started = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    options: dict[str, Label] = {"as": name, **given.options}
    software = Software(tierscope=__version__, core="", compiler="", python=platform.python_version())
    manifest = Manifest(
        schema=SCHEMA, argv=argv, suite=SUITE, options=options, plan="", software=software,
        machine=unknown_machine(given), findings=(), started=started,
    )  # fmt: skip
    result = Result(
        schema=SCHEMA, suite=SUITE, options=options, origin="imported", software=software, machine=manifest.machine,
        findings=(), started=started, complete=True, warnings=imported.warnings, origin_by=imported.tool,
        readings=imported.readings, method=imported.method,
    )  # fmt: skip
    return manifest, result


def store(directory: Path, source: tuple[str, bytes], parts: tuple[Manifest, Result]) -> Run:
    """Store into `directory`, which exists; raise MachineError if it cannot be written.

    source: name and content of the file.

    The manifest comes first and states whose the rest is. The result comes last, so that readers detect half an import
    after a kill.
    """
    try:
        save_manifest(directory, parts[0])
        (directory / KEPT).mkdir(exist_ok=True)
        write_atomically(directory / KEPT / source[0], source[1])
        save_result(directory, parts[1])
    except OSError as error:
        raise MachineError(f"cannot write {refusal(error)}; try --out ANOTHER_PLACE") from error
    return load(directory)


def unknown_machine(given: Given) -> Machine:
    identity = Identity(
        model="unknown", architecture="unknown", family="", microcode="", features=(), hypervisor="", kernel="unknown",
        memory="", cpus=(), nodes=(), caches=(),
    )  # fmt: skip
    source = given.peak_source or "unknown: the output of another tool does not state it; give peak=RATE"
    return Machine(
        hostname="unknown", identity=identity, state={}, peak_bytes_per_s=given.peak_bytes_per_s, peak_source=source
    )
