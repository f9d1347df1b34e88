"""Refuses a plan that names what the build does not hold, before anything is measured or written.

The core would say it too, but only when the experiment's turn comes, after minutes of others.
"""

from collections.abc import Iterable

from tierscope.errors import MachineError, UnknownNameError, UsageError
from tierscope.record.catalogue import Catalogue
from tierscope.record.experiment import Group, Target, Workload
from tierscope.registry import unknown

PROGRAMS = ("fio",)  # kernels that are programs of their own
PLACES = ("storage", "blockdev")  # targets of programs


def refuse_unknown(groups: Iterable[Group], build: Catalogue) -> None:
    """UnknownNameError for a kernel, an ISA or a target that no build has; MachineError for one not had here.

    UsageError for an ISA on which the kernel is not built.
    """
    for work, targets in {(g.workload, (g.target, g.source)): None for g in groups}:
        for target in targets:
            _refuse_target(target, build)
        _refuse_kernel(work, build)


def _refuse_target(target: Target | None, build: Catalogue) -> None:
    if target is None or target.name in PLACES:
        return
    kinds = {kind.name: kind for kind in build.targets}
    if target.name not in kinds:
        raise UnknownNameError(unknown("target", target.name, sorted(kinds)))
    if not kinds[target.name].available:
        raise MachineError(f"target {target.name} is not available here: {kinds[target.name].reason}")


def _refuse_kernel(work: Workload, build: Catalogue) -> None:
    variants = {kernel.isa: kernel for kernel in build.kernels if kernel.kernel == work.kernel}
    if not variants:
        others = {*PROGRAMS, *(one.name for one in build.victims), *(one.name for one in build.structures)}
        if work.kernel not in others:
            raise UnknownNameError(unknown("kernel", work.kernel, [*build.names(), *sorted(others - {*PROGRAMS})]))
    elif work.isa and work.isa not in {kernel.isa for kernel in build.kernels}:
        raise UnknownNameError(unknown("isa", work.isa, sorted({kernel.isa for kernel in build.kernels})))
    elif work.isa and work.isa not in variants:
        has = f"kernel {work.kernel} has no isa {work.isa}, but {', '.join(sorted(variants))}"
        raise UsageError(f"{has}; name kernels= that have it (tierscope catalogue), or leave isa= away")
    elif work.isa and not variants[work.isa].available:
        reason = variants[work.isa].reason
        raise MachineError(f"kernel {work.kernel} does not run on {work.isa} here: {reason}; leave isa= away")
