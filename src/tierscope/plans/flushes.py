"""Which instructions that write lines back this CPU lacks."""

from tierscope.plans.kernels import ARM_FLUSHES, FLUSHES, X86_FLUSHES
from tierscope.record.machine import Machine

CERTAIN = "store that is certain to pass the caches by (STNP is a hint)"


def missing(machine: Machine) -> dict[str, str]:
    """Return the instructions that the CPU lacks, each with the name of the feature."""
    identity = machine.identity
    lacking = {name: feature for name, feature in FLUSHES.items() if feature and feature not in identity.features}
    return lacking | ({"nt": CERTAIN} if identity.architecture == "aarch64" else {})


def missing_here(machine: Machine) -> dict[str, str]:
    """Return those of `missing` that other CPUs of this architecture may have."""
    own = ARM_FLUSHES if machine.identity.architecture == "aarch64" else X86_FLUSHES
    return {name: feature for name, feature in missing(machine).items() if name in own}
