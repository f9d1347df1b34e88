"""A session is a core process that is steered line by line: groups are prepared, measured in batches, checked.

Blocks come back through a samples file that the core appends to.
"""

from collections.abc import Sequence
from types import TracebackType
from typing import Any, Self

import numpy as np

from tierscope.core.ask import catalogue, error_of, read, refused
from tierscope.core.find import find_core, find_pool_core, find_traced_core
from tierscope.core.launch import LOCAL, Find, Launcher
from tierscope.core.plan import group_words
from tierscope.errors import CoreError
from tierscope.record.counting import Counting, Counts
from tierscope.record.experiment import Group
from tierscope.record.result import BLOCK, Blocks, Clock, GroupFacts
from tierscope.record.timing import Timing

RECORDED = ("sim", "emu")  # targets of structures whose accesses are recorded or delayed
HEADER_BYTES = 384  # of the samples file, see core/bench/samples.cpp


def in_a_pool(groups: Sequence[Group]) -> bool:
    """Return whether a group has bytes in a pool of libpmemobj."""
    return any(target.name == "pool" for group in groups for target in group.targets)


def _finder(groups: Sequence[Group]) -> Find | None:
    """Return the finder of the core that these groups need; None where any will do."""
    if in_a_pool(groups):
        return find_pool_core
    recorded = {group.workload.kernel for group in groups if group.target.name in RECORDED}
    if recorded and any(one.name in recorded for one in catalogue(pools=False).structures):
        return find_traced_core
    return None


class Session:
    """One running core. Use as a context manager: leaving it ends the process and removes its samples."""

    def __init__(self, launcher: Launcher = LOCAL) -> None:
        """Start a core.

        launcher: where the core runs.
        """
        self._launcher = launcher
        self._find: Find = find_core
        self._begin(find_core)

    def _begin(self, find: Find) -> None:
        self._core = self._launcher.start(find)
        try:
            self.clock = read(self._answer(), Clock, "clock")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the core immediately and release its memory; more than once does no harm."""
        self._core.end()

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        """Map, touch, fill and verify; raise UsageError and MachineError as the core reports them.

        The first pool ends the process for one that knows pools, with a clock of its own; also the first structure on
        simulated memory or an emulated tier.
        """
        find = _finder(groups)
        if find is not None and find is not self._find:
            other = find()
            self._find = find
            self.close()
            self._begin(lambda: other)
        for group in groups:
            self._send("group", group_words(group))
        fact = self._ask("prepare", {})
        self.clock = read(fact, Clock, "clock")  # a simulation has one of its own
        return read(fact, tuple[GroupFacts, ...], "groups")

    def set(self, number: int, group: Group) -> GroupFacts:
        """Change how the group passes over the memory that is there."""
        words = {"group": str(number), **group_words(group)}
        return read(self._ask("set", words), GroupFacts, "group")

    def measure(self, seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        """Return one batch of some groups, all by default; its blocks, shape (blocks,), dtype BLOCK.

        It lasts until every task in it is done, at least `seconds`. UsageError when a victim's command fails.
        """
        words = {"seconds": f"{seconds:.9f}s", "block": f"{block_s:.9f}s"}
        fact = self._ask("measure", words | ({"groups": ",".join(map(str, groups))} if groups else {}))
        first, rows = (read(fact, int, key) * BLOCK.itemsize for key in ("first", "rows"))
        content = self._core.samples(rows, HEADER_BYTES + first)
        if len(content) != rows:
            raise CoreError(f"tierscope-core announced {rows} bytes of blocks, wrote {len(content)}; report this")
        return np.frombuffer(content, dtype=BLOCK)

    def count(self, events: str) -> Counting:
        """Count performance events in the timed blocks of all batches from now on; UsageError for an unknown name."""
        return read(self._ask("count", {"events": events}), Counting)

    def counts(self) -> tuple[Counts, ...]:
        """Return what they counted since, of each group."""
        return read(self._ask("counts", {}), tuple[Counts, ...], "groups")

    def machine_counts(self) -> Counts:
        """Return what events of the whole machine counted since; its blocks are batches."""
        return read(self._ask("counts", {}), Counts, "machine")

    def check(self) -> tuple[float, tuple[str, ...], dict[str, int]]:
        """Return the largest difference from scalar code, each victim's report, and the counts of a simulated machine.

        The difference is relative, and infinity if the answer is wrong.
        """
        fact = self._ask("check", {})
        errors = read(fact, list[float | None], "largest_relative_error")
        details = read(fact, tuple[str, ...], "details")
        counters = read(fact, dict[str, int], "counters")
        return max((float("inf") if e is None else e for e in errors), default=0.0), details, counters

    def timings(self) -> tuple[tuple[Timing, ...], ...]:
        """Return what operations on a structure took, by group and by batch in which it ran; () for other groups."""
        return read(self._ask("timings", {}), tuple[tuple[Timing, ...], ...], "groups")

    def drop(self) -> None:
        """Give memory and threads back, and a pool of the user as it was found: a core that is ended cannot."""
        self._ask("drop", {})

    def told(self) -> None:
        """Report nothing: the core measures itself, and no other program has anything to report."""

    def _ask(self, command: str, words: dict[str, str]) -> dict[str, Any]:
        self._send(command, words)
        return self._answer()

    def _send(self, command: str, words: dict[str, str]) -> None:
        line = " ".join([command, *(f"{key}={word}" for key, word in words.items())])
        try:
            self._core.send(line.encode() + b"\n")
        except BrokenPipeError:
            raise self._death(b"") from None

    def _answer(self) -> dict[str, Any]:
        line = self._core.line()
        if not line.endswith(b"\n"):
            raise self._death(line)
        fact = read(line, dict[str, Any])
        if fact.get("fact") == "error":
            raise refused(fact)
        return fact

    def _death(self, line: bytes) -> Exception:
        status, last_words = self._core.death()
        return error_of(line, status, last_words)
