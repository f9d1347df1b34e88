"""Where the core's executables are."""

import os
import shutil
import sysconfig
from importlib import metadata
from pathlib import Path

from tierscope.core.build import build
from tierscope.errors import MachineError

LINKED = "-pmdk"  # ends the name of the core that is linked with libpmemobj
TRACED = "-traced"  # the same for the core whose structures have their accesses recorded
SHADOW = "libtierscope-shadow.so"
BRING = "sudo apt-get install -y libpmemobj-dev, then run TIERSCOPE_WHEEL=no ./tierscope of a checkout, which builds it"


def find_core() -> Path:
    """Return TIERSCOPE_CORE, else the installed package's own script, else the one on PATH.

    Raises MachineError if there is none.
    """
    if named := os.environ.get("TIERSCOPE_CORE"):
        return Path(named)
    for candidate in (*_installed(), Path(sysconfig.get_path("scripts")) / "tierscope-core"):
        if candidate.is_file():
            return candidate
    if found := shutil.which("tierscope-core"):
        return Path(found)
    raise MachineError("tierscope-core is not installed; run ./tierscope once, or name it in TIERSCOPE_CORE")


def find_pool_core() -> Path:
    """Return the core with libpmemobj, next to the other; a checkout builds it now if it can.

    MachineError where it cannot.
    """
    core = find_core()
    beside = core if core.name.endswith(LINKED) else core.with_name(core.name + LINKED)
    if beside.is_file() or build(beside, f"tierscope-core{LINKED}"):
        return beside
    raise MachineError(f"targets named pool: need {beside}, which was not built; {BRING}")


def find_traced_core() -> Path:
    """Return the core for structures on simulated memory and emulated tiers; a checkout builds it now if it can.

    MachineError where it cannot.
    """
    core = find_core()
    beside = core.with_name(core.name.removesuffix(LINKED).removesuffix(TRACED) + TRACED)
    if beside.is_file() or build(beside, f"tierscope-core{TRACED}"):
        return beside
    raise MachineError(f"structures on sim: and emu: need {beside}, which was not built; run ./tierscope of a checkout")


def find_shadow() -> Path:
    """Return the library that observes flushes and fences, next to the core; a checkout builds it now if it can.

    MachineError where it cannot.
    """
    beside = find_core().resolve().with_name(SHADOW)
    if beside.is_file() or build(beside, "tierscope-shadow"):
        return beside
    raise MachineError(f"{beside} is not there: install the wheel again, or run ./tierscope of a checkout once")


def _installed() -> list[Path]:
    try:
        files = metadata.files("tierscope") or []
    except metadata.PackageNotFoundError:
        return []
    return [Path(str(f.locate())) for f in files if f.name == "tierscope-core"]
