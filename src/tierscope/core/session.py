"""A session is a core process that is steered line by line: groups are prepared, measured in batches, checked.

Blocks come back through a samples file that the core appends to.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np

from tierscope.core.ask import catalogue, error_of, guarded, read, refused
from tierscope.core.find import find_core, find_pool_core, find_traced_core
from tierscope.core.plan import group_words
from tierscope.errors import CoreError
from tierscope.files import nameless
from tierscope.record.counting import Counting, Counts
from tierscope.record.experiment import Group
from tierscope.record.result import BLOCK, Blocks, Clock, GroupFacts
from tierscope.record.timing import Timing

LAST_WORDS_BYTES = 1 << 16  # of a core that died: a sanitizer's whole report
HEADER_BYTES = 384  # of the samples file, see core/bench/samples.cpp


def in_a_pool(groups: Sequence[Group]) -> bool:
    """Whether a group has bytes in a pool of libpmemobj."""
    return any(target.name == "pool" for group in groups for target in group.targets)


def _finder(groups: Sequence[Group]) -> Callable[[], Path] | None:
    """Return the finder of the core that these groups need; None where any will do."""
    if in_a_pool(groups):
        return find_pool_core
    simulated = {group.workload.kernel for group in groups if group.target.name == "sim"}
    if simulated and any(one.name in simulated for one in catalogue(pools=False).structures):
        return find_traced_core
    return None


class Session:
    """One running core. Use as a context manager: leaving it ends the process and removes its samples."""

    def __init__(self) -> None:
        self._find: Callable[[], Path] = find_core
        self._begin(find_core)

    def _begin(self, find: Callable[[], Path]) -> None:
        self._files = ExitStack()
        self._errors = os.memfd_create("errors")
        self._files.callback(os.close, self._errors)
        try:
            # without a name, so that nothing is left behind even after a kill
            self._samples = nameless(Path(tempfile.gettempdir()))
            self._files.callback(os.close, self._samples)
            self._process = guarded(self._start, find)
        except BaseException:
            self._files.close()
            raise
        try:
            self.clock = read(self._answer(), Clock, "clock")
        except BaseException:
            self.close()
            raise

    def _start(self, core: Path) -> subprocess.Popen[bytes]:
        # its own process group: Ctrl-C reaches Python alone, which ends the core in order
        command = [str(core), "run", "-", "--samples", f"/proc/self/fd/{self._samples}"]
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            pass_fds=(self._samples,),
            start_new_session=True,
            env={**os.environ, "TIERSCOPE_PARENT": str(os.getpid())},  # it ends with this process, however that ends
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the core at once and give its memory back; more than once does no harm."""
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None and not stream.closed:
                with suppress(BrokenPipeError):  # unsent words of a core that is gone
                    stream.close()
        self._files.close()

    def prepare(self, groups: Sequence[Group]) -> tuple[GroupFacts, ...]:
        """Map, touch, fill and verify; UsageError and MachineError as the core puts them.

        The first pool ends the process for one that knows pools, with a clock of its own; likewise the first structure
        on simulated memory.
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
        """Another walk over the memory that is there."""
        words = {"group": str(number), **group_words(group)}
        return read(self._ask("set", words), GroupFacts, "group")

    def measure(self, seconds: float, block_s: float, groups: Sequence[int] = ()) -> Blocks:
        """One batch of some groups, all by default; its blocks, shape (blocks,), dtype BLOCK.

        It lasts until every task in it is done, at least `seconds`. UsageError when a victim's command fails.
        """
        words = {"seconds": f"{seconds:.9f}s", "block": f"{block_s:.9f}s"}
        fact = self._ask("measure", words | ({"groups": ",".join(map(str, groups))} if groups else {}))
        first, rows = (read(fact, int, key) * BLOCK.itemsize for key in ("first", "rows"))
        content = os.pread(self._samples, rows, HEADER_BYTES + first)
        if len(content) != rows:
            raise CoreError(
                f"tierscope-core announced {rows} bytes of blocks, wrote {len(content)}; please report this"
            )
        return np.frombuffer(content, dtype=BLOCK)

    def count(self, events: str) -> Counting:
        """Performance events in the timed blocks of all batches from now on; UsageError for a name that is none."""
        return read(self._ask("count", {"events": events}), Counting)

    def counts(self) -> tuple[Counts, ...]:
        """What they counted since, of each group."""
        return read(self._ask("counts", {}), tuple[Counts, ...], "groups")

    def check(self) -> tuple[float, tuple[str, ...], dict[str, int]]:
        """Largest relative difference against scalar code, infinity if wrong; what the victim of each group says; what
        a simulated machine counted.
        """
        fact = self._ask("check", {})
        errors = read(fact, list[float | None], "largest_relative_error")
        details = read(fact, tuple[str, ...], "details")
        counters = read(fact, dict[str, int], "counters")
        return max((float("inf") if e is None else e for e in errors), default=0.0), details, counters

    def timings(self) -> tuple[tuple[Timing, ...], ...]:
        """Of each group, of each batch in which it ran: what operations on a structure took; () of other groups."""
        return read(self._ask("timings", {}), tuple[tuple[Timing, ...], ...], "groups")

    def drop(self) -> None:
        """Give memory and threads back, and a pool of the user as it was found: a core that is ended cannot."""
        self._ask("drop", {})

    def told(self) -> None:
        """The core measures itself: no other program has anything to say."""

    def _ask(self, command: str, words: dict[str, str]) -> dict[str, Any]:
        self._send(command, words)
        return self._answer()

    def _send(self, command: str, words: dict[str, str]) -> None:
        line = " ".join([command, *(f"{key}={word}" for key, word in words.items())])
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line.encode() + b"\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise self._death(b"") from None

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise self._death(line)
        fact = read(line, dict[str, Any])
        if fact.get("fact") == "error":
            raise refused(fact)
        return fact

    def _death(self, line: bytes) -> Exception:
        status = self._process.wait()
        return error_of(line, status, os.pread(self._errors, LAST_WORDS_BYTES, 0))
