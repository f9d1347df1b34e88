"""The work of the task `skeleton`: the keys that a group of a new task takes.

Copy this file to src/tierscope/record/work/NAME.py. The tag is the name of the task in core/bench/tasks/NAME.cpp. Each
field is a key of a plan: its name without the unit, bytes and seconds written with theirs. Zero and "" are left to the
core.
"""

from typing import Annotated, ClassVar

from msgspec import Meta

from tierscope.record.work.base import Bytes, OfTask


class SkeletonWork(OfTask, frozen=True, kw_only=True, tag="skeleton"):
    """Stripes of memory, each visited for some time."""

    encoded: ClassVar[frozenset[str]] = frozenset({"note"})  # any text, which the core decodes

    stripe_bytes: Annotated[Bytes, Meta(description="bytes of a stripe; 0: a page")] = 0
    rest_s: Annotated[float, Meta(description="seconds between two stripes")] = 0.0
    stripes: Annotated[int, Meta(description="number of them; 0: all")] = 0
    note: Annotated[str, Meta(description="any text")] = ""
