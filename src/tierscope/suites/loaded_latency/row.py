"""One row of the table `loaded_latency`, which its findings, figure and terminal form read."""

from collections.abc import Sequence
from typing import Annotated

from tierscope.tables import JudgedRow
from tierscope.tables.rows import Bandwidth, BytesPerS, Col, Count, Quotient, Ratio, Size, Time

SHARED = ((0, 4), (1, 5), (2, 6))  # places in `LoadedLatencyRow.curve` of what chaser and load may have in common


class LoadedLatencyRow(JudgedRow, frozen=True, kw_only=True):
    """One row of `loaded_latency`."""

    read_share: Annotated[
        Ratio | None, Col("reads", help="share of the load's program bytes that are read; null: the chaser alone")
    ]
    store: Annotated[
        str, Col("stores", help="how the load stores: `plain`, `nt`; `none`: it does not, or there is no load")
    ]
    delay_cycles: Annotated[
        Count | None,
        Col("delay, cycles", help="core cycles of delay after each burst of the load; null: the chaser alone"),
    ]
    load_threads: Annotated[Count, Col("load threads", help="threads of the load; 0: the chaser alone")]
    bandwidth: Annotated[Bandwidth | None, Col("bandwidth", help="median program bytes of the load; 0 without load")]
    latency: Annotated[Time | None, Col("latency", help="median time of one access of the chaser")]
    over_idle: Annotated[
        Quotient | None,
        Col(
            "over idle",
            help="ratio of `latency` to `idle`, from batches that follow each other; null without load, and in runs of "
            "versions that did not alternate",
        ),
    ]
    idle: Annotated[
        Time | None,
        Col("idle in between", help="median time of one access without load, in the batches between; null as above"),
    ]
    model: Annotated[
        Time | None,
        Col(
            "latency by the model",
            help="as the model `loaded_family` predicts it with its bounds; null for the at most 12 loads of each "
            "kind of stores that it was given, and where it is not known",
        ),
    ] = None
    stride_bytes: Annotated[Size, Col("stride", help="bytes from one access of the chaser to the next")]
    order: Annotated[str, Col("order", help="of the chaser's accesses: `random`, `sequential`")]
    load_stride_bytes: Annotated[
        Size | None, Col("stride of the load", help="bytes from one access of the load to the next; null without load")
    ]
    load_order: Annotated[
        str | None, Col("order of the load", help="of its accesses: `sequential`, `random`; null without load")
    ]
    kernel: Annotated[str | None, Col("kernel", help="of the load; null without")]
    target: Annotated[str, Col("target", help="of the chaser, as `node:0`", tier=True)]
    chaser_node: Annotated[Count, Col("node of the chaser", help="that its CPU belongs to")]
    load_target: Annotated[
        str | None, Col("target of the load", help="where its bytes live, as `node:1`; null without load")
    ]
    load_nodes: Annotated[
        str | None, Col("nodes of the load", help="that its CPUs belong to, as `0,1`; null without load")
    ]
    chaser_bytes_per_s: Annotated[
        BytesPerS | None, Col("chaser", help="what the chaser itself moves, 8 bytes for each access")
    ]
    bus_bytes_per_s: Annotated[
        BytesPerS | None, Col("on the bus", help="both on the bus; null if only a counter could measure it")
    ]

    @property
    def chaser(self) -> tuple[str, int, int, str]:
        """Return what the rows of one chaser have in common: memory, node, stride and order."""
        return self.target, self.chaser_node, self.stride_bytes, self.order

    @property
    def curve(self) -> tuple[object, ...]:
        """Return what the points of a curve have in common apart from mix and stores; delay and threads differ."""
        return *self.chaser, self.load_target, self.load_nodes, self.load_stride_bytes, self.load_order


def apart_names(rows: Sequence[LoadedLatencyRow]) -> dict[tuple[object, ...], str]:
    """Return for each curve the text that distinguishes it from the others, "" where all rows have the same.

    If every load has its memory, nodes or stride in common with its chaser, these are stated once: 'on node:1'.
    """
    curves = list(dict.fromkeys(row.curve for row in rows if row.load_threads))
    columns = list(zip(*curves, strict=True))
    several = [len(set(column)) > 1 for column in columns]
    for chaser, load in SHARED:
        if several and all(str(curve[chaser]) == str(curve[load]) for curve in curves):
            several[load] = False
    forms = ("on {}", "from node {}", "{} B apart", "{} chaser", "load on {}", "load from node {}",
             "load {} B apart", "{} load")  # fmt: skip
    return {
        curve: ", ".join(form.format(part) for form, part, told in zip(forms, curve, several, strict=True) if told)
        for curve in curves
    }
