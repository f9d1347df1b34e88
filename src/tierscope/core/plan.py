"""A group as one line of a plan for the core: the keys that every group takes, and those of its task."""

from typing import assert_never
from urllib.parse import quote

from tierscope.errors import UsageError
from tierscope.record.experiment import Group
from tierscope.record.work import (
    BlockWork,
    CallWork,
    HandOverWork,
    HopWork,
    JobWork,
    KeyedWork,
    LineWork,
    TaskWork,
    TransferWork,
    Work,
)
from tierscope.units import word_bytes


def work_words(work: Work) -> dict[str, str]:
    """The keys of its task; "" for one that is left to the core."""
    match work:
        case LineWork():
            return {
                "streams": str(work.streams),
                "unroll": str(work.unroll),
                "prefetch": word_bytes(work.prefetch_bytes),
                "prefetchw": word_bytes(work.prefetchw_bytes),
                "interleave": word_bytes(work.interleave_bytes),
                "row": word_bytes(work.row_bytes) if work.row_bytes else "",
            }
        case HopWork():
            return {
                "element": word_bytes(work.element_bytes),
                "locality": word_bytes(work.locality_bytes),
                "order": work.order,
            }
        case BlockWork():
            return {
                "element": word_bytes(work.element_bytes),
                "access": word_bytes(work.access_bytes) if work.access_bytes else "",
                "locality": word_bytes(work.locality_bytes),
                "fence": work.fence,
                "order": work.order,
            }
        case TaskWork():
            return {
                "size": work.size,
                "command": quote(work.command, safe="/.=-+:,@"),
                "limit": f"{work.limit_s:.9f}s" if work.limit_s else "",
            }
        case KeyedWork():
            return {
                "operation": work.operation,
                "keys": work.keys,
                "sharing": work.sharing,
                "count": str(work.count) if work.count else "",
                "value": word_bytes(work.value_bytes) if work.value_bytes else "",
            }
        case CallWork() | HandOverWork() | TransferWork() | JobWork():
            return {}
        case _:
            assert_never(work)


USUAL = work_words(LineWork()) | work_words(BlockWork())
"""Keys of other tasks at their usual values, which every line states: the core takes them for any kernel."""


def group_words(group: Group) -> dict[str, str]:
    """A Group as the words of a plan, also what a person types to repeat it by hand."""
    work = group.workload
    words = {
        "kernel": work.kernel,
        "isa": work.isa,
        "target": group.target.word,
        "pages": group.target.pages,
        "cpus": ",".join(map(str, group.team.cpus)),
        "footprint": word_bytes(work.footprint_bytes),
        **USUAL,
        "pace": str(work.pace_cycles),
        "burst": word_bytes(work.burst_bytes),
        "per_block": str(work.per_block),
        **work_words(work.work),
        "seed": str(work.seed) if work.seed else "",
        "source": group.source.word if group.source else "",
        "shared": "1" if group.shared else "",
    }
    for key, word in words.items():
        if any(c.isspace() for c in word):
            raise UsageError(f"{key}={word!r} holds a space, which a plan cannot carry; choose a path without")
    return {key: word for key, word in words.items() if word}
