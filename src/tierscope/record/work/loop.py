"""The work of the task `loop`."""

from typing import Annotated

from msgspec import Meta

from tierscope.record.work.base import OfTask


class LoopWork(OfTask, frozen=True, kw_only=True, tag="loop"):
    """Iterations of a loop of generated instructions: loads along chains of pointers, and fillers behind them."""

    element_bytes: Annotated[int, Meta(description="bytes of a line, or more: chains visit one place of each")] = 64
    chains: Annotated[
        int, Meta(description="chains of loads, up to 8; each load gives the address of the next; 0: fillers alone")
    ] = 0
    beside: Annotated[int, Meta(description="other lines that each hop loads, and nothing waits for")] = 0
    filler: Annotated[
        str,
        Meta(
            description='`nop` (also ""), `integer` (additions of a constant, which some cores rename), '
            "`result` (of two registers), `vector`, `mix`, "
            "`sum` (each waits for the one before), `load`, "
            "`store`, `guess` (a number is drawn, and a branch goes by it)"
        ),
    ] = ""
    fillers: Annotated[int, Meta(description="fillers behind the loads of each chain, or of the loop")] = 0
    random: Annotated[
        int, Meta(description="filler `guess`: 1: the branch goes by the number drawn; 0: it is never taken")
    ] = 0
    train: Annotated[
        int,
        Meta(
            description="lines of a window that are visited before the last one; windows follow one another at random; "
            "0: no windows, and chains that lead anywhere"
        ),
    ] = 0
    stride: Annotated[int, Meta(description="of a window: lines from one visit to the next")] = 0
    ahead: Annotated[int, Meta(description="of a window: lines from the visit before the last one to the last")] = 0
    windows: Annotated[int, Meta(description="windows that are visited side by side; 0: one")] = 0
    apart: Annotated[int, Meta(description="1: the last visit goes to another page instead")] = 0
    down: Annotated[int, Meta(description="1: windows are visited by falling addresses")] = 0
    parity: Annotated[
        str, Meta(description='number of the first line of a window in its page: `any` (also ""), `even`, `odd`')
    ] = ""
