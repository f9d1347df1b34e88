"""The work of the task `code`."""

from typing import Annotated

from msgspec import Meta

from tierscope.record.work.base import OfTask


class CodeWork(OfTask, frozen=True, kw_only=True, tag="code"):
    """Iterations of a loop of much generated code, in runs that jump from one to the next in random order."""

    straight: Annotated[int, Meta(description="lines of 64 bytes of a run, on average; they divide 64")] = 1
    jumps: Annotated[int, Meta(description="runs in each line, 1 or 2; 2 only with `straight` 1")] = 1
