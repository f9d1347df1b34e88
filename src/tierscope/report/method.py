"""How each number of the report is obtained, and what it is blind to, by table; in words for the reader."""

from tierscope.record.result import Result
from tierscope.tables.methods import methods

GENERAL = {
    "Blocks and what is left out": (
        "Each thread works in blocks of about 1 ms between two reads of the clock. Tierscope marks a block with a "
        "context switch, with time lost to the hypervisor (steal), with clock drift or with a change of CPU. It "
        "leaves out marked blocks from all summaries and keeps them in the samples. Limits: it does not detect "
        "disturbances without such a trace, such as a neighbour on the same memory, a lower clock frequency, or a "
        "cold cache in the first block after a switch."
    ),
    "Interval and verdict": (
        "A visit gives the median over the moments at which all threads worked together after the warm-up. The "
        "interval of that median accounts for the correlation of neighbouring blocks. A number is conclusive if its "
        "interval is within the requested precision, if it has enough blocks, and if the series is steady. Limits: "
        "it does not detect drifts slower than the run; an hour later, the number may be outside the interval."
    ),
    "Other programs": (
        "While a run lasts, Tierscope counts the CPU time of other programs and probes the memory between visits with "
        "one CPU. It compares each probe with probes of quiet times on the same machine, from this run and from "
        "earlier ones. A visit during which others used the memory is left out, or makes the point inconclusive. If "
        "others used CPUs and no quiet time of this machine is known, the visit is doubted as well. Limits: it does "
        "not detect programs that use memory only between two probes, and a machine that has never been quiet."
    ),
    "What the interval is made of": (
        "Each point is visited several times, spread over the run, each time in a new process with newly mapped "
        "memory. The number is the median of the visits. Its interval contains the scatter within the visits and the "
        "differences between them. Because a few visits show little about their own spread, it is combined with that "
        "of all points of the same kind in the run, and the interval uses Student's t. A run lasts seconds, and a "
        "machine may drift for longer. Where the column 'between runs' has a number, the interval therefore also "
        "contains the differences between earlier runs of this machine, within 30 days. Where few are known, the "
        "drift between runs is assumed to be as large as that between visits, and on a virtual machine at least 3 % in "
        "shared caches and memory. 95 % means 95 % of repetitions of the whole run on this machine in this state. The "
        "columns 'between visits' and 'between runs' are shares of the "
        "squared interval; the rest is within visits. Where the column 'between mappings' has a number, it is the "
        "part of 'between visits' that pairs of visits show which differ by their mapping alone. A point that was "
        "visited once is conclusive only if other points show how much the machine drifts. Where the column 'visits' "
        "is empty, the point was visited once, and its interval contains only the scatter within that visit: this is "
        "so in runs of older versions, and where a point changes the memory for good. Takes that are compared follow "
        "each other within a visit, so that a drift cancels in their ratio."
    ),
}
"""The method of all tables of our own runs."""

NOT_KNOWN = "Not known: neither the output nor the importer of this format states how the tool measured."


def method(sections: tuple[str, ...], result: Result) -> list[tuple[str, str]]:
    """Return (heading, text) for the parts of this report, general ones first; of an imported run, its tool's own."""
    if result.origin == "imported":
        own = (f"How {result.origin_by} measured", result.method or NOT_KNOWN)
        return [own, *_texts(sections)]
    return [*GENERAL.items(), *_texts(sections)]


def _texts(sections: tuple[str, ...]) -> list[tuple[str, str]]:
    return [entry for name in sections if name in methods for entry in methods[name].texts.items()]
