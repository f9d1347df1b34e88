"""How each number of the report is obtained, and what it is blind to, by table; in words for the reader."""

from tierscope.record.result import Result

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
            "is the share that this CPU got at that time, so neighbours make it smaller than the cache is. A level is "
            "inconclusive where a long rise may hide another one, where page walks may make the step, or where too few "
            "conclusive points show it. Blind to levels narrower than three footprints."
        ),
    },
    "loaded_latency": {
        "Latency under load": (
            "One thread chases pointers while the others read and write the same memory with an injected delay "
            "between bursts. The bandwidth is that of the load alone; the chaser's own is in the table. With few "
            "threads the memory is not filled, so the curve ends where the threads do, not where the memory does."
        ),
    },
    "imported": {
        "Imported": (
            "Numbers that another tool printed, in base units; the units are those of its own documents. Digits are "
            "kept as printed. Nothing was measured by Tierscope: there are no samples and no intervals, and what the "
            "output does not say of its machine is not known."
        ),
    },
    "groups": {
        "Groups": (
            "All groups of one experiment run at once, and only the time in which all of them ran counts. What "
            "one group costs another shows only against an experiment without it."
        ),
    },
    "maps": {
        "Operations on structures": (
            "A round is a sequence of operations on keys that was drawn before it; rounds are timed as wholes, what "
            "makes and fills a structure lies outside. Operations per second count rehashes and waits for a lock, "
            "latencies of single operations do not. Each operation holds one look at the clock, whose cost is a "
            "column. After the rounds everything that should be in the structure is looked up; a wrong structure has "
            "no result. Blind to what the first touch of new memory costs by itself: it is part of an insert. On "
            "simulated memory a structure's own loads, stores, flushes and fences are recorded as it runs and take "
            "simulated time, each load behind the one before; nobody looks at a clock there."
        ),
    },
    "blocks": {
        "Blocks of fixed memory": (
            "The same memory is shared out among the threads; one operation is one call of memcpy or memset for one "
            "block. Throughput counts program bytes as STREAM does, a copied byte twice; what these functions do on "
            "the bus is unknown. It comes from timed blocks of about 1 ms, or of one operation where that is longer."
        ),
        "Latency of one operation": (
            "From timed blocks that hold exactly one operation, with the cost of reading the clock taken off; blocks "
            "under 1 KB are timed in batches, whose percentiles are those of means. A percentile is given only where "
            "enough operations carry it. Blind to what comes less often than once in the measurement."
        ),
        "More threads than CPUs": (
            "Such threads take turns. Their rate is work over time in cells of 10 ms, and an operation that waited "
            "for a turn counts with its wait. Blind to turns that went to other programs."
        ),
    },
    "neighbors": {
        "Slowdown": (
            "Victim alone and victim beside aggressors run in turns, round after round; the slowdown is the "
            "Hodges-Lehmann estimate of the ratio of their times within a round, with the interval of Wilcoxon's "
            "signed ranks. A machine that drifts drifts for both. The time is that of one task, interruptions and all, "
            "or of one walk over the victim's footprint at undisturbed moments. Several victims are compared with one "
            "alone. Blind to why: caches, memory bandwidth, clock rate and the hypervisor all count; sleeping "
            "aggressors (aggressor=sleep) must show 1.00."
        ),
    },
    "flush": {
        "Stores that are flushed": (
            "The instructions of one chunk size run in turns on one CPU, each on memory of its own; times are compared "
            "round by round, as with neighbours. Store, flush and fence are one number: a clock read after a store "
            "fence does not wait for the flush, so that parts timed by themselves would change places. Each block of "
            "about 1 ms ends with a fence that waits for all of it. On DRAM this is the way of lines out of the "
            "caches; on persistent memory, to the memory controller's queue, which counts as persistent. Ticks are "
            "those of the clock named beside them, not core cycles, which only counters tell. Seconds for more bytes "
            "than were really written are extrapolated. Blind to when a line reaches the medium, and to what keeps a "
            "medium busy for longer than a turn: name total= to write it all."
        ),
    },
    "regions": {
        "Fresh regions": (
            "Each line of a region is visited once in a random order, then the next region is walked, so that caches "
            "of the processor hold nothing that is asked for again. Regions up to 8 KiB are scattered over the "
            "footprint in `run buffers`, larger ones follow by address. The time is the mean over whole regions, "
            "since their first lines are slower. Writes pass the caches by, with a fence behind each region. "
            "Blind to buffers whose unit is one line."
        ),
    },
    "buffers": {
        "Buffers": (
            "A model of least-recently-used buffers is fitted to all regions at once: 0 to 3 of them, all units from "
            "128 B to 8 KiB, all capacities, times by least squares. The number is chosen by the Bayesian information "
            "criterion with a margin; intervals are those of the profile likelihood. A round size is told where it "
            "lies in the interval. What joins writes is a queue that drains whole units. Capacities are those of all "
            "interleaved DIMMs together. Blind to buffers above half of the largest region; small pages and rows of "
            "DRAM can look like buffers."
        ),
    },
    "core_to_core": {
        "Core to core": (
            "Two threads write one line in turns; the time is that of one hand-over, one way, half of a round trip. "
            "Each pair has fresh lines on the node of its first CPU, several of them in turns, since each has its home "
            "in one slice of a shared cache. Pairs run one at a time. Blind to a difference of the two ways, and to "
            "traffic of others. What two CPUs share is what the system reports, which a hypervisor may have made up."
        ),
    },
    "emulation": {
        "Emulated tiers": (
            "Plain memory made slower: a dependent access lasts at least the floor, and bytes of all threads on the "
            "tier pass no faster than the ceiling. Before the first experiment on a tier one CPU chases on it and all "
            "CPUs of the experiment read; asked and achieved stand side by side. Blind to what makes real slow memory "
            "differ: queues under load, a grain larger than a line, reads and writes of unlike speed, bandwidth that "
            "falls with threads."
        ),
    },
    "storage": {
        "Storage": (
            "Each job is run by fio, again and again, on one file that was written before and has no name; the first "
            "moments of each repeat do not count. A point is the median over the repeats, six at least; first repeats "
            "are left out as long as the rest rises or falls. Percentiles are those of all operations together, by "
            "fio's own bins and rule. Operations/s times mean latency is what was in flight, and should be the depth. "
            "Blind to caches of the storage that hold the whole file, and to what happens within one repeat."
        ),
    },
    "numa": {
        "Latency and bandwidth between nodes": (
            "Latency is that of one CPU of the row's node on an otherwise idle machine, bandwidth that of all CPUs of "
            "this node, no other node's; both beyond the caches, on pages that were found on the target. Ratios are to "
            "the same node's own memory. Distances (SLIT) and reported values (HMAT) are the firmware's word. Blind to "
            "several nodes at once, which share links."
        ),
    },
    "contention": {
        "Contention": (
            "Both groups start on one barrier and stop together; only the time in which all threads run counts, and "
            "coverage says how much of the blocks that is. The sum is taken at the same moments, with the interval of "
            "that series. Walks are calibrated with all threads in one group and kept in the mixed splits; each "
            "thread walks as much memory in every split. The split that gives most is named only if intervals, "
            "widened for the number of splits, tell it from every other. Blind to who used which channel."
        ),
    },
    "targets": {
        "Two targets alone": (
            "For each number of threads a, then b, with the walk that is fastest on each. Blind to what a target "
            "costs when both are used at once."
        ),
    },
    "threads": {
        "Flutter": (
            "Of each thread's undisturbed blocks after the warm-up: the standard deviation over the mean, and dips, "
            "runs of blocks below 0.8 of the thread's median. A period is named from six distances between dips on, "
            "if they vary by less than 0.3 of their mean; chance dips vary by 1. Blind to dips shorter than a block, "
            "and to their cause: time that a hypervisor takes unreported looks the same."
        ),
    },
    "stride": {
        "Strided accesses": (
            "Bytes touched count, bytes left out between do not. The unit is where the time of an access, which rises "
            "with the stride while several share a unit, stays level: a segmented line, with the interval of its "
            "profile likelihood, and none where that is no better than a level line. Reads whose lines may stay in the "
            "caches do not count. Blind to who makes the unit: a medium, or a prefetcher that fetches neighbours."
        ),
    },
    "tlb": {
        "Translation": (
            "Dependent accesses to n lines on n pages, less those to n lines side by side, so that the caches cancel. "
            "Levels are plateaus between change points; entries are where a quarter of the accesses miss, from the "
            "most pages that miss nothing to the fewest of which half miss. Blind to page-table entries that are not "
            "in a cache, and in a virtual machine to which of the two translations misses."
        ),
    },
    "closed_loop": {
        "Closed loop": (
            "Random simulated memories, whose structure is known, are handed to the probers as a word. What these "
            "infer is held against what the word says: sizes, units and numbers must be right as they are, latencies "
            "within 3 %, periods within 5 %, stalls within 10 %, queues within 2 lines. Blind to faults that the "
            "simulator and the probers share."
        ),
    },
    "calibration": {
        "Calibration": (
            "Before a kernel is measured, its walks (streams, unrolling, prefetch distances, page interleave) are "
            "tried for some 10 to 30 ms each, and the fastest runs. Trials are too short to be quoted. A trial without "
            "a clean moment has no bandwidth, and its walk is the last choice. Blind to walks that were not among the "
            "candidates."
        ),
    },
    "series": {
        "Blocks over time": ("Thinned for the page; the page says how. Blind to everything within a block."),
    },
}
"""Under "" stands what holds for all tables of our own runs."""

NOT_KNOWN = "Not known: neither the output nor the importer of this format says how the tool measured."


def method(sections: tuple[str, ...], result: Result) -> list[tuple[str, str]]:
    """(heading, text) for the parts that this report has, the general ones first; of an imported run its tool's own."""
    if result.origin == "imported":
        own = (f"How {result.origin_by} measured", result.method or NOT_KNOWN)
        return [own, *(entry for name in sections for entry in METHOD.get(name, {}).items())]
    return [entry for name in ("", *sections) for entry in METHOD.get(name, {}).items()]
