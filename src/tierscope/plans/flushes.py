"""Which instructions that write lines back this CPU lacks."""

from tierscope.plans.kernels import FLUSHES
from tierscope.record.machine import Machine


def missing(machine: Machine) -> dict[str, str]:
    """Instructions that the CPU lacks, and the name of the feature."""
    features = machine.identity.features
    return {name: feature for name, feature in FLUSHES.items() if feature and feature not in features}
