"""A machine that replays a program, with each core that it may have: this one, or a tier in place of its memory."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from tierscope.predict.program.front_end import UNPROBED, FrontEnd
from tierscope.predict.program.hardly import OfLine

Keeps = tuple[tuple[float, str], ...]
"""Seconds for which the last cache keeps a line, and the own core's word with each; () if others do not use it."""


@dataclass(frozen=True)
class Place:
    """A machine that replays. word: behind `sim:`; large: the same with pages of 2 MiB, "" where that is not known;
    others: the same with other cores that this machine may have.

    readings: the number of the others, from the first on, that are the own core with other readings of the front end;
    the first of them may answer in its stead (`front_end`).

    over, bandwidth_over: of a tier, as the words for it state them.
    """

    name: str
    word: str
    large: str = ""
    others: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    over: float | None = None  # latency of a load over that of this machine's memory; None: not stated
    bandwidth_over: float | None = None  # the same of the bandwidth
    each: OfLine | None = None  # of a tier: what it adds to each line; None: not known
    as_here: bool = False  # whether its latency is that of this machine's memory, whatever that is
    readings: int = 0
    front_end: FrontEnd = UNPROBED

    @property
    def words(self) -> list[str]:
        """Return the machine with its own core, and with each of the others."""
        return [self.word, *self.others]

    def read_otherwise(self) -> "Place":
        """Return the place with the other reading of the front end, and the own one in its stead."""
        other = self.front_end.other
        others = (other(self.others[0]), *self.others[1:]) if self.readings else self.others
        return replace(self, word=other(self.word), large=other(self.large), others=others)

    def mixed(self) -> "Place":
        """Return the place with a mixture of both readings as the own core, and the reading in front of the others."""
        both, others = self.front_end.mixed, (self.word, *self.others)
        return replace(self, word=both(self.word), large=both(self.large), others=others, readings=self.readings + 1)


@dataclass(frozen=True)
class Here:
    """This machine, the tiers that replace its memory, and a machine whose memory answers immediately.

    memory: words of a machine whose memory is that of this one. ends: words of this machine whose memory has the
    latency of either end of its interval; () where that is exact.
    """

    own: Place
    tiers: tuple[Place, ...]
    instant: str
    notes: tuple[str, ...] = ()
    memory: str = ""  # word of a machine with the memory here alone
    grid: tuple[Place, ...] = ()  # of the contours, replayed by the own core alone
    memory_s: float | None = None  # latency and bandwidth of the memory here
    bandwidth_bytes_per_s: float | None = None
    ends: tuple[str, ...] = ()
    last_lines: float = 0.0  # of the last cache; 0: not known
    keeps: Keeps = ()

    def read_otherwise(self) -> "Here":
        """Return all machines with the other reading of the front end of the own core."""
        return self._with(Place.read_otherwise, self.own.front_end.other)

    def mixed(self) -> "Here":
        """Return all machines with a mixture of both readings as the own core; see `mixture`."""
        return self._with(Place.mixed, self.own.front_end.mixed)

    def _with(self, place: Callable[[Place], Place], word: Callable[[str], str]) -> "Here":
        return replace(
            self, own=place(self.own), tiers=tuple(map(place, self.tiers)), grid=tuple(map(place, self.grid)),
            instant=word(self.instant), ends=tuple(map(word, self.ends)),
        )  # fmt: skip
