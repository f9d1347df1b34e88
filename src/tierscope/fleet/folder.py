"""Where a fleet's files are: `reports/DAY/*.json` is the truth, `store/` is folded from it and can be deleted."""

import hashlib
from pathlib import Path

from tierscope.fleet.host_report import HostReport

REPORTS, STORE, CONFIRM, TRUTH = "reports", "store", "confirm.json", "truth.json"
BEGUN = "unfinished"  # there while an imagined fleet is written


def report_path(directory: Path, report: HostReport) -> Path:
    """Return the path of a report; host, machine, plan and session make its name, as a digest without foreign text."""
    key = "\0".join((report.host, report.machine, report.plan, str(report.session)))
    name = hashlib.sha256(key.encode()).hexdigest()[:20]
    return directory / REPORTS / report.day / f"{name}.json"
