"""The instructions that bring stored lines to memory, of the build and of this CPU."""

from tierscope.record.machine import Machine


def missing(machine: Machine) -> dict[str, str]:
    """Return the instructions of the build that the CPU lacks, each with the name of the feature."""
    features = machine.identity.features
    return {name: feature for name, feature in machine.flushes.items() if feature and feature not in features}
