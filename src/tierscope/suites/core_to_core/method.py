"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Core to core": (
        "Two threads write one line in turns; the time is that of one hand-over, one way, half of a round trip. "
        "Each pair has fresh lines on the node of its first CPU, several of them in turns, since each has its home "
        "in one slice of a shared cache. Pairs run one at a time. Blind to a difference of the two ways, and to "
        "traffic of others. What two CPUs share is what the system reports, which a hypervisor may have made up."
    ),
}

methods.add(Method("core_to_core", TEXTS))
