"""The health check of one host: a short plan against this host's own first checks. It asks no scheduler.

The first LEARN checks of a quiet host are the baseline, and are kept; later ones are compared and not added, so a slow
drift cannot become the rule. A metric is slow where it is beyond both bounds:

    ratio to the median of the baseline > 1 + LIMIT,  and  > 1 + SPREADS x (1.4826 MAD of the log baseline)

Slow at the first measurement, and slow again at the second: failed. A host whose CPUs others use is not judged.
Blind to a fault that was there when the baseline was learned; compare hosts for that (`fleet outliers`).
"""

import math
import os
import statistics
import time
from pathlib import Path

import msgspec

from tierscope.errors import Exit, MachineError, ResultError, reason
from tierscope.files import write_atomically
from tierscope.fleet.host_report import HostReport, Number
from tierscope.fleet.payload import payload_of
from tierscope.fleet.payload.process import output_of
from tierscope.fleet.payload.report import Asked, report_of
from tierscope.fleet.plan import FleetPlan
from tierscope.stats.median import MAD_SIGMA

LEARN = 5
LIMIT = 0.10
SPREADS = 5.0
BUSY = 0.25  # CPUs that other programs use, as a share of all, from which nothing is judged
POINTS = (
    ("group kernel=chase target=node:@node@ pages=thp cpus=@cpu@ footprint=@far@", "latency.memory"),
    ("each-node group kernel=read target=node:@node@ pages=thp cpus=@cpus@ footprint=@large@", "bandwidth.read.all"),
)


class Baseline(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The stored checks of one plan on one machine, by metric."""

    schema: int = 1
    machine: str
    plan: str
    values: dict[str, list[float]] = {}


def plan(seconds: float = 0.1) -> FleetPlan:
    """Return the plan of a check: two points, three visits."""
    visit = [f"{line}\nprepare\nmeasure seconds={seconds}s block=1ms # {name}\ncheck\ndrop\n" for line, name in POINTS]
    return FleetPlan("check", "".join(visit * 3))


def check(budget_s: float, place: Path, again: bool = True) -> tuple[Exit, str]:
    """Return the status and one line: 0 good or learned, 1 slow or wrong, 4 not known."""
    until = time.monotonic() + budget_s
    try:
        report = _measured(place, until)
        status, line = judged(report, _stored(place, report), place)
        if status == Exit.FAILED and again and not report.wrong_answers:
            status, line = judged(_measured(place, until), _stored(place, report), place)
    except (MachineError, ResultError, OSError) as error:
        return Exit.INCONCLUSIVE, f"memory not known: {error}"
    return status, line


def judged(report: HostReport, baseline: Baseline, place: Path) -> tuple[Exit, str]:
    """Return the verdict on one measurement; a baseline that is not complete learns it."""
    if report.wrong_answers:
        return Exit.FAILED, f"memory failed: {report.wrong_answers} kernels computed wrong answers"
    if float(report.facts.get("load_1min", 0)) > BUSY * float(report.facts.get("cpus", 1)):
        return Exit.INCONCLUSIVE, f"memory not known: the host is busy (load {report.facts['load_1min']})"
    if min((len(baseline.values.get(one.metric, [])) for one in report.numbers), default=0) < LEARN:
        for one in report.numbers:
            baseline.values.setdefault(one.metric, []).append(one.value)
        write_atomically(place / "baseline.json", msgspec.json.encode(baseline))
        done = min(map(len, baseline.values.values()))
        return Exit.GOOD, f"memory good: check {done} of {LEARN} that make this host's baseline"
    slow = [text for one in report.numbers if (text := slower(one, baseline.values[one.metric]))]
    if slow:
        return Exit.FAILED, f"memory slow: {'; '.join(slow)}"
    return Exit.GOOD, f"memory good: {len(report.numbers)} numbers are those of this host's baseline"


def slower(one: Number, values: list[float]) -> str:
    """Return 'bandwidth.read.all 21 % slower than this host was'; "" where it is not slow."""
    logs = [math.log(value) for value in values]
    middle = statistics.median(logs)
    spread = MAD_SIGMA * statistics.median(abs(log - middle) for log in logs)
    sign = 1 if one.better == "lower" else -1
    excess = sign * (math.log(one.value) - middle)
    if excess <= max(math.log1p(LIMIT), SPREADS * spread):
        return ""
    return f"{one.metric} {math.expm1(excess) * 100:.0f} % slower than this host was"


def default_place() -> Path:
    """Return where a host keeps its baseline: below /var/lib for root, else in the user's state folder."""
    if os.geteuid() == 0:
        return Path("/var/lib/tierscope/fleet-check")
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local/state") / "tierscope/fleet-check"


def _measured(place: Path, until: float) -> HostReport:
    own, left = plan(), until - time.monotonic()
    if left <= 1:
        raise MachineError("the budget is used up; give more with --budget")
    folder = payload_of(own).place(place)
    content = output_of(["sh", str(folder / "host.sh"), str(folder), f"{max(1, math.floor(left))}"], until)
    day = time.strftime("%Y-%m-%d", time.gmtime())
    return report_of(content, Asked("here", own.digest, day, 0, {}, time.time()))


def _stored(place: Path, report: HostReport) -> Baseline:
    """Return the baseline; an empty one where there is none, or of another machine or plan."""
    fresh = Baseline(machine=report.machine, plan=report.plan)
    path = place / "baseline.json"
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Baseline)
    except FileNotFoundError:
        return fresh
    except OSError as error:
        raise ResultError(f"{path} cannot be read: {reason(error)}") from error
    except msgspec.DecodeError as error:
        raise ResultError(f"{path} is damaged: {error}; delete it to learn again") from error
    return found if (found.machine, found.plan) == (fresh.machine, fresh.plan) else fresh
