"""A group as one line of a plan for the core: the keys that every group takes, and those of its task."""

from urllib.parse import quote

import msgspec

from tierscope.errors import UsageError
from tierscope.record.experiment import Group
from tierscope.record.work import Work
from tierscope.record.work.base import key_of
from tierscope.units import word_bytes

USUAL = {
    "streams": "1", "unroll": "1", "prefetch": word_bytes(0), "prefetchw": word_bytes(0), "interleave": word_bytes(0),
    "element": word_bytes(64), "locality": word_bytes(0),
}  # fmt: skip
"""Keys of tasks at their usual values, which every line states: the core takes them for any kernel."""

SAFE = "/.=-+:,@"  # of a text that is percent-encoded


def work_words(work: Work) -> dict[str, str]:
    """Return the keys of its task, which are its fields; one that is zero or "" is left to the core."""
    if not work.of_core:
        return {}
    fields = msgspec.structs.asdict(work)
    return {
        key_of(name): quote(value, safe=SAFE) if name in work.encoded else _word(name, value)
        for name, value in fields.items()
        if value
    }


def _word(name: str, value: object) -> str:
    """Return one value with its unit."""
    if name.endswith("_bytes") and isinstance(value, int):
        return word_bytes(value)
    if name.endswith("_s") and isinstance(value, float):
        return f"{value:.9f}s"
    return str(value)


def group_words(group: Group) -> dict[str, str]:
    """Return a Group as the words of a plan, also what a person types to repeat it by hand."""
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
            raise UsageError(f"{key}={word!r} contains a space, which a plan cannot contain; choose a path without one")
    return {key: word for key, word in words.items() if word}
