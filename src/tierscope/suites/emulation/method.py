"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Emulated tiers": (
        "Plain memory made slower: a dependent access lasts at least the floor, and bytes of all threads on the tier "
        "are not faster than the ceiling. Before the first experiment on a tier one CPU chases on it and all CPUs of "
        "the experiment read; the table shows requested and achieved values. Limits: it does not emulate what makes "
        "real slow memory different: queues under load, a grain larger than a line, reads and writes of different "
        "speed, bandwidth that falls with threads."
    ),
}

methods.add(Method("emulation", TEXTS))
