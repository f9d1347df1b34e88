"""STREAM and its kin over thread counts: every kernel, plain and non-temporal stores apart.

Which walk a kernel takes (vectors, parallel streams, page interleave, prefetch) is picked by a short calibration
on this machine, for each number of threads; the Result says which one ran.
Source: J. D. McCalpin, "Memory Bandwidth and Machine Balance in Current High Performance Computers", IEEE TCCA
Newsletter, 1995.
"""

from collections.abc import Generator

from tierscope.plans import Option, Options, Plan, Suite, options, suites
from tierscope.plans.answer import Answer
from tierscope.plans.cpus import chosen_cpus, near_cpus, thread_counts
from tierscope.plans.kernels import STREAM, walk_of
from tierscope.plans.simulation import NAME as SIMULATED
from tierscope.plans.sizes import Memory, chosen_array
from tierscope.record.experiment import Experiment, Group, Schedule, Target, Team, Workload
from tierscope.record.machine import Machine

OPTIONS: tuple[Option, ...] = (
    options.target("target", "node:0", "where the bytes live"),
    options.text("pages", "thp", "page size: `4k`, `thp`, `2m`, `1g`"),
    options.text(
        "kernels",
        ",".join(STREAM),
        "kernels, or `all` that use lines of arrays: `tierscope catalogue` lists them",
    ),
    options.text("threads", None, "numbers of threads, as `1,2,8-10`; auto: powers of two, and all CPUs"),
    options.text("cpus", None, "CPUs to use, in this order; auto: those of the target's node, one of each core first"),
    options.size(
        "array",
        None,
        "bytes of each array; auto: 4x the effective last-level cache, and 4x the reported one up to "
        "512 MiB; all arrays within half of the free memory",
    ),
    options.text("isa", None, "`scalar`, `avx2`, `avx512`; auto: what the calibration finds fastest"),
    options.share("precision", 0.02, "half of the 95 % interval over the median; also as `2%`"),
    options.seconds("budget", 1.5, "most seconds timed for one point"),
    options.seconds("block", 0.001, "length of a block; memcpy and memset are called once per block"),
)


def kernels_of(machine: Machine, chosen: Options, target: Target) -> list[str]:
    """Those asked for; a list that was not asked for leaves out what no simulated memory can run."""
    names = options.names_of("kernel", chosen["kernels"], machine.kernels)
    own = str(chosen["kernels"]) in (",".join(STREAM), "all")
    return [name for name in names if machine.kernels[name].simulated] if own and target.name == SIMULATED else names


def point(
    kernel: str, arrays: int, cpus: tuple[int, ...], target: Target, memory: Memory, schedule: Schedule, isa: str = ""
) -> Experiment:
    """One kernel on some CPUs, its walk to be calibrated."""
    work = Workload(kernel=kernel, footprint_bytes=arrays * memory.array_bytes, isa=isa)
    group = Group(workload=work, target=target, team=Team(cpus=cpus), role=kernel)
    return Experiment(
        table="stream",
        groups=(group,),
        schedule=schedule,
        labels={"kernel": kernel, "threads": len(cpus)},
        calibrate=True,
        note=memory.note,
    )


def measure(machine: Machine, chosen: Options, cache_bytes: int | None = None) -> Generator[Experiment, Answer, None]:
    """Thread counts outside, kernels inside, so that a slow drift does not fall on one kernel alone."""
    target = Target.parse(str(chosen["target"]), str(chosen["pages"]))
    cpus = chosen_cpus(machine, chosen, target)
    counts = thread_counts(chosen, cpus)
    names = kernels_of(machine, chosen, target)
    schedule = Schedule(
        precision=float(chosen["precision"] or 0),
        budget_s=float(chosen["budget"] or 0),
        block_s=float(chosen["block"] or 0),
    )
    near = near_cpus(machine, target)[0]
    memory = yield from chosen_array(machine, chosen["array"], cache_bytes, cpus, near, target)
    for count in counts:
        for kernel in names:
            arrays = walk_of(machine, kernel).arrays
            yield point(kernel, arrays, cpus[:count], target, memory, schedule, str(chosen["isa"] or ""))


def plan(machine: Machine, chosen: Options) -> Plan:
    yield from measure(machine, chosen)


suites.add(
    Suite(
        "stream",
        "bandwidth of every kernel over threads",
        OPTIONS,
        plan,
        kernels=True,
        details="A calibration selects the loop variant of each kernel and number of threads.",
    )
)
