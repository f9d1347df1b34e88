"""`tierscope check arm`: what this machine has, compared with what the port to ARM was written for.

The port was made without ARM hardware: its code ran under QEMU, which has no speed, no counters and no mesh. Each line
states an assumption of it, what is found here, and the command that measures what no file shows.
Source: the documents of Arm that core/isa, core/kernels/arm and src/tierscope/metrics name.
"""

from collections.abc import Callable, Iterator

import msgspec

from tierscope.cli import door
from tierscope.doctor.checks.cores import kinds_of
from tierscope.host import smbios
from tierscope.host.system import System
from tierscope.metrics import metrics_for
from tierscope.record.facts import Clock
from tierscope.record.machine import Machine
from tierscope.run.clock_here import clock_here
from tierscope.run.planned import this_machine
from tierscope.units import KiB, show_seconds, show_size

SLOWEST_HZ, FASTEST_HZ = 10e6, 1.1e9
PMU = "/sys/bus/event_source/devices"
BLOCKS = (64, 128, 256, 512, 1024, 2048)
WIDTHS = {"sve128": 128, "sve256": 256, "sve512": 512}
ALIKE, OTHER, OPEN = "as assumed", "not as assumed", "not known"


class Assumption(msgspec.Struct, frozen=True, kw_only=True):
    """One line. found: in words; verdict: `as assumed`, `not as assumed` or `not known`; measure: commands, joined by
    "; ", or "".
    """

    what: str
    assumed: str
    found: str
    verdict: str
    measure: str = ""


def show_port(*, as_json: bool) -> int:
    """Print a summary, then all lines; of a machine that is not ARM what was assumed, and how it is measured there."""
    machine = this_machine(None)
    found = list(assumptions(machine, clock_here(), System()))
    if as_json:
        door.document(found)
        return 0
    for text in lines(found, machine.identity.architecture):
        door.wrapped(text)
    return 0


def lines(found: list[Assumption], architecture: str) -> Iterator[str]:
    """Yield the lines of a terminal."""
    if architecture != "aarch64":
        yield f"This machine is {architecture}: nothing of the port to ARM is compared here, and nothing was found."
        yield "On a machine with ARM processors, `tierscope check arm` compares each of these assumptions with it:"
        yield from (f"  {one.what}: {one.assumed}" for one in found if not one.measure)
        yield "It cannot compare these. The commands measure them, there:"
        for one in (one for one in found if one.measure):
            yield f"  {one.what}: {one.assumed}"
            yield f"    measure: {one.measure}"
        yield "Simulated ARM machines run here: tierscope run latency target=sim:arm_server"
        return
    by = {verdict: [one.what for one in found if one.verdict == verdict] for verdict in (OTHER, ALIKE, OPEN)}
    yield f"{len(by[OTHER])} not as assumed{': ' if by[OTHER] else ''}{', '.join(by[OTHER])}"
    yield f"{len(by[ALIKE])} as assumed, {len(by[OPEN])} not known: {', '.join(by[OPEN])}"
    for one in found:
        yield f"{one.what}: {one.verdict}"
        yield f"  assumed: {one.assumed}"
        yield f"  found:   {one.found}"
        if one.measure:
            yield f"  measure: {one.measure}"
    yield "Send the output of `tierscope check arm --json` and the run directories to the project."


def assumptions(machine: Machine, clock: Clock, system: System) -> Iterator[Assumption]:
    """Yield what files and registers show, then what must be measured."""
    arm = machine.identity.architecture == "aarch64"
    for what, assumed, look in SEEN:
        verdict, found = look(machine, clock, system) if arm else (OPEN, f"not ARM: {machine.identity.architecture}")
        yield Assumption(what=what, assumed=assumed, found=found, verdict=verdict)
    for what, assumed, command in MEASURED:
        found = "not measured by this command" if arm else f"not ARM: {machine.identity.architecture}"
        yield Assumption(what=what, assumed=assumed, found=found, verdict=OPEN, measure=command)


Found = tuple[str, str]
Look = Callable[[Machine, Clock, System], Found]


def _judged(good: bool, found: str) -> Found:
    return (ALIKE if good else OTHER), found


def _model(machine: Machine, _clock: Clock, _system: System) -> Found:
    model = machine.identity.model
    return (OPEN if model.startswith("aarch64") else ALIKE), f"{model} ({machine.identity.family})"


def _vectors(machine: Machine, _clock: Clock, _system: System) -> Found:
    features = machine.identity.features
    widths = [str(bits) for name, bits in WIDTHS.items() if name in features]
    return _judged(
        "asimd" in features, f"NEON{', SVE of ' + widths[0] + ' bits' if widths else ', no SVE that is built'}"
    )


def _line(machine: Machine, _clock: Clock, _system: System) -> Found:
    told = sorted({cache.line_bytes for cache in machine.identity.caches if cache.kind != "Instruction"} - {0})
    register = machine.state.get("line_bytes")
    by_register = f"{register} B" if register else "not readable"
    by_files = f"{', '.join(map(str, told))} B" if told else "no cache is listed"
    found = f"CTR_EL0: {by_register}; sysfs: {by_files}; used: {machine.line_bytes()} B"
    if not register and not told:
        return OPEN, found
    wrong = isinstance(register, int | float) and any(line < register for line in told)  # it is the shortest of all
    return _judged(machine.line_bytes() in (64, 128, 256) and not wrong, found)


def _zeroing(machine: Machine, _clock: Clock, _system: System) -> Found:
    size = machine.state.get("zeroing_bytes")
    return _judged(size in BLOCKS, f"{size} B" if size else "prohibited (DCZID_EL0.DZP)")


