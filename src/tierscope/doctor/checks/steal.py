"""Steal time: the hypervisor ran something else while a CPU of this guest wanted to run.

    share = stolen / (user + nice + system + irq + softirq + stolen)

of busy time, since an idle CPU has nothing to be stolen. Blind where the hypervisor does not report it,
and to the moment when nothing runs here; ticks are 10 ms, so that 0.1 s on 2 CPUs resolves 5 %.
Source: Linux, proc(5), /proc/stat; the effect was measured on a guest while Tierscope was designed.
"""

from tierscope.doctor.check import EVERY, Check, Seen, bad, checks, good, note, unknown
from tierscope.host.proc import CpuTime, cpu_time, virtual
from tierscope.host.system import System

MOMENT_S = 0.1  # ten ticks of each CPU, and a third of what `doctor` may take
BAD, SOME = 0.02, 0.001  # the default precision of a result; one 1 ms block in a second
CHANCE_TICKS = 1  # this few stolen ticks in the moment show nothing
EFFECT = (
    "mean times were 1.15x to 2.3x too long, medians changed by 1 % (measured); blocks with steal are marked and "
    "left out of summaries"
)


def look(system: System) -> Seen:
    before = cpu_time(system)
    if before is None:
        return unknown("no line `cpu` with steal time in /proc/stat", EFFECT)
    if virtual(system) is False:
        return good("none: no hypervisor")
    system.wait(MOMENT_S)
    moment = (cpu_time(system) or before).since(before)
    state = f"since boot {_share(before)}, last {MOMENT_S} s {_share(moment)}"
    counted = [before, moment] if moment.stolen > CHANCE_TICKS else [before]
    worst = max(time.stolen / time.busy if time.busy else 0.0 for time in counted)
    if worst >= BAD:
        return bad(state, EFFECT)
    return note(state, EFFECT) if worst >= SOME else good(state)


def _share(time: CpuTime) -> str:
    return f"{100 * time.stolen / time.busy:.2f} % of busy time" if time.busy else "nothing ran"


checks.add(
    Check(
        "steal",
        EVERY,
        look,
        looks_at="time that the hypervisor took",
        advice="measure when it is quiet; blocks with steal are left out",
    )
)
