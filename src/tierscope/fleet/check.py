"""The health check of one host: a short plan against this host's own first checks. It asks no scheduler.

The first LEARN checks of a quiet host are the baseline, and are kept; later ones are compared and not added, so a slow
drift cannot become the rule. A metric is slow where it is beyond both bounds:

    ratio to the median of the baseline > 1 + LIMIT,  and  > 1 + SPREADS x (1.4826 MAD of the log baseline)

A metric that is slow in two measurements, one after the other, has failed. The second one follows immediately where the
budget allows it. Else it is that of the next check: the first is kept for REMEMBERED_S, and its check is not known. A
host whose CPUs others use is not judged.
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
REMEMBERED_S = 25 * 3600.0  # checks run each hour, or each day
SPARE_S = 0.3  # to judge and to print
ENOUGH = 1.2  # times what the first measurement took must be left for a second
BUSY = 0.25  # CPUs that other programs use, as a share of all, from which nothing is judged
POINTS = (
    ("group kernel=chase target=node:@node@ pages=thp cpus=@cpu@ footprint=@far@", "latency.memory"),
    ("each-node group kernel=read target=node:@node@ pages=thp cpus=@cpus@ footprint=@large@", "bandwidth.read.all"),
)


class Baseline(msgspec.Struct, kw_only=True, forbid_unknown_fields=True):
    """The stored checks of one plan on one machine, by metric. slow: those of the last, which began at slow_at."""

    schema: int = 1
    machine: str
    plan: str
    values: dict[str, list[float]] = {}
    slow: tuple[str, ...] = ()
    slow_at: float = 0.0


def plan(seconds: float = 0.1) -> FleetPlan:
    """Return the plan of a check: two points, three visits."""
    visit = [f"{line}\nprepare\nmeasure seconds={seconds}s block=1ms # {name}\ncheck\ndrop\n" for line, name in POINTS]
    return FleetPlan("check", "".join(visit * 3))


def check(budget_s: float, place: Path) -> tuple[Exit, str]:
    """Return the status and one line: 0 good or learned, 1 slow or wrong, 4 not known."""
    begun = time.monotonic() - _age_s()
    until = begun + budget_s - SPARE_S
    try:
        report = _measured(place, until)
        status, line = judged(report, stored := _stored(place, report), place)
        took = time.monotonic() - begun  # with the start, which a second one does not need
        if status == Exit.INCONCLUSIVE and stored.slow and until - time.monotonic() > ENOUGH * took:
            status, line = judged(_measured(place, until), _stored(place, report), place)
    except (MachineError, ResultError, OSError) as error:
        return Exit.INCONCLUSIVE, f"memory not known: {str(error).replace('--limit', '--budget')}"
    return status, line


def _age_s() -> float:
    """Return how long this process runs, since the budget includes the start of Python; 0 where it is not shown."""
    try:
        started = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError):
        return 0.0


def judged(report: HostReport, baseline: Baseline, place: Path) -> tuple[Exit, str]:
    """Return the verdict on one measurement; a baseline that is not complete learns it."""
    if report.wrong_answers:
        return Exit.FAILED, f"memory failed: {report.wrong_answers} kernels computed wrong answers"
    if float(report.facts.get("load_1min", 0)) > BUSY * float(report.facts.get("cpus", 1)):
        return Exit.INCONCLUSIVE, f"memory not known: the host is busy (load {report.facts['load_1min']})"
    if min((len(baseline.values.get(one.metric, [])) for one in report.numbers), default=0) < LEARN:
        return _learned(report, baseline, place)
    slow = {one.metric: text for one in report.numbers if (text := slower(one, baseline.values[one.metric]))}
    before = baseline.slow if report.at - baseline.slow_at <= REMEMBERED_S else ()
    if slow or baseline.slow:
        baseline.slow, baseline.slow_at = tuple(sorted(slow)), report.at
        write_atomically(place / "baseline.json", msgspec.json.encode(baseline))
    if twice := [text for metric, text in slow.items() if metric in before]:
        return Exit.FAILED, f"memory slow: {'; '.join(twice)}"
    if slow:
        return Exit.INCONCLUSIVE, f"memory not known: {'; '.join(slow.values())}, once; the next measurement decides"
    return Exit.GOOD, f"memory good: {len(report.numbers)} numbers are those of this host's baseline"


def _learned(report: HostReport, baseline: Baseline, place: Path) -> tuple[Exit, str]:
    for one in report.numbers:
        baseline.values.setdefault(one.metric, []).append(one.value)
    write_atomically(place / "baseline.json", msgspec.json.encode(baseline))
    done = min(map(len, baseline.values.values()))
    return Exit.GOOD, f"memory good: check {done} of {LEARN} that make this host's baseline"


def slower(one: Number, values: list[float]) -> str:
    """Return 'bandwidth.read.all 21 % slower than before on this host'; "" where it is not slow."""
    logs = [math.log(value) for value in values]
    middle = statistics.median(logs)
    spread = MAD_SIGMA * statistics.median(abs(log - middle) for log in logs)
    sign = 1 if one.better == "lower" else -1
    excess = sign * (math.log(one.value) - middle)
    if excess <= max(math.log1p(LIMIT), SPREADS * spread):
        return ""
    return f"{one.metric} {math.expm1(excess) * 100:.0f} % slower than before on this host"


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
