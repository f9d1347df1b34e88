"""A successful look-up in PMDK's hashmap_atomic with keys drawn evenly.

The control object (72 B from byte 16 of a line: two lines) tells hash and array; the array's length is one line; a
bucket head (16 B every 80 B, after 24 B) lies on 1.25 lines; an entry (56 B from byte 16 of a line, every 128 B) shows
key, value and next in its first line. The array has 10 x 2^k buckets, doubled when there are more than two entries to a
bucket, so a look-up reads 1 + (n - 1) / (2 buckets) entries. No lock is taken and nothing is written.

Blind to chains that are longer by chance (they double the array early), to deletions, and to libpmemobj's own lines:
it keeps the pool's address in a thread-local variable. Source: PMDK 1.12, hashmap_atomic of its examples.
"""

import math

from tierscope.models.model import Span
from tierscope.models.structures import Step, Structure, structures
from tierscope.units import LINE_BYTES

FIRST_BUCKETS = 10
BUCKET_BYTES = 80
HEAD_LINES = 1.25  # of four heads one crosses the end of a line
LOAD = 2  # entries to a bucket, beyond which the array doubles


def buckets(elements: float) -> float:
    """Smallest array that holds so many: 10, 20, 40, ..."""
    return FIRST_BUCKETS * 2.0 ** max(0, math.ceil(math.log2(elements / (LOAD * FIRST_BUCKETS))))


def steps(elements: float) -> tuple[Step, ...]:
    array = buckets(elements)
    return (
        Step("control object", 2, 2),
        Step("length of the array", 1, 1),
        Step("bucket head", HEAD_LINES, max(1.0, array * BUCKET_BYTES / LINE_BYTES)),
        Step("entries of the chain", 1 + (elements - 1) / (2 * array), elements),
    )


structures.add(
    Structure(
        name="hashmap_atomic get",
        summary="successful look-up in PMDK's hashmap_atomic, keys drawn evenly",
        source="PMDK 1.12, hashmap_atomic of its examples",
        valid=Span("elements", 1, 1e9),
        steps=steps,
    )
)
