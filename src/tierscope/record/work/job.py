"""The work of the task `job`."""

from typing import Annotated, ClassVar

from msgspec import Meta

from tierscope.record.work.base import OfTask


class JobWork(OfTask, frozen=True, kw_only=True, tag="job"):
    """One job of a program that measures in place of the core: `fio`."""

    of_core: ClassVar[bool] = False

    block_bytes: Annotated[int, Meta(description="bytes of one read or write")]
    order: Annotated[str, Meta(description="`random`, `sequential`")]
    arguments: Annotated[str, Meta(description="of its command line, without the place and the time")]
