"""Rows of the tables `core_points` and `core`, which findings, figure and terminal form also read."""

from typing import Annotated

from tierscope.stats.median import Interval
from tierscope.tables import JudgedRow, Row
from tierscope.tables.rows import Col, Count, Time, Unit
from tierscope.tables.usual import Origin, Where

Number = Annotated[Interval, Unit("1", least=0)]


class CorePointsRow(JudgedRow, frozen=True, kw_only=True):
    """One loop of generated instructions."""

    probe: Annotated[
        str,
        Col(
            "probe",
            help="`cycle`, `latency`, `width`, `window`, `store`, `load`, `flight`, `guess`, `fetch`, `translation`, "
            "`spread`",
        ),
    ]
    level: Annotated[
        str,
        Col(
            "level",
            help='where the lines come from: `L2`, `memory`; of `translation` their places; "" of loops without loads',
        ),
    ]
    filler: Annotated[str, Col("filler", help='kind of the fillers; "" without any')]
    fillers: Annotated[Count, Col("fillers", help="behind the loads of each chain, or of the loop")]
    chains: Annotated[Count, Col("chains", help="of dependent loads")]
    beside: Annotated[Count, Col("beside", help="lines next to each node")]
    threads: Annotated[Count, Col("threads", help="that run the loop at the same time")]
    random: Annotated[Count, Col("random", help="1: branches go by numbers drawn")]
    train: Annotated[Count, Col("visits", help="lines of a window before its last; 0: no windows")]
    stride: Annotated[Count, Col("stride", help="lines from one visit to the next")]
    ahead: Annotated[Count, Col("ahead", help="lines from there to the last of the window")]
    windows: Annotated[Count, Col("windows", help="visited side by side; 0: one")]
    apart: Annotated[Count, Col("apart", help="1: the last line is on another page instead")]
    down: Annotated[Count, Col("down", help="1: by falling addresses")]
    parity: Annotated[str, Col("parity", help='of the first line of a window: `even`, `odd`; "": any')]
    time: Annotated[Time | None, Col("an iteration", help="median time of one iteration, of all threads together")]
    target: Where


class CoreRow(Row, frozen=True, kw_only=True):
    """One parameter of the core."""

    parameter: Annotated[str, Col("parameter", help="its name; docs/how-to/core.md lists all")]
    level: Annotated[str, Col("level", help='where lines come from, or the kind of filler; "" where there is none')]
    answer: Annotated[str, Col("answer", help="`known`, `at least`, `none` (there is no such thing), `not known`")]
    value: Annotated[
        Number | None,
        Col(
            "value",
            help="the middle of what the points leave; of `at least` the bound; its 95 % interval as `low`, `high`",
        ),
    ]
    whole: Annotated[
        Count | None, Col("whole number", help="the only one in the interval; null where there are several or none")
    ]
    unit: Annotated[str, Col("unit", help="`instructions`, `lines`, `cycles`, ...")]
    seconds: Annotated[Time | None, Col("time", help="of parameters that are times, too")]
    why: Annotated[str, Col("because", help="why it is not known, or what bounds it")]
    points: Annotated[Count, Col("points", help="that it rests on")]
    documented: Annotated[
        Count | None, Col("documented", help="entries of a whole core, as its vendor documents; null where not known")
    ]
    target: Where
    origin: Origin
