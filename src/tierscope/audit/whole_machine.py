"""No test moves more than the whole machine did when all of it was used.

    bandwidth(any test) <= ROOM * most bandwidth of the tests of the whole
    reads of the whole <= ROOM * sum of local bandwidths        reads of a mixture <= ROOM * reads alone

The whole is what a tool calls its peak: all threads on all nodes (the statement is marked `whole`). `read_share` is the
share of reads in a mixture. The margin allows for clocks that rise or fall between two tests of minutes.
Blind to a whole that was measured as wrongly as its parts.
"""

from collections.abc import Iterator, Sequence
from typing import ClassVar

from tierscope.audit import identities
from tierscope.audit.identity import Failure
from tierscope.audit.orders import broken
from tierscope.audit.shown import shown, value_of
from tierscope.audit.statement import Statement

ROOM = 1.25
NAME = "bandwidth_bytes_per_s"


class WholeMachine:
    """Compare tests of one output with those of the whole machine."""

    name: ClassVar[str] = "whole_machine"
    title: ClassVar[str] = "no part moves more than the whole machine"

    def check(self, statements: Sequence[Statement]) -> Iterator[Failure | None]:
        rows = [one for one in statements if one.conclusive and NAME in one.quantities]
        whole = [one for one in rows if "whole" in one.words]
        if not whole:
            return
        most = max(whole, key=lambda one: one.quantities[NAME].high)
        for one in rows:
            if "part" in one.words:
                good = one.quantities[NAME].low <= ROOM * most.quantities[NAME].high
                why = "a digit was lost in one of the two, or the machine was slower while its peak was measured"
                yield None if good else broken(self.name, one, most, NAME, why)
        yield from _local(rows, whole)
        yield from _mixed(whole)


def _local(rows: list[Statement], whole: list[Statement]) -> Iterator[Failure | None]:
    """Compare the whole machine's reads with those of each node on its own memory, all together."""
    nodes = {one.words["from"] for one in rows if "from" in one.words}
    local = [one for one in rows if "from" in one.words and one.words["from"] == one.words.get("to")]
    if not local or {one.words["from"] for one in local} != nodes:
        return
    total = sum(one.quantities[NAME].high for one in local)
    for one in (one for one in whole if one.get("read_share") and one.quantities["read_share"].value == 1):
        good = one.quantities[NAME].low <= ROOM * total
        found = f"all nodes on their own memory make {value_of(NAME, total)}"
        why = "a digit was lost in one of them, or the machine was slower while its nodes were measured"
        said = shown(NAME, one.quantities[NAME])
        yield None if good else Failure("whole_machine", one.label, one.table, NAME, said, found, why)


def _mixed(whole: list[Statement]) -> Iterator[Failure | None]:
    known = [one for one in whole if "read_share" in one.quantities]
    alone = next((one for one in known if one.quantities["read_share"].value == 1), None)
    for one in known:
        share = one.quantities["read_share"].value
        if alone is not None and 0 < share < 1:
            good = share * one.quantities[NAME].low <= ROOM * alone.quantities[NAME].high
            why = f"the reads among them, {100 * share:.0f} %, would be more than reads alone: a digit was lost"
            yield None if good else broken("whole_machine", one, alone, NAME, why)


identities.add(WholeMachine())
