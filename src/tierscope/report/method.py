"""How each number of the report is obtained, and what it is blind to, by table; in words for the reader."""

from tierscope.record.result import Result
from tierscope.tables.methods import methods

GENERAL = {
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
}
"""What applies to all tables of our own runs."""

NOT_KNOWN = "Not known: neither the output nor the importer of this format says how the tool measured."


def method(sections: tuple[str, ...], result: Result) -> list[tuple[str, str]]:
    """(heading, text) for the parts that this report has, the general ones first; of an imported run its tool's own."""
    if result.origin == "imported":
        own = (f"How {result.origin_by} measured", result.method or NOT_KNOWN)
        return [own, *_texts(sections)]
    return [*GENERAL.items(), *_texts(sections)]


def _texts(sections: tuple[str, ...]) -> list[tuple[str, str]]:
    return [entry for name in sections if name in methods for entry in methods[name].texts.items()]
