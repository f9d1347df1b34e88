"""The work of the task `task`."""

from typing import Annotated, ClassVar

from msgspec import Meta

from tierscope.record.work.base import OfTask


class TaskWork(OfTask, frozen=True, kw_only=True, tag="task"):
    """Whole computations of a victim, on memory that it takes itself."""

    encoded: ClassVar[frozenset[str]] = frozenset({"command"})

    size: Annotated[str, Meta(description="victim `flow`: `test`, `train`, `ref`, the size of its instance")] = ""
    command: Annotated[str, Meta(description="victim `command`: a line for the shell")] = ""
    limit_s: Annotated[float, Meta(description="victim `command`: seconds after which it hangs; 0: 600")] = 0.0
    memory: Annotated[str, Meta(description='victim `command`: `node:N`, whose memory it gets; "": any')] = ""
