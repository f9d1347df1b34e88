"""A run directory of what another tool measured: manifest, result, and the file itself as it was.

The machine is unknown, since these outputs do not say it: its fields are empty and its peak is None.
"""

import platform
import shutil
from datetime import datetime
from pathlib import Path

from tierscope import __version__
from tierscope.errors import MachineError
from tierscope.experiment import Label
from tierscope.imports import Imported
from tierscope.machine import Identity, Machine
from tierscope.result import SCHEMA, Manifest, Result, Run, Software, load, save_manifest, save_result

SUITE = "import"
KEPT = "imported"  # folder of the file itself


def in_memory(name: str, imported: Imported, argv: tuple[str, ...], now: datetime) -> tuple[Manifest, Result]:
    """name: of the format; now: in UTC."""
    started = f"{now:%Y-%m-%dT%H:%M:%SZ}"
    options: dict[str, Label] = {"as": name}
    software = Software(tierscope=__version__, core="", compiler="", python=platform.python_version())
    manifest = Manifest(
        schema=SCHEMA, argv=argv, suite=SUITE, options=options, plan="", software=software, machine=unknown_machine(),
        findings=(), started=started,
    )  # fmt: skip
    result = Result(
        schema=SCHEMA, suite=SUITE, options=options, origin="imported", software=software, machine=manifest.machine,
        findings=(), started=started, complete=True, warnings=imported.warnings, origin_by=imported.tool,
        readings=imported.readings, method=imported.method,
    )  # fmt: skip
    return manifest, result


def store(directory: Path, source: Path, parts: tuple[Manifest, Result]) -> Run:
    """Into `directory`, which exists; MachineError if it cannot be written."""
    try:
        (directory / KEPT).mkdir()
        shutil.copyfile(source, directory / KEPT / source.name)
        save_manifest(directory, parts[0])
        save_result(directory, parts[1])
    except OSError as error:
        raise MachineError(f"cannot write {error.filename}: {error.strerror}; try --out ANOTHER_PLACE") from error
    return load(directory)


def unknown_machine() -> Machine:
    identity = Identity(
        model="unknown", architecture="unknown", family="", microcode="", features=(), hypervisor="", kernel="unknown",
        memory="", cpus=(), nodes=(), caches=(),
    )  # fmt: skip
    source = "unknown: the output of another tool does not tell"
    return Machine(hostname="unknown", identity=identity, state={}, peak_bytes_per_s=None, peak_source=source)
