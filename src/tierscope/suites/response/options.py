"""The options of `tierscope run response`: the victim, the levers, and the tiers that are asked for."""

import math
import re
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from tierscope import units
from tierscope.errors import UsageError
from tierscope.plans import SuiteOptions
from tierscope.plans.kinds import Help, Kind, Names, Numbers, Pages, Seconds, Share, Size, Time, Visits, words_of
from tierscope.record.experiment import Target

COMMAND, FLOW = "cmd", "flow"
AUTO_ON = ("1.5x", "2x", "3x")
LONGEST_S = 1e-3  # of a latency that is asked for: beyond, it is a typing error


@dataclass(frozen=True)
class Tier:
    """A tier that is asked for: its latency in s, or as a factor on the one here; the other is None."""

    name: str
    latency_s: float | None
    factor: float | None

    def ratio(self, here_s: float) -> float:
        """Return its latency over the one here."""
        return self.factor if self.factor is not None else (self.latency_s or math.nan) / here_s


def tier_of(word: str) -> Tier:
    """Return the tier of '2x', '350ns' or 'cxl=350ns'; UsageError for another word."""
    name, equals, text = word.rpartition("=")
    if re.fullmatch(r"[0-9]+(\.[0-9]+)?x", text):
        factor = float(text[:-1])
        if not 0.1 <= factor <= 1000:
            raise UsageError(f"{word}: a factor from 0.1x to 1000x is needed")
        return Tier(name or f"{text} the latency", None, factor)
    if text[-1:].isdigit() or not text:
        raise UsageError(f"{word}: a latency with its unit, or a factor, is needed, such as 350ns, cxl=350ns or 2x")
    latency = units.parse_seconds(text)
    if not 1e-9 <= latency <= LONGEST_S:
        raise UsageError(f"{word}: a latency from 1ns to 1ms is needed, such as {name + equals}350ns")
    return Tier(name or text, latency, None)


def _check_tiers(names: Names) -> None:
    for word in names:
        tier_of(word)


def _check_line(word: str) -> None:
    if word != FLOW and not line_of(word):
        raise UsageError(f"a command of yours is needed, such as victim='cmd ./solve in.txt', or victim={FLOW}")


def line_of(word: str) -> str:
    """Return the line of 'cmd LINE'; "" for another word."""
    name, _, line = word.strip().partition(" ")
    return line.strip() if name == COMMAND else ""


LINE = Kind(check=_check_line)
TIERS = Kind(words_of, ",".join, _check_tiers)


class ResponseOptions(SuiteOptions, frozen=True, kw_only=True):
    """Options of `tierscope run response`."""

    victim: Annotated[
        str,
        LINE,
        Help("the program, as `victim='cmd ./solve in.txt'`; it must print something; `flow` is a min-cost flow"),
    ] = FLOW
    levers: Annotated[
        Names,
        Help(
            "what slows the memory: `load` (other CPUs load it), `node` (memory of another node), `resctrl` (a cap on "
            "memory bandwidth), `uncore` and `clock` (a lower clock); `all`: each one that this machine has"
        ),
    ] = ("all",)
    on: Annotated[
        Names,
        TIERS,
        Help("tiers to extrapolate to: latencies as `350ns` or `cxl=350ns`, or factors on the latency here, as `2x`"),
    ] = AUTO_ON
    target: Annotated[Target, Help("memory without a lever: the victim runs on its node")] = Target()
    load: Annotated[str, Help("kernel of the loading CPUs")] = "write_nt"
    delays: Annotated[Numbers, Help("core cycles of delay after each burst of the load: a step for each")] = (
        2000, 500, 0,
    )  # fmt: skip
    load_cpus: Annotated[
        Numbers | None, Help("CPUs that load; auto: all of the target's node on other cores than the victim's")
    ] = None
    victim_cpus: Annotated[Numbers | None, Help("CPUs that the victim may use; auto: one of the target's node")] = None
    steps: Annotated[
        Annotated[int, Meta(ge=1, le=8)], Help("steps of levers that have a range: `resctrl`, `uncore`, `clock`")
    ] = 3
    pages: Annotated[Pages, Help("page size of the memory that is probed and loaded: `4k`, `thp`, `2m`, `1g`")] = "thp"
    array: Annotated[Size | None, Help("bytes of each array that is probed or loaded; auto: as for `stream`")] = None
    timeout: Annotated[Seconds, Help("most seconds for one run of the victim; beyond, it hangs")] = 600.0
    precision: Annotated[Share, Help("half of each ratio's 95 % interval over the ratio")] = 0.02
    budget: Annotated[Time, Help("most seconds of the victim at each step, after the first eight rounds")] = 10.0
    visits: Visits = 3
