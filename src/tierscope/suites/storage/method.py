"""How each number is obtained, and its limits, in the reader's terms."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Storage": (
        "fio runs each job repeatedly on one file that was written before and has no name; the first moments of each "
        "repeat do not count. A point is the median over the repeats, six at least; first repeats are left out as "
        "long as the rest rises or falls. Percentiles are those of all operations together, by fio's own bins and "
        "rule. Operations/s times mean latency is what was in flight, and should be the depth. Limits: it does not "
        "detect caches of the storage that contain the whole file, or what happens within one repeat."
    ),
}

methods.add(Method("storage", TEXTS))
