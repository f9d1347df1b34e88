"""Rows of the tables `prediction_objects` and `prediction_placement`."""

from typing import Annotated

from tierscope.suites.prediction.row import Wall
from tierscope.tables import Row
from tierscope.tables.rows import Col, Count, LongSeconds, Quotient, Ratio, Share, Size

GROWING, BEST = "growing", "best"


class ObjectRow(Row, frozen=True, kw_only=True):
    """An object of the program on one tier."""

    command: Annotated[str, Col("program", private=True, help="with its arguments")]
    tier: Annotated[str, Col("tier", help="as it was named")]
    object: Annotated[str, Col("object", help="its innermost functions; `the rest`: memory that is not of an object")]
    kind: Annotated[str, Col("kind", help="`site`: a call stack; `data`: static data; `others`; `rest`")]
    added_share: Annotated[
        Share, Col("share of added time", help="part of the time that the tier adds, for which the core waits for it")
    ]
    seconds_added: Annotated[
        LongSeconds | None, Col("added time", help="the same of the wall time; null: the time there is not known")
    ]
    size: Annotated[Size | None, Col("size", help="the most bytes that are allocated at one time; null of the rest")]
    allocations: Annotated[Count | None, Col("allocations", help="how often it is allocated; null of the rest")]
    moved_share: Annotated[Share | None, Col("share of bandwidth", help="part of all bytes that the memory moves")]
    moved_bytes: Annotated[Size, Col("moved", help="bytes that the memory reads and writes for it, where traced")]
    best_for: Annotated[
        tuple[str, ...], Col("in the memory here for", help="sizes of --fast whose best set contains it")
    ]
    stack: Annotated[tuple[str, ...], Col("call stack", help="the innermost function first")]
    origin: Annotated[str, Col("origin", help="`simulated`")]


class SetRow(Row, frozen=True, kw_only=True):
    """A set of objects in the memory here, while all other memory of the program is on the tier."""

    command: Annotated[str, Col("program", private=True, help="with its arguments")]
    tier: Annotated[str, Col("tier", help="as it was named")]
    set: Annotated[str, Col("set", help="`growing`: those that save most per byte; `best`: the best for a size")]
    memory_bytes: Annotated[
        Size, Col("memory here", help="of `growing` what the set needs; of `best` the size that --fast gave")
    ]
    size: Annotated[Size, Col("bytes of the set", help="sum of the sizes of its objects")]
    objects: Annotated[Count, Col("objects", help="in the set")]
    of_objects: Annotated[Count, Col("of", help="objects of the program")]
    slowdown: Annotated[Quotient | None, Col("slowdown", help="wall time over that here; null: not known")]
    seconds: Annotated[Wall | None, Col("time", help="wall time, with its bounds")]
    saved: Annotated[Ratio, Col("added time saved", help="share of what the tier adds, by a replay of the set")]
    estimated: Annotated[Ratio, Col("saved by waits alone", help="the same without a replay")]
    names: Annotated[tuple[str, ...], Col("which", help="its objects, those that wait most first")]
    why: Annotated[str, Col("because", help='why the time is not known; "" if it is')]
    origin: Annotated[str, Col("origin", help="`simulated`")]
