"""The results of `fleet outliers`: typed rows, from which the terminal form, JSON and the page are drawn."""

import math
from typing import Literal

import msgspec

Verdict = Literal["slower", "odd", "inconclusive"]
"""`slower`: confirmed to be more than the limit slower. `odd`: outside its peers, but not confirmed to be that slow.
`inconclusive`: a suspect whose confirming sessions are missing, or too few."""


class Size(msgspec.Struct, frozen=True):
    """How much slower, as a share of the peers' value: 0.05 is 5 % slower, below 0 is faster."""

    value: float
    low: float
    high: float


def size_of(change: float, half: float) -> Size:
    """Return a change of a logarithm, and half of its interval, as a share: above 0 is slower."""
    return Size(*(-math.expm1(one) for one in (change, change + half, change - half)))


class MetricSize(msgspec.Struct, frozen=True):
    """One metric of one machine; `spreads` is its distance from the peers in healthy spreads."""

    metric: str
    slower: Size
    spreads: float
    confirmed: bool


class Suspect(msgspec.Struct, frozen=True, kw_only=True):
    """One machine that is unlike its peers. `slower` is the confirmed size, or that of the screen."""

    host: str
    machine: str
    group: str
    verdict: Verdict
    slower: Size
    metrics: tuple[MetricSize, ...]
    sessions: int  # confirming sessions with controls
    tested: bool  # whether they are enough
    reason: str  # one sentence
    unlike: tuple[str, ...] = ()  # facts in which it differs from most of its peers: `bios=1.2 (peers: 1.4)`


class Covariate(msgspec.Struct, frozen=True, kw_only=True):
    """A fact that separates two modes: machines with `slow_values` are in the slow mode."""

    fact: str
    slow_values: tuple[str, ...]
    agreement: float  # share of machines that the fact places in their mode


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Machines that should be alike: those of one identity. Shares are of the value: 0.01 is 1 %."""

    name: str
    facts: dict[str, str]
    machines: int
    spread: float  # healthy spread of the score
    sees: float  # smallest slowdown of all metrics that this run confirms in 80 % of cases
    sees_one: float  # the same for one metric
    efficiency: float | None  # median of bandwidth / peak; null without a peak
    slower_than_before: Size | None  # the group's own efficiency or level against its first days
    modes_apart: float | None  # distance of two modes, if there are two
    slow_share: float | None  # share of machines in the slow mode
    covariate: Covariate | None  # null if there are no modes, or no stored fact separates them
    peers: int = 0  # machines that they are compared with: more than `machines` where few have this identity


class WrongAnswer(msgspec.Struct, frozen=True):
    """A machine on which kernels left other bytes than scalar code."""

    host: str
    machine: str
    day: str
    kernels: int


class Inefficient(msgspec.Struct, frozen=True):
    """A machine, or a whole group if `machine` is empty, far below what its channels and clock allow."""

    host: str
    machine: str
    group: str
    efficiency: float
    expected: float


class Listed(msgspec.Struct, frozen=True):
    """Something that was set aside or needs attention, and why."""

    what: str
    reason: str


class Outliers(msgspec.Struct, frozen=True, kw_only=True):
    """The whole answer for one day."""

    day: str
    window_days: int
    plan: str
    machines: int
    metrics: int
    suspects: tuple[Suspect, ...]  # slower first, largest first
    groups: tuple[Group, ...]
    wrong: tuple[WrongAnswer, ...]
    inefficient: tuple[Inefficient, ...]
    listed: tuple[Listed, ...]  # hosts that did not answer, cloned identities, small groups ...
    scores: dict[str, float]  # machine -> mean log deviation from its peers; for the distribution
    origin: Literal["measured", "synthetic", "mixed"]
