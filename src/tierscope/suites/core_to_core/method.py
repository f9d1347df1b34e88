"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Core to core": (
        "Two threads alternately write one line. The time is that of one hand-over, one way, half of a round trip. "
        "Each pair has fresh lines on the node of its first CPU, several of them alternately, because each has its "
        "home in one slice of a shared cache. Pairs run one at a time. Limits: it does not detect a difference "
        "between the two directions, or traffic of others. What two CPUs share is what the system reports, which a "
        "hypervisor may have invented."
    ),
}

methods.add(Method("core_to_core", TEXTS))
