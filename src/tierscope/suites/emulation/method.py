"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Emulated tiers": (
        "Plain memory made slower: a dependent access lasts at least the floor, and bytes of all threads on the "
        "tier pass no faster than the ceiling. Before the first experiment on a tier one CPU chases on it and all "
        "CPUs of the experiment read; asked and achieved stand side by side. Blind to what makes real slow memory "
        "differ: queues under load, a grain larger than a line, reads and writes of unlike speed, bandwidth that "
        "falls with threads."
    ),
}

methods.add(Method("emulation", TEXTS))
