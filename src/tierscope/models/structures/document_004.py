"""map_get of hashmap_atomic as document 004 counts it: four accesses and a third, each to the memory itself.

Its lines: the array of buckets, the hash (register arithmetic on fields just read, yet charged in full), one entry of
the chain, a third for the comparison with the key, the value. Chain length and caches are left out by intent. A line
has as many places as there are elements, and none is ever in a cache.

Source: document 004, a thesis on analytic models of persistent memory, section 5.4 and its second program.
"""

from tierscope.models.model import Span
from tierscope.models.structures import Step, Structure, structures

LINES = (
    ("array of buckets", 1.0),
    ("hash", 1.0),
    ("entry of the chain", 1.0),
    ("comparison with the key", 1 / 3),
    ("value", 1.0),
)
OWN_ERROR = 0.54  # predicted over measured, less 1, where it is largest: 0.132 s for 0.086 s, 100,000 operations


def steps(elements: float, line: int) -> tuple[Step, ...]:
    del line  # the source counts accesses
    return tuple(Step(what, lines, elements, cached=False) for what, lines in LINES)


structures.add(
    Structure(
        name="document 004",
        summary="map_get of hashmap_atomic, 4 1/3 accesses to the memory",
        source="document 004, section 5.4",
        valid=Span("elements", 50_000, 7_000_000),
        steps=steps,
        error_share=OWN_ERROR,
    )
)
