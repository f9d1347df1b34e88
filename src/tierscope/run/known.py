"""A check that refuses a plan that names what the build lacks, before anything is measured or written.

The core would also refuse it, but only at that experiment, after minutes of others.
"""

from collections.abc import Collection, Iterable, Mapping

from tierscope.errors import MachineError, UnknownNameError, UsageError
from tierscope.record.catalogue import Catalogue, Kernel
from tierscope.record.experiment import Group, Target, Workload
from tierscope.record.work import task_of
from tierscope.registry import unknown

PROGRAMS = {"fio": "job"}  # kernels that are programs of their own, and their task
PLACES = ("storage", "blockdev")  # targets of programs: a folder for a file without a name; a whole block device


def refuse_unknown(groups: Iterable[Group], build: Catalogue) -> None:
    """Raise UnknownNameError for a kernel, an ISA or a target that no build has; MachineError for one not had here.

    UsageError for an ISA on which the kernel is not built, and for the work of another task than the kernel's.
    """
    for work, targets in {(g.workload, g.targets): None for g in groups}:
        for target in targets:
            _refuse_target(target, build)
        _refuse_kernel(work, build)


def _refuse_target(target: Target, build: Catalogue) -> None:
    if target.name in PLACES:
        return
    kinds = {kind.name: kind for kind in build.targets}
    if target.name not in kinds:
        raise UnknownNameError(unknown("target", target.name, sorted(kinds)))
    if not kinds[target.name].available:
        raise MachineError(f"target {target.name} is not available here: {kinds[target.name].reason}")


def _refuse_kernel(work: Workload, build: Catalogue) -> None:
    tasks = build.tasks() | PROGRAMS
    if work.kernel not in tasks:
        raise UnknownNameError(unknown("kernel", work.kernel, sorted(tasks.keys() - PROGRAMS)))
    task, planned = tasks[work.kernel], task_of(type(work.work))
    if task != planned:
        raise UsageError(f"kernel {work.kernel} is of the task {task}, and the plan has the work of {planned} for it")
    variants = {kernel.isa: kernel for kernel in build.kernels if kernel.kernel == work.kernel}
    if work.isa and variants:
        _refuse_isa(work, variants, {kernel.isa for kernel in build.kernels})


def _refuse_isa(work: Workload, variants: Mapping[str, Kernel], known: Collection[str]) -> None:
    if work.isa not in known:
        raise UnknownNameError(unknown("isa", work.isa, sorted(known)))
    if work.isa not in variants:
        has = f"kernel {work.kernel} has no isa {work.isa}, but {', '.join(sorted(variants))}"
        raise UsageError(f"{has}; name kernels= that have it (tierscope catalogue), or leave isa= out")
    if not variants[work.isa].available:
        reason = variants[work.isa].reason
        raise MachineError(f"kernel {work.kernel} does not run on {work.isa} here: {reason}; leave isa= out")
