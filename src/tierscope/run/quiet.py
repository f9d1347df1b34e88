"""The results of memory probes in quiet times of this machine, kept for later runs of this user.

The file is in the user's cache folder and has one list for each node. It is named by a digest of the machine: another
machine, or this one with other memory or another kernel, starts empty. It is a memory of speed, not of verdicts: a run
stores what it used, so that its verdicts are the same everywhere.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median

import msgspec
import numpy as np

from tierscope.record.background import Quiet
from tierscope.run.kept import keep, kept_file

MOST = 256  # probes of a node that are kept, the latest
EDGE = 5.0  # percent
KEPT_IN = "warm"  # the folder; "quiet" of versions before 0.3 had probes with cold blocks, 2 % higher


class Seen(msgspec.Struct, frozen=True):
    """One probe."""

    latency_s: float
    bytes_per_s: float


class Quiets:
    """Probes of one machine. path: where they are kept; None: nowhere."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._known: dict[int, list[Seen]] = _read(path)
        self._new = False

    def add(self, node: int, latency_s: float, bytes_per_s: float) -> None:
        """Add what a probe found while others rested."""
        self._known[node] = [*self._known.get(node, [])[1 - MOST :], Seen(latency_s, bytes_per_s)]
        self._new = True

    def of(self, node: int) -> Quiet | None:
        """Return the bounds and medians of quiet times; None where there were none."""
        own = self._known.get(node)
        if not own:
            return None
        latencies, rates = [one.latency_s for one in own], [one.bytes_per_s for one in own]
        return Quiet(
            latency_s=_edge(latencies, 100 - EDGE),
            bytes_per_s=_edge(rates, EDGE),
            count=len(own),
            middle_latency_s=median(latencies),
            middle_bytes_per_s=median(rates),
        )

    def save(self) -> None:
        """Keep them, if there are new ones."""
        if self._path is not None and self._new:
            keep(self._path, msgspec.json.encode(self._known))


def quiet_file(digest: str, host: str = "") -> Path | None:
    """Return the file of a machine; see `kept_file`. host: `ssh:NAME` of another machine, "" of this one."""
    return kept_file(KEPT_IN, digest, host)


def _read(path: Path | None) -> dict[int, list[Seen]]:
    """Return what is kept; nothing of a file that is absent, damaged, or contains what no probe finds."""
    if path is None:
        return {}
    with suppress(OSError, msgspec.DecodeError):
        found = msgspec.json.decode(path.read_bytes(), type=dict[int, list[Seen]])
        good = {node: [one for one in own if _possible(one)][-MOST:] for node, own in found.items()}
        return {node: own for node, own in good.items() if own}
    return {}


def _possible(one: Seen) -> bool:
    return 0 < one.latency_s < 1 and 0 < one.bytes_per_s < 1e15


def _edge(values: Sequence[float], percent: float) -> float:
    return float(np.percentile(values, percent))
