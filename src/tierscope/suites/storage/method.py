"""How each number is obtained, and what it is blind to, in words for the reader."""

from tierscope.tables.methods import Method, methods

TEXTS = {
    "Storage": (
        "Each job is run by fio, again and again, on one file that was written before and has no name; the first "
        "moments of each repeat do not count. A point is the median over the repeats, six at least; first repeats "
        "are left out as long as the rest rises or falls. Percentiles are those of all operations together, by "
        "fio's own bins and rule. Operations/s times mean latency is what was in flight, and should be the depth. "
        "Blind to caches of the storage that hold the whole file, and to what happens within one repeat."
    ),
}

methods.add(Method("storage", TEXTS))
