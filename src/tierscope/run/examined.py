"""The doctor's checks, and what seconds of measuring show: CPUs that share a core, or a full path to memory."""

import tempfile
from pathlib import Path

from tierscope.doctor import examine
from tierscope.doctor.check import BANDWIDTH
from tierscope.errors import MachineError
from tierscope.plans import suites
from tierscope.record.result import Finding, load
from tierscope.run import start
from tierscope.run.hosts import HERE, Host
from tierscope.suites.sharing.finding import finding
from tierscope.tables import tables

SUITE = "sharing"


def examined(host: Host = HERE) -> tuple[Finding, ...]:
    """Return the findings of all checks and a measured one, which is unknown where nothing can be measured.

    Writes a run into a temporary folder, and removes it.
    """
    try:
        with tempfile.TemporaryDirectory(prefix="tierscope-") as folder:
            return _measured(Path(folder) / "run", host)
    except MachineError as error:
        unknown = Finding(name=SUITE, state=str(error), verdict="unknown", touches=BANDWIDTH, effect="", remedy="")
        return (*examine(host.system()), unknown)


def _measured(directory: Path, host: Host) -> tuple[Finding, ...]:
    options = suites[SUITE].read({})
    directory, manifest = start.begin(SUITE, options, "", ("tierscope", "doctor"), directory, host=host)
    start.execute(directory, manifest, None, host)
    return (*manifest.findings, finding(tables[SUITE].rows(load(directory))))
