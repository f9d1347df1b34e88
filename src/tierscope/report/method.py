"""How each number of the report is obtained, and what it is blind to, by table; in words for the reader."""

METHOD: dict[str, dict[str, str]] = {
    "": {
        "Blocks and what is left out": (
            "Every thread works in blocks of about 1 ms between two reads of the clock. A block with a context "
            "switch, time stolen by the host, a drifting clock or a change of CPU is marked and not counted, but "
            "kept in the samples. Blind to disturbances that leave no such trace: a neighbour on the same memory, "
            "a lower clock frequency, a cold cache in the first block after a switch."
        ),
        "Interval and verdict": (
            "The number is the median over the moments at which all threads worked together after the warm-up; "
            "the interval is that of the median for neighbouring blocks that resemble each other (95 % unless "
            "asked otherwise). It is conclusive when the interval is within the asked precision, rests on enough "
            "blocks and the series is steady. Blind to drifts slower than the measurement: an hour later the "
            "median may lie outside."
        ),
    },
    "stream": {
        "Bandwidth": (
            "Bytes that the program asks for per second, as STREAM counts them: a copied byte counts twice, the "
            "line that a plain store reads first does not count. Bus bytes add that read (write-allocate); they "
            "are reckoned, not counted by hardware, and wrong where a CPU avoids the read by itself."
        ),
        "Theoretical peak": (
            "Channels x transfer rate x 8 bytes from SMBIOS, or as given; unknown otherwise, never guessed. A few "
            "threads are bound by the lines each core can have in flight, not by the memory."
        ),
    },
    "latency": {
        "Latency over footprint": (
            "One thread follows one random cycle through all lines of the footprint: each load needs the one "
            "before, so no prefetcher can run ahead. It is time from load to use with an otherwise idle memory, "
            "as one CPU sees it. Blind to which TLB level served the address: compare the page sizes. A cyclic "
            "walk misleads on caches that do not evict the oldest line; the random draws beside it do not, but "
            "revisit some lines early."
        ),
        "Cache sizes found": (
            "Plateaus and ramps are fitted to the curve; a capacity is where a quarter of the accesses miss. It "
            "is the share that this CPU got at that time, so neighbours make it smaller than the cache is. Blind "
            "to levels narrower than three footprints."
        ),
    },
    "loaded_latency": {
        "Latency under load": (
            "One thread chases pointers while the others read and write the same memory with an injected delay "
            "between bursts. The bandwidth is that of the load alone; the chaser's own is in the table. With few "
            "threads the memory is not filled, so the curve ends where the threads do, not where the memory does."
        ),
    },
    "groups": {
        "Groups": (
            "All groups of one experiment run at once, and only the time in which all of them ran counts. What "
            "one group costs another shows only against an experiment without it."
        ),
    },
    "calibration": {
        "Calibration": (
            "Before a kernel is measured, its walks (streams, unrolling, prefetch distances, page interleave) are "
            "tried for some 10 to 30 ms each, and the fastest runs. Trials are too short to be quoted. Blind to walks "
            "that were not among the candidates."
        ),
    },
    "series": {
        "Blocks over time": ("Thinned for the page; the page says how. Blind to everything within a block."),
    },
}
"""Under "" stands what holds for all tables."""


def method(sections: tuple[str, ...]) -> list[tuple[str, str]]:
    """(heading, text) for the parts that this report has, the general ones first."""
    return [entry for name in ("", *sections) for entry in METHOD.get(name, {}).items()]
