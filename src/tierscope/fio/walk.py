"""Where the next sequential repeat starts: where the last one stopped, so that all bytes of the file take their turn.

fio starts each call at its offset and, when it has come to the end, continues from that offset again. Repeats that all
start at zero touch the first rate * (ramp + seconds) bytes only, and storage answers them from a cache.

    share moved = most bytes of one side * (1 + ramp / seconds) / bytes of the place      [1]

A start that leaves less room than ROOM times the share of the last repeat would walk that rest round and round, so it
is the beginning instead. The share of a new job is not known: it gets half of the file at least.
Blind to the share of one thread: all are taken to be equally fast.
"""

ROOM = 1.25
UNKNOWN = 0.5


class Walk:
    """A place in the file, as a share from 0 to 1: so it is the same for one thread and for the slices of many."""

    def __init__(self) -> None:
        self._at, self._last = 0.0, UNKNOWN

    def begin(self) -> None:
        """Begin another job, of another speed, from here."""
        self._last = UNKNOWN

    def start(self) -> float:
        """Return the share of each slice that is before the next repeat."""
        if self._at + ROOM * self._last > 1:
            self._at = 0.0
        return self._at

    def moved(self, share: float) -> None:
        """Add the share that was read or written since `start`."""
        self._at, self._last = self._at + share, share
