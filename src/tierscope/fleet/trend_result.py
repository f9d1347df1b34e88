"""The results of `fleet trend`: typed rows, from which the terminal form, JSON and the page are drawn."""

from typing import Literal

import msgspec

from tierscope.fleet.outliers_result import Listed, Size


class FactChange(msgspec.Struct, frozen=True):
    """A stored fact of the host that changed near the date; "" where it was unknown."""

    fact: str
    before: str
    after: str
    day: str


class HostChange(msgspec.Struct, frozen=True, kw_only=True):
    """One host that departed from its peers. `day` is the first slow day, `seen` the day of the alarm."""

    host: str
    machine: str
    metric: str  # "all" for the mean of all metrics
    day: str
    seen: str
    slower: Size
    state: Literal["confirmed", "waiting"]  # waiting: fewer than 7 days and no repeats since the alarm
    facts: tuple[FactChange, ...]
    against: Literal["its peers", "its own past"] = "its peers"  # its own past: too few hosts are like it


class GroupChange(msgspec.Struct, frozen=True, kw_only=True):
    """A whole group that changed, which no comparison with peers can show. facts: those that changed on most hosts."""

    group: str
    metric: str
    day: str
    slower: Size
    facts: tuple[FactChange, ...]


class Trend(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer for a range of days."""

    first: str
    last: str
    days: int  # with reports of the plan
    machines: int
    changes: tuple[HostChange, ...]
    groups: tuple[GroupChange, ...]
    listed: tuple[Listed, ...]
    plan: str = ""
    followed: int = 0  # machines with a complete baseline, and days after it