def _flushes(machine: Machine, _clock: Clock, _system: System) -> Found:
    have = [name for name in ("civac", "cvac", "dcpop", "dcpodp") if name in machine.identity.features]
    return _judged({"civac", "cvac"} <= set(have), ", ".join(have) or "none runs")


def _timer(_machine: Machine, clock: Clock, _system: System) -> Found:
    step, cost = show_seconds(1 / clock.hz), show_seconds(clock.read_cost_s)
    good = clock.source == "cntvct" and SLOWEST_HZ <= clock.hz <= FASTEST_HZ
    return _judged(good, f"{clock.source}, {clock.hz / 1e6:.1f} MHz: {step} per step, {cost} per read")


def _pages(machine: Machine, _clock: Clock, system: System) -> Found:
    base, large = machine.base_page_bytes(), machine.large_page_bytes()
    kept = [int(path.rpartition("-")[2].removesuffix("kB")) * KiB for path in
            system.glob("/sys/kernel/mm/hugepages/hugepages-*kB")]  # fmt: skip
    sizes = ", ".join(show_size(size) for size in sorted(kept)) or "none"
    return _judged(large == base * base // 8, f"{show_size(base)}; transparent {show_size(large)}; reserved: {sizes}")


def _last(machine: Machine, _clock: Clock, _system: System) -> Found:
    levels = sorted({cache.level for cache in machine.identity.caches if cache.kind != "Instruction"})
    return _judged(bool(levels), f"levels {', '.join(map(str, levels))}" if levels else "no cache is listed")


def _cores(_machine: Machine, _clock: Clock, system: System) -> Found:
    kinds = kinds_of(system)
    if not kinds:
        return OPEN, "no cpu_capacity: assumed equal"
    return ALIKE, ", ".join(f"{len(cpus)} of capacity {size}" for size, cpus in sorted(kinds.items(), reverse=True))


def _counters(machine: Machine, _clock: Clock, system: System) -> Found:
    names = [path.rpartition("/")[2] for path in system.glob(f"{PMU}/armv*")]
    metrics = metrics_for(machine.identity.family).name
    return _judged(len(names) == 1, f"PMU {', '.join(names) or 'none'}; metrics: {metrics}.toml")


def _partitions(_machine: Machine, _clock: Clock, system: System) -> Found:
    table = system.why("/sys/firmware/acpi/tables/MPAM") != "absent"
    shown = system.read("/sys/fs/resctrl/schemata") is not None
    return _judged(
        not table or shown,
        f"table of MPAM: {'present' if table else 'absent'}; resctrl: {'mounted' if shown else 'not mounted'}",
    )


def _dimms(machine: Machine, _clock: Clock, system: System) -> Found:
    found = smbios.dimms(system)
    if found is None:
        return OPEN, f"no table, or readable by root alone; {machine.peak_source}"
    return _judged(bool(found), f"{sum(one.size_bytes > 0 for one in found)} devices; {machine.peak_source}")


SEEN: tuple[tuple[str, str, Look], ...] = (
    ("processor", "a name by MIDR_EL1", _model),
    ("vectors", "NEON; SVE of 128, 256 or 512 bits, one of them", _vectors),
    ("line", "64, 128 or 256 B, by CTR_EL0 and sysfs", _line),
    ("DC ZVA", "a block of 64 B to 2 KiB by DCZID_EL0, else refused", _zeroing),
    ("flushes", "DC CIVAC and CVAC run in user space; CVAP and CVADP by HWCAP and a try", _flushes),
    ("clock", "cntvct at 10 MHz to 1 GHz", _timer),
    ("pages", "4, 16 or 64 KiB; transparent large pages of one step of a page table", _pages),
    ("caches", "some in sysfs; a system-level cache often is not", _last),
    ("cores", "equal ones by cpu_capacity are used together", _cores),
    ("counters", "one PMU of the cores, armv8_*", _counters),
    ("partitions", "MPAM shows as resctrl", _partitions),
    ("DIMMs", "SMBIOS as on x86-64, readable by root", _dimms),
)
MEASURED = (
    ("stores", "a plain store of a whole line may cost no read: traffic is unknown",
     "tierscope run stream kernels=read,write,copy,zva counters=default"),
    ("non-temporal stores", "stnp and stnt1 are hints: as fast as plain stores, or faster",
     "tierscope run stream kernels=write,write_nt,triad,triad_nt"),
    ("non-temporal loads", "ldnp and ldnt1 are hints: as fast as plain loads, or slower",
     "tierscope run stream kernels=read,read_ldnp; tierscope run stream kernels=read,read_ldnt1"),
    ("SVE against NEON", "the widest vectors are the fastest",
     "tierscope run stream kernels=triad isa=neon; tierscope run stream kernels=triad"),
    ("latencies", "one line per hop, whatever its size", "tierscope run latency"),
    ("flush time", "DC CVAC keeps the line, DC CIVAC drops it", "tierscope run flush"),
    ("hand-overs", "one line per hand-over", "tierscope run core-to-core"),
    ("TLB reach", "entries for pages of any size", "tierscope run tlb"),
    ("one core", "loops of generated AArch64 code show its buffers, width and prefetchers", "tierscope run core"),
    ("several nodes", "transfers between packages and chips are those of nodes", "tierscope run numa"),
    ("memory counters", "arm_cmn or nvidia_scf count the bytes that were moved, where they are listed",
     "tierscope run counters-audit"),
    ("counts", "the events of the metrics file count what Arm states", "tierscope run stream counters=default"),
    ("a first page", "every suite ends with rows and a page, as on simulated ARM machines", "tierscope run quick"),
)  # fmt: skip
