"""Which instructions that write lines back this CPU lacks."""

from tierscope.plans.kernels import FLUSHES, FLUSHES_OF
from tierscope.record.machine import Machine

CERTAIN = "store that is certain to pass the caches by"


def missing(machine: Machine) -> dict[str, str]:
    """Return the instructions that the CPU lacks, each with the name of the feature."""
    identity = machine.identity
    lacking = {name: feature for name, feature in FLUSHES.items() if feature and feature not in identity.features}
    return lacking | ({} if "nt" in _own(machine) else {"nt": CERTAIN})


def missing_here(machine: Machine) -> dict[str, str]:
    """Return those of `missing` that other CPUs of this architecture may have."""
    own = _own(machine)
    return {name: feature for name, feature in missing(machine).items() if name in own}


def _own(machine: Machine) -> dict[str, str]:
    return FLUSHES_OF.get(machine.identity.architecture, {})
